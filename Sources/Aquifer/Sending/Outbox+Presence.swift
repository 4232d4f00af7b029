import AquiferFoundation

/// Senders that have died, as a store tells of them that knows who lives (``CacheStore/presence``).
extension Outbox {
    /// The knowledge of the store about who lives.
    nonisolated var presence: (any StorePresence)? { shelf.store.presence }

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
        guard let gone = try? await presence.gone(among: holders) else {
            index.holders.living = []
            return false
        }
        defer { index.holders = ClaimHolders(gone: gone, living: holders.subtracting(gone)) }
        return !gone.isSubset(of: index.holders.gone)
    }

    /// Asks whether the sender of an item lives, before the item is taken over: its clock may be another one.
    func lookForSender(of number: UInt64) async {
        guard let presence, let lease = index.rows[number]?.head?.lease, lease.owner != owner,
            let holder = lease.holder, !index.holders.gone.contains(holder)
        else { return }
        await findGone(presence)
    }

    /// The instances of the store by which others have claimed items.
    private var holders: Set<String> {
        Set(index.rows.values.lazy.compactMap { $0.head?.lease }.filter { $0.owner != self.owner }.compactMap(\.holder))
    }
}

/// The instances of a store by which others have claimed items, as far as is known who lives.
struct ClaimHolders: Sendable {
    /// Those that have gone: their claims count for nothing.
    var gone: Set<String> = []
    /// Those that lived when the store was asked last.
    var living: Set<String> = []

    /// The seconds for which a claim counts; `nil` if it does not.
    ///
    /// The clock of an instance that lives may differ from this machine's by any time, so that the dates of its claims tell nothing: a claim
    /// ends when it was not renewed for its time, by the clock of the one who waits for it.
    ///
    /// - Parameter unchanged: the time for which the claim has been known as it is, by a clock that nobody sets.
    func left(of lease: OutboxRecord.Lease, _ now: Date, unchanged: Duration) -> TimeInterval? {
        let left = lease.span.left(now)
        guard let holder = lease.holder else { return left }
        if gone.contains(holder) { return nil }
        guard living.contains(holder) else { return left }
        let longest = max(left ?? 0, lease.span.seconds - unchanged.timeInterval)
        return longest > 0 ? longest : nil
    }
}

extension SendPolicy {
    /// The time since this call, by the policy's clock.
    func stopwatch() -> @Sendable () -> Duration { Self.stopwatch(clock) }

    private static func stopwatch<C: Clock>(_ clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
