/// The remotes of the contracts in `docs/reference/`.
public enum ReferenceRemote: String, Sendable, Hashable, CaseIterable {
    /// The image feed.
    case feed
    /// Contacts and payments.
    case payments
    /// Phrases.
    case foaas
    /// Clips of sound, to be heard and to be posted.
    case audio
    /// Storage accounts and their files, with a Solana node.
    case drive
}

/// The faults that a remote shows on demand.
public enum Fault: Sendable, Hashable {
    /// The remote works.
    case none
    /// Connections are cut before any answer.
    case offline
    /// Every answer is late. Pictures and clips are sent slowly, and posted bodies are read slowly.
    case slow
    /// Every answer is 503. No request is carried out.
    case failing
    /// Every answer is 200, with a body that breaks the contract. Requests are carried out.
    case garbage
    /// Every body ends early. Requests are carried out.
    case cut
    /// A posted request is carried out (a payment made, a clip saved), and the connection is cut before its answer.
    /// Every other request is answered. For remotes that nothing is posted to it is ``cut``.
    case answerLost
    /// Every body ends after exactly this many bytes; a body that is no longer is whole. Requests are carried out. A
    /// range counts from its own start: a client that resumes at the cut gets as many bytes again.
    case cutAt(UInt64)
    /// The next transaction is refused because of its blockhash, as if it were too old; the one after it is taken. For
    /// remotes without transactions it is ``none``.
    case staleBlockhash
}

extension Fault: RawRepresentable, CaseIterable {
    /// Every fault but ``cutAt(_:)``, of which there are too many.
    public static var allCases: [Fault] {
        [.none, .offline, .slow, .failing, .garbage, .cut, .answerLost, .staleBlockhash]
    }

    /// The written forms of faults: the names, and `cut-at:BYTES`.
    public static var forms: [String] { allCases.map(\.rawValue) + ["cut-at:BYTES"] }

    /// The fault of this name: `offline`, `cut-at:5000`.
    public init?(rawValue: String) {
        if let fault = Self.allCases.first(where: { $0.rawValue == rawValue }) {
            self = fault
            return
        }
        let parts = rawValue.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "cut-at", parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let bytes = UInt64(parts[1])
        else { return nil }
        self = .cutAt(bytes)
    }

    /// The name, as ``init(rawValue:)`` reads it.
    public var rawValue: String {
        switch self {
        case .none: "online"
        case .offline: "offline"
        case .slow: "slow"
        case .failing: "failing"
        case .garbage: "garbage"
        case .cut: "cut"
        case .answerLost: "answer-lost"
        case .cutAt(let bytes): "cut-at:\(bytes)"
        case .staleBlockhash: "stale-blockhash"
        }
    }
}

/// The counts of a remote's transfers by their end.
public struct TransferCounts: Sendable, Hashable, Codable {
    /// The transfers that are being answered now.
    public var active = 0
    /// The transfers that were answered whole.
    public var completed = 0
    /// The transfers that the client or a fault ended before the answer was whole.
    public var cut = 0

    /// No transfers yet.
    public init() {}
}
