import Aquifer
import AquiferFoundation

/// A refusal by the server or by Solana.
public struct DriveRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The meaning of a refusal, as far as it is known.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// Solana's `0x1`: the wallet has too little SOL (or SHDW) for it.
        case notEnoughFunds
        /// The transaction's blockhash is too old or unknown.
        case staleBlockhash
        /// This very transaction was processed before.
        case alreadyProcessed
        /// The server does not accept the signature (401).
        case badSignature
        /// The server failed to list an account. It does so for an empty account.
        case emptyAccount
        /// The server failed (5xx).
        case serverFailure
        /// Solana has the transaction in a block, where it failed and changed nothing.
        case inVain
        /// Solana has accepted the transaction and has not confirmed it. It may still be dropped.
        case unconfirmed
        /// Anything else.
        case other
    }

    /// The HTTP status of the response, or the negative error code of Solana's JSON-RPC.
    public let status: Int
    /// The server's words: one line of at most ``wordsLimit`` characters. The line is empty if the response had no
    /// readable text.
    public let words: String
    /// The meaning of the refusal.
    public let reason: Reason

    /// The statuses that a gateway gives for the server behind it. The text of such a response is not the server's.
    static let gateways: Set<Int> = [408, 502, 503, 504]
    /// The maximum number of the server's characters that are repeated.
    public static let wordsLimit = 300

    /// Creates a refusal with the server's words.
    public init(status: Int, words: String, reason: Reason? = nil) {
        self.status = status
        let line = words.split(whereSeparator: { $0.isWhitespace || $0.isNewline }).joined(separator: " ")
        let shown = line.unicodeScalars.filter { !$0.properties.generalCategory.isControl }
        let text = String(String.UnicodeScalarView(shown))
        self.words = text.count > Self.wordsLimit ? text.prefix(Self.wordsLimit - 1) + "…" : text
        self.reason = reason ?? Self.reason(status, line.lowercased())
    }

    private static func reason(_ status: Int, _ words: String) -> Reason {
        if words.contains("blockhash not found") || words.contains("block height exceeded")
            || words.contains("blockhash") && words.contains("expired")
        {
            return .staleBlockhash
        }
        if words.contains("already been processed") || words.contains("alreadyprocessed") { return .alreadyProcessed }
        if words.firstMatch(of: #/\b0x1\b/#) != nil || words.contains("insufficient funds")
            || words.contains("insufficient lamports")
        {
            return .notEnoughFunds
        }
        if status == 401 { return .badSignature }
        return HTTPStatus.isServerError(status) ? .serverFailure : .other
    }

    /// True if the refusal proves that nothing was done. Only then does a change that was sent count as refused.
    ///
    /// The proof is one of these:
    /// - the server's own words with a 4xx or in a 2xx response;
    /// - with a 500, the words of a simulation in which the transaction failed before it was sent;
    /// - a node's error code for a transaction that it did not send.
    ///
    /// Any other refusal may come from an intermediary, or from the server after the change.
    var isFinal: Bool {
        let line = words.lowercased()
        guard !words.isEmpty, !Self.inVain.contains(where: line.contains) else { return false }
        return switch status {
        case ..<0: Self.unsent.contains(status)
        case 200...299: true
        // Proxy authentication, request timeout, too early, too many requests.
        case 407, 408, 425, 429: false
        case 400...499: true
        case 500:
            [.staleBlockhash, .notEnoughFunds, .alreadyProcessed].contains(reason) || line.contains("simulation failed")
        default: false
        }
    }

    /// The words of a server that sent a transaction and did not see it confirmed.
    private static let inVain = ["not confirmed", "timed out", "timeout", "time-out", "unknown if it"]

    /// The error codes of a node that has sent nothing: the simulation failed, the signature or the length is wrong,
    /// the node lags behind, or the version is unknown. JSON-RPC's codes for an invalid request belong to them.
    private static let unsent: Set<Int> = [
        -32_002, -32_003, -32_005, -32_013, -32_015, -32_016, -32_600, -32_601, -32_602, -32_700,
    ]

    /// A description in one line: the meaning and the server's words.
    public var description: String {
        let meaning =
            switch reason {
            case .notEnoughFunds: "the wallet has too little SOL for this"
            case .staleBlockhash: "the transaction is too old"
            case .alreadyProcessed: "the transaction was processed before"
            case .badSignature: "the server does not take the signature"
            case .emptyAccount: "the server failed; it does so for an account without files"
            case .serverFailure: "the server failed"
            case .inVain: "Solana carried the transaction out in vain, and nothing was changed"
            case .unconfirmed: "Solana has accepted the transaction, but has not confirmed it"
            case .other: "the server refused"
            }
        return "\(meaning) (\(status)\(words.isEmpty ? "" : ": \(words)"))"
    }
}

