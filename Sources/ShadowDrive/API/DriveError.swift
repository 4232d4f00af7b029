import Aquifer
import Foundation

/// What the server, or Solana, said no with.
public struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// What it means, as far as it can be told.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// Solana's `0x1`: the wallet has too little SOL (or SHDW) for it.
        case notEnoughFunds
        /// The transaction's blockhash is too old, or not known.
        case staleBlockhash
        /// The server does not take the signature (401).
        case badSignature
        /// The server failed to list an account: so it does when there is nothing in it.
        case emptyAccount
        /// The server failed (5xx).
        case serverFailure
        /// Anything else.
        case other
    }

    /// The status of the answer; that of Solana's JSON-RPC is a negative code.
    public let status: Int
    /// The server's words: one line of at most ``wordsLimit`` letters; empty if it said nothing that can be read.
    public let words: String
    /// What it means.
    public let reason: Reason

    /// The most letters of a server that are repeated.
    public static let wordsLimit = 300

    /// A refusal in these words.
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
        if words.firstMatch(of: #/\b0x1\b/#) != nil || words.contains("insufficient funds")
            || words.contains("insufficient lamports")
        {
            return .notEnoughFunds
        }
        if status == 401 { return .badSignature }
        return (500...599).contains(status) ? .serverFailure : .other
    }

    /// One line: what it means, and the server's words.
    public var description: String {
        let meaning =
            switch reason {
            case .notEnoughFunds: "the wallet has too little SOL for this"
            case .staleBlockhash: "the transaction is too old"
            case .badSignature: "the server does not take the signature"
            case .emptyAccount: "the server failed; it does so for an account without files"
            case .serverFailure: "the server failed"
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

/// Why something with Shadow Drive did not work.
public enum DriveError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No answer came, or not the whole of it.
    case connectivity(TransportError)
    /// An answer came that is not what the contract says.
    case invalidData(InvalidData)
    /// The server, or Solana, said no.
    case refused(Refusal)
    /// There is no such file.
    case noSuchFile(String)
    /// It is beyond the limits, and was not sent.
    case limit(LimitError)
    /// A file cannot be sent, or written.
    case file(FileError)
    /// The transaction is not what it should be, and was not sent.
    case transaction(TransactionError)
    /// There is no key pair to sign with.
    case noKeypair
    /// What was loaded or made could not be saved, or a saved copy not be read.
    case store(StoreError)
    /// The caller's task was cancelled.
    case cancelled
    /// What was to change something was sent, and it is not known whether it did: no answer came, or none that makes
    /// sense. It is never sent again by itself: load the accounts to see. ``cause`` says what went wrong.
    ///
    /// Questions never end so, nor does what failed before it was sent.
    indirect case outcomeUnknown(because: DriveError)

    /// Whether it is not known if what was asked for happened.
    public var isOutcomeUnknown: Bool { if case .outcomeUnknown = self { true } else { false } }

    /// What went wrong, whether or not it is known what came of it.
    public var cause: DriveError { if case .outcomeUnknown(let cause) = self { cause } else { self } }

    /// The same for a request that was to change something, once it may have reached the server.
    var afterSending: DriveError {
        switch self {
        case .connectivity(let error) where error.kind == .timedOut || error.kind == .interrupted:
            .outcomeUnknown(because: self)
        case .invalidData(.unusable(let error)) where error.kind == .unsupportedURL: self
        case .invalidData, .cancelled: .outcomeUnknown(because: self)
        // A gateway gave up on the server, which has said nothing.
        case .refused(let refusal) where [502, 504].contains(refusal.status) && refusal.words.isEmpty:
            .outcomeUnknown(because: self)
        default: self
        }
    }

    /// One line.
    public var description: String {
        switch self {
        case .connectivity(let error): "no connectivity (\(error))"
        case .invalidData(let error): "invalid data (\(error))"
        case .refused(let refusal): "\(refusal)"
        case .noSuchFile(let location): "there is no file \(location)"
        case .limit(let error): "\(error)"
        case .file(let error): "\(error)"
        case .transaction(let error): "\(error)"
        case .noKeypair:
            "there is no key to sign with; make one with `aquifer drive keygen FILE`, or name one with --keypair"
        case .store(let error): "\(error)"
        case .cancelled: "cancelled"
        case .outcomeUnknown(let cause): "\(cause); it may have happened all the same: look before you do it again"
        }
    }

    /// What a failed transfer means: one that was cancelled, one without a whole answer, or one with another answer than
    /// the contract's.
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

    /// As the engine's loads tell it.
    var loadError: LoadError {
        switch self {
        case .connectivity(let error): .connectivity(error)
        case .invalidData(let error): .invalidData(error)
        case .store(let error): .store(error, after: .invalidData)
        case .cancelled: .cancelled
        case .outcomeUnknown(let cause): cause.loadError
        case .refused, .noSuchFile, .limit, .file, .transaction, .noKeypair: .invalidData(.body(description))
        }
    }
}

/// Why a file cannot be sent or written.
public enum FileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It is not there, or is not a file.
    case unreadable(name: String, reason: String)
    /// It has so many bytes.
    case tooLarge(name: String, bytes: UInt64)
    /// It cannot be called so.
    case badName(name: String, reason: String)
    /// Another one of the same upload has its name.
    case repeated(name: String)
    /// It was changed while it was read.
    case changed(name: String)
    /// It could not be written.
    case unwritable(path: String, reason: String)

    /// One line.
    public var description: String {
        switch self {
        case .unreadable(let name, let reason): "\(name): \(reason)"
        case .tooLarge(let name, let bytes):
            "\(name) has \(StorageSize.text(bytes)), and \(StorageSize.text(ShadowDriveLimits.fileBytes)) are the most"
        case .badName(let name, let reason): "\"\(name)\" cannot be a file's name: \(reason)"
        case .repeated(let name): "\(name) is there twice"
        case .changed(let name): "a file was changed while it was sent (\(name))"
        case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)"
        }
    }
}
