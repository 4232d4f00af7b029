import AquiferFoundation

/// The known queue, after each reading.
extension ChangeQueue.State {
    /// The next moment.
    mutating func tick() -> UInt64 {
        moment += 1
        return moment
    }

    /// Makes the queue that was read the known one.
    ///
    /// - Returns: true if anything of it may be shown in another way.
    mutating func take(
        _ found: Outbox.Changes, begun: UInt64, settled: Set<UInt64>, now: Date
    ) -> Bool {
        let (items, facts) = (found.items, found.facts)
        var server: [StoreKey: String] = [:]
        var own: [StoreKey: String] = [:]
        self.facts = facts
        for (target, known) in facts {
            guard let id = known.id, !id.isExactly(target.text) else { continue }
            server[target] = id
            own[id] = target.text
        }
        // A screen may hold an id for as long as the app runs, though the facts are forgotten.
        serverIDs.merge(server) { $1 }
        ownIDs.merge(own) { $1 }
        let hasNewIDs = entries.contains { server[$0.record.target] != nil } && serverIDs.count != knownIDs
        knownIDs = serverIDs.count
        var (isNews, new, place) = (false, [ChangeQueue.Entry](), 0)
        new.reserveCapacity(items.count)
        for item in items {
            while place < entries.count, entries[place].number < item.number { place += 1 }
            let old = place < entries.count && entries[place].number == item.number ? entries[place] : nil
            let isSame = old.map { item.isSame(as: $0.record, $0.head) } ?? false
            let (entry, isNew) = entry(item, old, isSame: isSame && !hasNewIDs)
            isNews = isNews || isNew
            new.append(entry)
        }
        // A change that was queued here is there, although it could not be read again yet.
        let known = Set(items.map(\.number))
        let unread = entries.filter {
            guard !known.contains($0.number) else { return false }
            return found.unread.contains($0.number) || $0.noted > begun
                || $0.confirmedAt != nil && !settled.contains($0.number)
        }
        if !unread.isEmpty { new = (new + unread).sorted { $0.number < $1.number } }
        isNews = isNews || new.count != entries.count
        entries = new
        hasConfirmed = entries.contains { $0.confirmedAt != nil }
        settleClock(at: now)
        return isNews
    }

    /// The entry of an item, and true if it may be shown in another way than the one before.
    ///
    /// - Parameter isSame: true if only what the list shows of it may have changed.
    mutating func entry(
        _ item: Outbox.ChangeItem, _ old: ChangeQueue.Entry?, isSame: Bool
    ) -> (ChangeQueue.Entry, isNew: Bool) {
        if let old, isSame {
            let entry = ChangeQueue.Entry(
                number: old.number, head: item.head, record: old.record, sending: item.state,
                change: old.change, generation: old.generation, noted: old.noted, confirmedAt: old.confirmedAt,
                wasInFuture: old.wasInFuture)
            return (entry, old.sending != item.state || old.head.label != item.head.label)
        }
        generation += 1
        // A change that this version cannot read is shown as such.
        let change = try? JSONDecoder().decode(Change.self, from: item.change.bytes)
        let entry = ChangeQueue.Entry(
            number: item.number, head: item.head, record: item.change, sending: item.state,
            change: change?.replacingIDs { serverIDs[$0] ?? $0 }, generation: generation,
            noted: old?.noted ?? 0, confirmedAt: old?.confirmedAt ?? item.change.confirmed?.at,
            wasInFuture: old?.wasInFuture ?? false)
        return (entry, true)
    }

    /// A confirmation in the future is that of a clock which was set back since. It came before now, and so before each load that
    /// begins from now on. A load that began earlier tells nothing of it.
    mutating func settleClock(at now: Date) {
        for (place, entry) in entries.enumerated() {
            guard let at = entry.confirmedAt, at > now else { continue }
            // A load may begin at this very moment.
            entries[place] = ChangeQueue.Entry(
                number: entry.number, head: entry.head, record: entry.record, sending: entry.sending,
                change: entry.change, generation: entry.generation, noted: entry.noted,
                confirmedAt: now.addingTimeInterval(-0.000_001), wasInFuture: true)
        }
    }
}