extension Unicode.GeneralCategory {
    fileprivate var isControl: Bool {
        self == .control || self == .format || self == .privateUse || self == .unassigned
    }
}

/// The reason why an operation of Shadow Drive failed.
public enum DriveError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No response arrived, or only a part of it.
    case connectivity(TransportError)
    /// The response does not match the API contract.
    case invalidData(InvalidData)
    /// The server or Solana refused.
    case refused(DriveRefusal)
    /// There is no such file.
    case noSuchFile(String)
    /// The request exceeds the limits and was not sent.
    case limit(LimitError)
    /// A file cannot be sent, or written.
    case file(FileError)
    /// The transaction is invalid and was not sent.
    case transaction(TransactionError)
    /// The price is not the one that the user confirmed. Nothing was sent. The cost in shades is `nil` if it is not known.
    case priceChanged(cost: UInt64?)
    /// There is no key pair to sign with.
    case noKeypair
    /// A result could not be saved, or a saved copy could not be read.
    case store(StoreError)
    /// The caller's task was cancelled.
    case cancelled
    /// A change was sent and its outcome is unknown, because no conclusive response arrived. The change is never resent
    /// automatically. Load the accounts to see the outcome. ``cause`` is the underlying error.
    ///
    /// A question never ends with this error. A request that failed before it was sent does not either.
    indirect case outcomeUnknown(because: DriveError)

    /// True if it is unknown whether the change happened.
    public var isOutcomeUnknown: Bool { if case .outcomeUnknown = self { true } else { false } }

    /// The underlying error, with or without a known outcome.
    public var cause: DriveError { if case .outcomeUnknown(let cause) = self { cause } else { self } }

    /// The error of a change that may have reached the server.
    var afterSending: DriveError {
        switch self {
        case .connectivity(let error) where error.kind == .timedOut || error.kind == .interrupted:
            .outcomeUnknown(because: self)
        case .invalidData(.unusable(let error)) where error.kind == .unsupportedURL: self
        case .invalidData, .cancelled: .outcomeUnknown(because: self)
        case .refused(let refusal) where !refusal.isFinal: .outcomeUnknown(because: self)
        default: self
        }
    }

    /// A description in one line.
    public var description: String {
        switch self {
        case .connectivity(let error): "no connectivity (\(error))"
        case .invalidData(let error): "invalid data (\(error))"
        case .refused(let refusal): "\(refusal)"
        case .noSuchFile(let location): "there is no file \(location)"
        case .limit(let error): "\(error)"
        case .file(let error): "\(error)"
        case .transaction(let error): "\(error)"
        case .priceChanged(let cost):
            "the price has changed: it costs \(cost.map(Shades.text) ?? "an unknown amount") now"
        case .noKeypair: "there is no key to sign with; make one, or name the one you have"
        case .store(let error): "\(error)"
        case .cancelled: "cancelled"
        case .outcomeUnknown(let cause): "\(cause); it may have happened all the same: look before you do it again"
        }
    }

    /// Creates the error of a failed transfer: it was cancelled, its response was incomplete, or its response does not
    /// match the contract.
    public init(_ error: TransportError) { self.init(LoadError(error)) }

    init(_ error: LoadError) {
        switch error {
        case .connectivity(let error): self = .connectivity(error)
        case .invalidData(.unusable(let error)) where error.kind == .unreadableBody:
            self = .file(.changed(name: error.detail))
        case .invalidData(let error): self = .invalidData(error)
        case .store(let error, _): self = .store(error)
        case .cancelled: self = .cancelled
        }
    }

    /// The error as the engine's loads report it.
    var loadError: LoadError {
        switch self {
        case .connectivity(let error): .connectivity(error)
        case .invalidData(let error): .invalidData(error)
        case .store(let error): .store(error, after: .invalidData)
        case .cancelled: .cancelled
        case .outcomeUnknown(let cause): cause.loadError
        // The saved copy does not stand in for what the server denies or does not have.
        case .refused(let refusal) where !FallbackPolicy.standard.allows(.invalidData(.status(refusal.status))):
            .invalidData(.status(refusal.status))
        case .refused, .noSuchFile, .limit, .file, .transaction, .priceChanged, .noKeypair:
            .invalidData(.body(description))
        }
    }
}
