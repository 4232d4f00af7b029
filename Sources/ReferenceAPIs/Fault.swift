/// The remotes of the contracts in `reference/`.
public enum ReferenceRemote: String, Sendable, Hashable, CaseIterable {
    /// The image feed.
    case feed
}

/// What is wrong with a remote, on demand.
public enum Fault: String, Sendable, Hashable, CaseIterable {
    /// Nothing.
    case none = "online"
    /// Connections are cut before any answer.
    case offline
    /// Every answer takes its time; pictures trickle.
    case slow
    /// Every answer is 503.
    case failing
    /// Every answer is 200, and not what the contract says.
    case garbage
    /// Every body ends early.
    case cut
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
