/// The parts of an event, in the same form for each, as logs and metrics want them.
extension AquiferEvent {
    /// The name of the event: `asked`, `answered`, `saved`, `stoodIn`, `updated`, `evicted`, `queued`, `sent`, `refused`.
    public var name: String {
        switch self {
        case .asked: "asked"
        case .answered: "answered"
        case .saved: "saved"
        case .stoodIn: "stoodIn"
        case .updated: "updated"
        case .evicted: "evicted"
        case .queued: "queued"
        case .sent: "sent"
        case .refused: "refused"
        }
    }

    /// The class of its key.
    public var keyClass: KeyClass {
        switch self {
        case .asked(let keyClass), .answered(let keyClass, _, _, _), .saved(let keyClass, _, _),
            .stoodIn(let keyClass, _, _), .updated(let keyClass, _, _), .evicted(let keyClass, _),
            .queued(let keyClass, _),
            .sent(let keyClass, _, _),
            .refused(let keyClass, _, _):
            keyClass
        }
    }

    /// The time that it took; `nil` if it has no duration.
    public var milliseconds: Int? {
        switch self {
        case .answered(_, let milliseconds, _, _), .saved(_, let milliseconds, _), .sent(_, let milliseconds, _),
            .refused(_, let milliseconds, _):
            milliseconds
        case .asked, .stoodIn, .updated, .evicted, .queued: nil
        }
    }

    /// The number of bytes; `nil` if it has none.
    public var bytes: Int? {
        switch self {
        case .answered(_, _, let bytes, _), .saved(_, _, let bytes), .evicted(_, let bytes), .queued(_, let bytes),
            .sent(_, _, let bytes):
            bytes
        case .asked, .stoodIn, .updated, .refused: nil
        }
    }

    /// The trouble with the remote, if there was any.
    public var trouble: RemoteTrouble? {
        switch self {
        case .answered(_, _, _, let trouble), .stoodIn(_, _, let trouble): trouble
        case .asked, .saved, .updated, .evicted, .queued, .sent, .refused: nil
        }
    }

    /// The age of the saved copy that was delivered; `nil` if none was.
    public var age: Duration? {
        switch self {
        case .stoodIn(_, let age, _): age
        case .updated(_, _, let age): age
        default: nil
        }
    }
}

extension AquiferEvent: CustomStringConvertible {
    /// One line for developers: `answered feed: 21 ms, 3400 bytes`.
    public var description: String {
        var facts: [String] = []
        if let milliseconds { facts.append("\(milliseconds) ms") }
        if let bytes { facts.append("\(bytes) bytes") }
        if case .updated(_, let cause, _) = self { facts.append(cause.rawValue) }
        if let age { facts.append("\(age.components.seconds) s old") }
        if case .refused(_, _, let status?) = self { facts.append("status \(status)") }
        if let trouble { facts.append(trouble.rawValue) }
        return facts.isEmpty ? "\(name) \(keyClass)" : "\(name) \(keyClass): \(facts.joined(separator: ", "))"
    }
}
