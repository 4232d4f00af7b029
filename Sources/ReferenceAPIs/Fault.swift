/// The remotes of the contracts in `reference/`.
public enum ReferenceRemote: String, Sendable, Hashable, CaseIterable {
    /// The image feed.
    case feed
    /// Contacts and payments.
    case payments
    /// Phrases.
    case foaas
}

/// What is wrong with a remote, on demand.
public enum Fault: String, Sendable, Hashable, CaseIterable {
    /// Nothing.
    case none = "online"
    /// Connections are cut before any answer.
    case offline
    /// Every answer takes its time; pictures trickle.
    case slow
    /// Every answer is 503, and nothing is done.
    case failing
    /// Every answer is 200, and not what the contract says; what was asked for is done.
    case garbage
    /// Every body ends early; what was asked for is done.
    case cut
    /// A payment is made, and the connection is cut before its answer; whatever else is asked is answered. For remotes
    /// that charge nothing it is ``cut``.
    case answerLost = "answer-lost"
}

/// How a remote's transfers ended.
public struct TransferCounts: Sendable, Hashable, Codable {
    /// Being answered now.
    public var active = 0
    /// Answered whole.
    public var completed = 0
    /// Ended by the client, or by a fault, before the answer was whole.
    public var cut = 0

    /// None yet.
    public init() {}
}
