import AquiferFoundation

/// The state that a user looks at when making a change: the change is sent over the versions in it.
struct SeenState<Value: Sendable>: Sendable {
    /// The value of the server, without the changes; `nil` if there was none.
    let base: Value?
    /// The value as it was shown; `nil` if nothing was.
    let shown: Value?
    /// The facts about each target that were known then.
    let facts: [StoreKey: OutboxChange.Facts]
    /// The targets of confirmed changes that the server's value did not have yet: they are newer than it.
    let ahead: Set<StoreKey>
}

/// Two states that show the same are equal, whatever was known beside them.
extension SeenState: Equatable {
    static func == (one: SeenState, other: SeenState) -> Bool { true }
}

extension ChangeQueue {
    /// The state that the user has seen: the given one, or else the latest.
    func seen(_ loaded: Loaded<Value>?) async -> SeenState<Value> {
        if let seen = loaded?.seen { return seen }
        let base = await base()
        // Only confirmed ones tell anything here: thousands that wait are passed over.
        let (entries, facts) = state.withLock { ($0.hasConfirmed ? $0.entries : [], $0.facts) }
        let (shown, askedAt) = last.withLock { ($0.shown, $0.askedAt) }
        let settled = settled(entries, in: base, askedAt: askedAt, now: cache.time)
        return SeenState(base: base, shown: shown, facts: facts, ahead: ahead(entries, settled))
    }

    /// The targets of confirmed changes that a value does not show by itself.
    func ahead(_ entries: [Entry], _ settled: Set<UInt64>) -> Set<StoreKey> {
        Set(
            entries.lazy.filter { $0.confirmedAt != nil && !settled.contains($0.number) }.map {
                StoreKey($0.record.target)
            })
    }

    /// The version of a change's target in a state.
    func version(of change: Change, in seen: SeenState<Value>) -> String? {
        let target = identity(of: change.target)
        let (facts, shown) = (seen.facts[target], seen.base.flatMap { change.version(in: $0) })
        guard let facts, let shown else { return shown ?? facts?.version }
        // What was confirmed over a version of somebody else's shows nothing of that one.
        let isAhead = seen.ahead.contains(StoreKey(target)) && (facts.version == nil || facts.versions.contains(shown))
        return isAhead ? facts.version : shown
    }

    /// The value that the server said last, as far as is known here.
    private func base() async -> Value? {
        if let known = last.withLock({ $0.base }) { return known }
        // A copy that cannot be read names no version.
        guard let saved = try? await cache.load() else { return nil }
        return last.withLock { last in
            last.base = last.base ?? saved.value
            last.shown = last.shown ?? saved.value
            return last.base
        }
    }
}
