/// The news of the queue, so that a change is added to thousands as fast as to none.
extension ChangeQueue {
    /// The numbers of changes by group and by target, each in its order.
    struct Places: Sendable {
        private(set) var groups: [StoreKey: [UInt64]] = [:]
        private(set) var targets: [StoreKey: [UInt64]] = [:]

        mutating func add(_ number: UInt64, _ group: String?, _ target: String) {
            if let group { groups[StoreKey(group), default: []].append(number) }
            targets[StoreKey(target), default: []].append(number)
        }
    }

    /// Reads what has changed in the queue since it was read last; all of it, if much has, or something was confirmed or has gone.
    ///
    /// - Parameter isBehind: true if there are changes of others that nobody was told of.
    func readNews(isBehind: Bool) async throws(StoreError) {
        // Another reading may end meanwhile, which knows more or less than this one.
        for _ in 0..<3 {
            guard !isBehind, let point = state.withLock({ $0.point }),
                let news = try await outbox.changes(of: name, since: point)
            else { break }
            let isNews = state.withLock { state -> Bool? in
                guard state.point == point else { return nil }
                state.point = news.point
                return state.take(news.items)
            }
            guard let isNews else { continue }
            if isNews { changes.post(.everything) }
            return
        }
        try await read(anew: isBehind || !state.withLock { $0.isPrepared })
    }
}

extension ChangeQueue.State {
    /// Takes changes that were made or changed since, and are not confirmed.
    ///
    /// - Returns: true if anything of it may be shown in another way.
    mutating func take(_ items: [Outbox.ChangeItem]) -> Bool {
        var isNews = false
        for item in items {
            let place = place(of: item.number)
            let old = place < entries.count && entries[place].number == item.number ? entries[place] : nil
            let (entry, isNew) = entry(item, old, isSame: old.map { item.isSame(as: $0.record, $0.head) } ?? false)
            isNews = isNews || isNew
            if old != nil {
                entries[place] = entry
            } else {
                entries.insert(entry, at: place)
                // The numbers of a group are in order.
                if place == entries.count - 1 {
                    places?.add(entry.number, entry.head.group, entry.record.target)
                } else {
                    places = nil
                }
            }
        }
        return isNews
    }

    /// The place of a number in the entries, or where it would be.
    private func place(of number: UInt64) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The last change of a group that has no answer.
    mutating func last(of group: String) -> ChangeQueue.Entry? {
        known().groups[group]?.last { find($0)?.confirmedAt == nil }.flatMap { find($0) }
    }

    /// The changes of a target.
    mutating func entries(of target: String) -> [ChangeQueue.Entry] {
        known().targets[target]?.compactMap { find($0) } ?? []
    }

    private func find(_ number: UInt64) -> ChangeQueue.Entry? {
        let place = place(of: number)
        return place < entries.count && entries[place].number == number ? entries[place] : nil
    }

    private mutating func known() -> ChangeQueue.Places {
        if let places { return places }
        var new = ChangeQueue.Places()
        for entry in entries { new.add(entry.number, entry.head.group, entry.record.target) }
        places = new
        return new
    }
}

extension Outbox.ChangeItem {
    /// True if nothing has changed that the change itself is shown by.
    func isSame(as record: OutboxChange, _ head: OutboxRecord.Head) -> Bool {
        record == change && head.wasTried == self.head.wasTried
    }
}
