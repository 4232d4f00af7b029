import AquiferFoundation

/// Confirmed changes, from the answer until a load shows them.
extension ChangeQueue {
    /// The confirmed changes that a value shows by itself. A change whose predecessor is not shown is not shown either.
    ///
    /// It remembers which request has first shown a change (``Last/shownAt``).
    func settled(_ entries: [Entry], in value: Value?, askedAt: Date?, now: Date) -> Set<UInt64> {
        guard let value else { return [] }
        // A change of the saved value here takes nothing from what it has, and adds nothing of the server's.
        let isChangedHere = askedAt == StoredEntry.changedHere
        let before = isChangedHere ? last.withLock { $0.settled } : []
        // A moment in the future is that of a clock which was set back since: it tells nothing.
        let askedAt = askedAt.flatMap { $0 <= now ? $0 : nil } ?? .distantPast
        var (settled, unsettled) = (Set<UInt64>(), Set<StoreKey>())
        for entry in entries {
            guard let at = entry.confirmedAt, !unsettled.contains(StoreKey(entry.record.target)) else { continue }
            if before.contains(entry.number) {
                settled.insert(entry.number)
                continue
            }
            let isShown: Bool
            switch entry.change?.isShown(in: value) {
            case true?:
                isShown = true
                last.withLock { $0.shownAt[entry.number] = min($0.shownAt[entry.number] ?? askedAt, askedAt) }
            // A later answer that does not show it any more is the newer truth.
            case false?:
                let known = last.withLock { $0.shownAt[entry.number] }
                let patience = entry.wasInFuture ? 0 : Self.patience
                isShown = askedAt > at + patience || known.map { askedAt >= $0 && askedAt > at } ?? false
            case nil: isShown = askedAt > at
            }
            if isShown { settled.insert(entry.number) } else { unsettled.insert(StoreKey(entry.record.target)) }
        }
        return settled
    }

    /// Removes confirmed changes that the saved value shows, once no older answer can be on its way any more.
    func settle() async {
        let (old, askedAt) = old()
        guard !old.isEmpty else { return }
        do throws(StoreError) {
            let entry = try await cache.entry()
            if entry?.isMark ?? true {
                // A value that is never saved: a confirmed change is shown without one for as long as a copy would be.
                let (policy, now) = (cache.policy, cache.time)
                let expired = old.filter { !policy.isFresh($0.at, at: now) }.map(\.number)
                if expired.isEmpty { return }
                try await outbox.forget(expired)
            } else {
                // The value that shows them may be one that could not be saved.
                guard let saved = entry?.askedAt, saved == askedAt, saved != StoredEntry.changedHere else { return }
                // The saved value must last as long as the removal does.
                try await cache.persist()
                try await outbox.forget(old.map(\.number))
            }
        } catch { return }  // they stay, and the next load tries again
        await readKnown()
    }

    func settleSoon() {
        if !old().changes.isEmpty { Task { await settle() } }
    }

    /// The confirmed changes that are shown by the value, and no older answer can hide any more; with the times of their answers.
    private func old() -> (changes: [(number: UInt64, at: Date)], askedAt: Date?) {
        let (base, askedAt) = last.withLock { ($0.base, $0.askedAt) }
        let (entries, now) = (state.withLock { $0.entries }, cache.time)
        let aged = entries.compactMap { entry -> (number: UInt64, at: Date)? in
            guard let at = entry.confirmedAt, now.timeIntervalSince(at) > Self.grace else { return nil }
            return (entry.number, at)
        }
        if aged.isEmpty || isHolding(entries) { return ([], nil) }
        let settled = settled(entries, in: base, askedAt: askedAt, now: now)
        return (aged.filter { settled.contains($0.number) }, askedAt)
    }
}
