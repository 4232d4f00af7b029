import AquiferConcurrency
import AquiferFoundation

/// A value with the changes in it.
extension ChangeQueue {
    /// The outcome of laying changes over a value, for the next time.
    struct Memo: Sendable {
        let base: UInt64
        /// The changes that were applied, by their generation.
        var applied: [UInt64]
        var value: Value
        /// The reasons why changes did not apply, by their number.
        var obstacles: [UInt64: String]
    }

    /// After this time, a load that begins later shows a confirmed change in any case.
    static var patience: TimeInterval { 60 }
    /// For this time a confirmed change stays in the outbox although the saved value shows it: an older answer that is still on its
    /// way may replace the value.
    static var grace: TimeInterval { 300 }

    /// A newer value waits for the answer to a creation for this time.
    static var hold: Duration { .seconds(5) }

    /// The value for followers: that of before while a creation is being sent, and else this one. Nobody who comes after all others
    /// have left has seen one of before.
    private func followed(_ new: Overlay<Value>.Base, _ entries: [Entry]) -> Overlay<Value>.Base {
        guard new.number != nil else { return new }
        let creation = creationUnderWay(entries)
        return last.withLock { last in
            // A value that was denied or deleted is not shown any longer.
            if let creation, creation != last.released, new.loaded != nil, let before = last.followed,
                before.loaded != nil, before.followers == new.followers, before.number != new.number
            {
                if last.held?.creation != creation { last.held = (creation, holdAlarm(creation)) }
                return before
            }
            last.held = nil
            last.followed = new
            return new
        }
    }

    private func creationUnderWay(_ entries: [Entry]) -> UInt64? {
        entries.first { $0.change?.isCreation == true && $0.isBeingSent }?.number
    }

    /// True while followers may be shown an older value than the last one: that one's changes are still needed.
    func isHolding(_ entries: [Entry]) -> Bool {
        guard let creation = creationUnderWay(entries) else { return false }
        return last.withLock { $0.released != creation }
    }

    private func holdAlarm(_ creation: UInt64) -> StoreObservation {
        Alarm.after(Self.hold, on: outbox.policy.clock) { [weak self] in
            self?.last.withLock { $0.released = creation }
            self?.changes.post(.everything)
        }
    }

    /// The state with the changes in it.
    func lay(over new: Overlay<Value>.Base) -> Loaded<Value>? {
        let (entries, facts, trouble) = state.withLock { ($0.entries, $0.facts, $0.trouble) }
        let now = cache.time
        let base = followed(new, entries)
        let settled = settled(entries, in: base.loaded?.value, askedAt: base.askedAt, now: now)
        let shown = entries.filter { entry in
            if settled.contains(entry.number) { return false }
            // The server denies what it has; the changes that it does not have are the user's.
            if base.isDenied, entry.confirmedAt != nil { return false }
            // A confirmed change is the server's: without a copy to lie over, it expires as one.
            guard base.loaded == nil, let at = entry.confirmedAt else { return true }
            return cache.policy.isFresh(at, at: now)
        }
        return last.withLock { last in
            // A load that failed says nothing of the value that followers are shown.
            if base.loaded != nil || base.number != nil {
                (last.base, last.askedAt, last.settled) = (base.loaded?.value, base.askedAt, settled)
            }
            var loaded = base.loaded
            if shown.isEmpty {
                last.obstacles = [:]
            } else {
                let (value, obstacles) = apply(shown, base, &last.memo)
                last.obstacles = obstacles
                loaded =
                    base.loaded.map { $0.map { _ in value } }
                    ?? Loaded(value, source: .pendingOnly(because: base.failure))
                loaded?.pending = pending(shown, obstacles)
            }
            loaded?.pendingError = trouble
            last.shown = loaded?.value
            loaded?.seen = SeenState(
                base: base.loaded?.value, shown: last.shown, facts: facts, ahead: ahead(shown, settled))
            return loaded
        }
    }

    /// The saved copy, with the changes laid over it.
    func saved(_ saved: Loaded<Value>?) async throws(StoreError) -> Loaded<Value>? {
        try await read(anew: true)
        return lay(over: Overlay.Base(loaded: saved, askedAt: await askedAt(saved)))
    }

