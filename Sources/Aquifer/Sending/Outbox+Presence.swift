/// Senders that have died, as a store tells of them that knows who lives (``CacheStore/presence``).
extension Outbox {
    /// The time between two looks for senders that have died.
    private static var watch: Duration { .milliseconds(500) }

    /// Waits for work, and looks meanwhile for senders that have died.
    func rest(after heard: UInt64, atMost pause: Duration) async {
        var left = pause
        while let presence, left > .zero, !holders.isEmpty {
            let span = min(left, Self.watch)
            await work.wait(after: heard, atMost: span, on: policy.clock)
            guard work.rings == heard, !Task.isCancelled else { return }
            left -= span
            if await findGone(presence) { return }
        }
        if left > .zero { await work.wait(after: heard, atMost: left, on: policy.clock) }
    }

    /// Finds the senders that have died: their claims count for nothing.
    ///
    /// - Returns: true if there is one that was not known.
    @discardableResult
    func findGone(_ presence: any StorePresence) async -> Bool {
        let holders = holders
        if holders.isEmpty { return false }
        // If it cannot be known now, the time of a claim decides.
        guard let gone = try? await presence.gone(among: holders) else { return false }
        defer { index.gone = gone }
        return !gone.isSubset(of: index.gone)
    }

    /// The instances of the store by which others have claimed items.
    private var holders: Set<String> {
        Set(index.rows.values.lazy.compactMap { $0.head?.lease }.filter { $0.owner != self.owner }.compactMap(\.holder))
    }
}
