import Aquifer

/// A connection that is told of the changes of others. For the loop's thread.
final class Listener: @unchecked Sendable {
    /// The channels of changes, and of the ends of leases.
    let (channel, leaseChannel): (String, String)
    private let onMessage: @Sendable (Message) -> Void
    var link: Link?
    /// True after the first connection.
    var hasBegun = false
    /// When to try to connect again; `nil` while connected or connecting.
    var retryAt: ContinuousClock.Instant?

    enum Message: Sendable {
        /// The text that another store sent with its change.
        case told(String)
        /// The text that another store sent with the end of a lease.
        case leaseEnded(String)
        /// It listens from now on. It did not hear what happened before.
        case resumed
    }

    init(channel: String, leaseChannel: String, onMessage: @escaping @Sendable (Message) -> Void) {
        (self.channel, self.leaseChannel) = (channel, leaseChannel)
        self.onMessage = onMessage
    }

    func resume(_ link: Link) {
        (self.link, hasBegun, retryAt) = (link, true, nil)
        onMessage(.resumed)
        tell()
    }

    /// Reads what has arrived.
    ///
    /// - Returns: false if the connection has broken.
    func receive() -> Bool {
        guard let link, link.receive() else { return false }
        tell()
        return true
    }

    private func tell() {
        guard let link else { return }
        for case .list(let words) in link.messages where words.count == 3 && words[0].text == "message" {
            onMessage(words[1].text == leaseChannel ? .leaseEnded(words[2].text) : .told(words[2].text))
        }
        link.messages = []
    }
}

extension Listener.Message {
    /// True if this store has sent it, so that its observers were told before. Nobody else need wake up for it.
    func isOwn(_ instance: String) -> Bool {
        switch self {
        case .told(let text), .leaseEnded(let text): ToldChange.change(text, to: instance) == nil
        case .resumed: false
        }
    }

    /// Tells observers what it says.
    func pass(from instance: String, to changes: StoreChanges, _ leaseEnds: StoreChanges) {
        switch self {
        case .told(let text): if let change = ToldChange.change(text, to: instance) { changes.post(change) }
        case .leaseEnded(let text):
            if let change = ToldChange.change(text, to: instance) { leaseEnds.post(change) }
        case .resumed:
            changes.post(.everything)
            leaseEnds.post(.everything)
        }
    }
}
