import Aquifer
import Foundation

/// Counts what waits to be sent, in one outbox or in those of all users.
///
/// One count at a time serves all who ask, and nobody waits longer than ``patience``: many users with much to send, or a store that
/// hangs, hold no request up and pile nothing up.
actor OutboxCensus {
    /// The longest that anybody waits for a count.
    static let patience = Duration.seconds(2)

    /// The numbers that were counted.
    struct Counts: Sendable {
        var states: [String: Int] = ["waiting": 0, "sending": 0, "paused": 0, "refused": 0, "damaged": 0]
        /// The time at which the oldest item was queued that is to be sent.
        var oldest: Date?
        /// The number of outboxes that have something to send.
        var senders = 0
    }

    private let outboxes: @Sendable () async -> [Outbox]
    private let patience: Duration
    private var running: Task<Counts?, Never>?

    /// - Parameter outboxes: gives the outboxes that may have items.
    init(patience: Duration = patience, _ outboxes: @escaping @Sendable () async -> [Outbox]) {
        (self.outboxes, self.patience) = (outboxes, patience)
    }

    /// The count now; `nil` if it takes too long, or an outbox cannot be read: a part would look like the whole.
    func counts() async -> Counts? {
        let task = running ?? Task { await counted() }
        running = task
        return await firstWithin(patience) { await task.value } ?? nil
    }

    private func counted() async -> Counts? {
        defer { running = nil }
        var counts = Counts()
        for outbox in await outboxes() {
            do throws(StoreError) { counts.add(try await outbox.items()) } catch { return nil }
        }
        return counts
    }
}

extension OutboxCensus.Counts {
    fileprivate mutating func add(_ items: [Outbox.Item]) {
        for item in items { states[item.state.label, default: 0] += 1 }
        let waiting = items.filter { ["waiting", "sending"].contains($0.state.label) }
        guard let first = waiting.map(\.queuedAt).min() else { return }
        senders += 1
        oldest = min(oldest ?? first, first)
    }

    /// Adds all of it to a text.
    ///
    /// - Parameter hasUsers: true if the outboxes are those of users.
    func write(to text: inout OpenMetricsText, at now: Date, hasUsers: Bool) {
        text.family("aquifer_outbox_items", .gauge, "Items in the queue, of all processes and users that share it.")
        for (state, count) in states.sorted(by: { $0.key < $1.key }) { text.sample(count, [("state", state)]) }
        text.family(
            "aquifer_outbox_oldest_seconds", .gauge, "The age of the oldest item that is to be sent; 0 without one.")
        text.sample(oldest.map { max(0, now.timeIntervalSince($0)) } ?? 0)
        guard hasUsers else { return }
        text.family("aquifer_outbox_users", .gauge, "Users who have something that is to be sent.")
        text.sample(senders)
    }
}

extension Outbox.State {
    /// The state in one word of five.
    fileprivate var label: String {
        switch self {
        case .waiting, .retrying: "waiting"
        case .sending, .sendingElsewhere: "sending"
        case .paused: "paused"
        case .refused: "refused"
        case .damaged: "damaged"
        // These have left the queue, and are in no list of it.
        case .sent, .gone: "sending"
        }
    }
}
