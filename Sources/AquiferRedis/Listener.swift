import Aquifer
import AquiferConcurrency

/// A connection that is told of the changes of others. For who has the loop's turn.
final class Listener: @unchecked Sendable {
    /// The channels of changes, and of the ends of leases.
    let (channel, leaseChannel): (String, String)
    /// Returns false if the message is this store's own.
    private let onMessage: @Sendable (Message) -> Bool
    /// When to look again for what arrives; `nil` for at once. Where a store hears only itself, one look for many messages is enough.
    private(set) var restsUntil: ContinuousClock.Instant?
    /// The time by which a change of another store comes later at most.
    private static let rest = Duration.milliseconds(1)
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

    init(channel: String, leaseChannel: String, onMessage: @escaping @Sendable (Message) -> Bool) {
        (self.channel, self.leaseChannel) = (channel, leaseChannel)
        self.onMessage = onMessage
    }

    func resume(_ link: Link) {
        (self.link, hasBegun, retryAt) = (link, true, nil)
        _ = onMessage(.resumed)
        tell(at: .now)
    }

    /// Ends the rest when its time has come.
    func rest(at now: ContinuousClock.Instant) {
        if let moment = restsUntil, moment <= now { restsUntil = nil }
    }

    /// Reads what has arrived.
    ///
    /// - Returns: false if the connection has broken.
    func receive(at now: ContinuousClock.Instant) -> Bool {
        guard let link, link.receive() else { return false }
        tell(at: now)
        return true
    }

    private func tell(at now: ContinuousClock.Instant) {
        guard let link else { return }
        var (hearsItself, hearsOthers) = (false, false)
        defer { restsUntil = hearsItself && !hearsOthers ? now + Self.rest : nil }
        for case .list(let words) in link.messages where words.count == 3 && words[0].text == "message" {
            let isOthers = onMessage(
                words[1].text == leaseChannel ? .leaseEnded(words[2].text) : .told(words[2].text))
            (hearsItself, hearsOthers) = (hearsItself || !isOthers, hearsOthers || isOthers)
        }
        link.messages = []
    }
}

extension Listener.Message {
    /// True if this store has sent it, so that its observers were told before. Nobody else need wake up for it.
    func isOwn(_ instance: String) -> Bool {
        switch self {
        case .told(let text), .leaseEnded(let text): ToldChange.isOwn(text, of: instance)
        case .resumed: false
        }
    }

    /// True if it tells a change whose caller could not learn whether it was made: nobody here was told since. It is in doubt no more then.
    func isDoubted(in doubts: DoubtfulChanges) -> Bool {
        guard case .told(let text) = self, !doubts.isEmpty else { return false }
        guard let change = ToldChange.change(text, to: "") else { return false }
        return doubts.remove(change)
    }

    /// Tells observers what it says, unless it is the instance's own.
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