    /// Loads, and lays the changes over what was loaded.
    func load(_ load: () async throws(LoadError) -> Loaded<Value>) async throws(LoadError) -> Loaded<Value> {
        await readBeforeLoad()
        let began = cache.time
        let loaded: Loaded<Value>
        do throws(LoadError) { loaded = try await load() } catch {
            guard let reason = error.reason else { throw error }
            try await readForLoad(after: reason)
            // There is no copy, for certain: one that cannot be read now is not shown as none.
            let isMissing =
                switch error {
                case .connectivity, .invalidData: error.trouble != .denied && error.trouble != .missing
                case .store, .cancelled: false
                }
            guard isMissing, var alone = lay(over: Overlay.Base(loaded: nil, askedAt: nil))
            else { throw error }
            alone.source = .pendingOnly(because: error)
            return alone
        }
        // After the load: changes of the meantime are shown, too. If they cannot be read now, the value says so.
        await readKnown(anew: true)
        if case .ended(let scope)? = state.withLock({ $0.trouble }) { throw .ended(scope) }
        let askedAt = loaded.savedAt == nil && loaded.source == .remote ? began : await askedAt(loaded)
        let shown = lay(over: Overlay.Base(loaded: loaded, askedAt: askedAt))
        await settle()
        return shown ?? loaded
    }

    /// What is confirmed now was confirmed before this load, whatever a wrong clock has said.
    private func readBeforeLoad() async {
        // A queue that cannot be read now is read after the load, which tells.
        try? await prepare()
        let now = cache.time
        state.withLock { $0.settleClock(at: now) }
    }

    /// Without a value of the server, the changes are all that there is to show.
    private func readForLoad(after reason: FallbackReason) async throws(LoadError) {
        do throws(StoreError) { try await read(anew: true) } catch {
            if case .ended(let scope) = error { throw .ended(scope) }
            throw .store(error, after: reason)
        }
    }

    /// The time when a saved value was asked for; `nil` if another one is saved by now.
    private func askedAt(_ loaded: Loaded<Value>?) async -> Date? {
        // Without it, confirmed changes stay over the value.
        guard let savedAt = loaded?.savedAt, let entry = try? await cache.entry(), entry.savedAt == savedAt else {
            return nil
        }
        return entry.askedAt
    }

    /// The changes that wait, as they were last laid over a value.
    func pending() -> [(item: PendingItem, change: Change)] {
        let entries = state.withLock { $0.entries.filter { $0.confirmedAt == nil } }
        let obstacles = last.withLock { $0.obstacles }
        return zip(pending(entries, obstacles), entries).compactMap { item, entry in
            entry.change.map { (item, $0) }
        }
    }

    private func pending(_ entries: [Entry], _ obstacles: [UInt64: String]) -> [PendingItem] {
        var refused: [StoreKey: Outbox.ID] = [:]
        var items: [PendingItem] = []
        for entry in entries where entry.confirmedAt == nil {
            let group = entry.head.group ?? ""
            items.append(
                PendingItem(
                    id: entry.id, target: serverID(of: entry.record.target), label: entry.head.label,
                    state: entry.sending, length: entry.head.length, madeAt: entry.head.queuedAt,
                    obstacle: obstacles[entry.number], heldBackBy: refused[group],
                    canBeEdited: entry.head.reasonToStay(mayBeRefused: true, mayBeTried: false) == nil))
            if entry.head.refusal != nil, refused[group] == nil { refused[group] = entry.id }
        }
        return items
    }

    // MARK: Applying

    /// Applies changes to a value, or only those that came since the last time.
    private func apply(
        _ entries: [Entry], _ base: Overlay<Value>.Base, _ memo: inout Memo?
    ) -> (Value, [UInt64: String]) {
        let generations = entries.map(\.generation)
        var known = 0
        var (value, obstacles) = (base.loaded?.value ?? empty, [UInt64: String]())
        if let memo, let number = base.number, memo.base == number, generations.starts(with: memo.applied) {
            (value, obstacles, known) = (memo.value, memo.obstacles, memo.applied.count)
        }
        // The value is changed in place: nothing else may hold it meanwhile.
        if base.number != nil { memo = nil }
        Self.apply(entries[known...], to: &value, &obstacles)
        if let number = base.number {
            memo = Memo(base: number, applied: generations, value: value, obstacles: obstacles)
        }
        return (value, obstacles)
    }

    private static func apply(_ entries: ArraySlice<Entry>, to value: inout Value, _ obstacles: inout [UInt64: String])
    {
        // A change that throws may have changed a part of the value: it is restored from here. A copy costs the whole value, so
        // that copies get rarer as long as all goes well, and restoring costs few changes where it does not.
        var checkpoint = value
        var since: [(Change, Bool)] = []
        var interval = 64
        for entry in entries {
            guard let change = entry.change else {
                obstacles[entry.number] = "it cannot be read by this version"
                continue
            }
            if since.count >= interval {
                (checkpoint, since) = (value, [])
                interval *= 2
            }
            do {
                try change.apply(to: &value, wasTried: entry.wasTried)
                since.append((change, entry.wasTried))
            } catch {
                obstacles[entry.number] = "\(error)".harmless
                interval = max(interval / 2, 64)
                value = checkpoint
                // They have applied to this very value before.
                for (earlier, wasTried) in since { try? earlier.apply(to: &value, wasTried: wasTried) }
            }
        }
    }
}
