import AquiferConcurrency
import AquiferFoundation

extension Outbox {
    /// Reads the changes in the store since the last read.
    ///
    /// - Parameter isQuiet: true for a look that tells followers only if something has changed: of what time alone has changed, such as a
    ///   wait that is over, they are told before something is sent.
    /// - Returns: true if anything in the queue is not as this outbox knew it.
    @discardableResult
    func refresh(isQuiet: Bool = false) async throws(StoreError) -> Bool {
        // What was heard before is read with everything else. If that fails, it has yet to be read.
        let known = nextHeard()
        do throws(StoreError) { return try await readAll(isQuiet: isQuiet) } catch {
            heard.withLock { $0.add(known) }
            throw error
        }
    }

    private func readAll(isQuiet: Bool) async throws(StoreError) -> Bool {
        // A release that is given while this look is under way stays for the next one.
        let given = releases
        try await measure()
        // The counter is read first: all items before an item below the counter are then in the list, or have left the
        // queue. An item above the counter waits for the next read, because an earlier one might still be missing.
        let queued = Set(fresh)
        var counter = try await shelf.counter()
        let listing = try await shelf.listing()
        if let highest = listing.versions.keys.max(), highest >= counter.next,
            let lifted = try await shelf.lift(above: highest)
        {
            counter = lifted
        }
        var changed = expected.union(counter.open).union(index.rows.keys.filter { listing.versions[$0] == nil })
        for (number, version) in listing.versions where number < counter.next && index.rows[number]?.version != version
        {
            changed.insert(number)
        }
        let unnamed = listing.unnamed(from: hasAudited ? index.highest + 1 : counter.low, to: counter.next)
        changed.formUnion(unnamed.filter { index.rows[$0] == nil })
        let isNews = try await read(changed, counter, listed: Set(listing.versions.keys))
        fresh.removeAll { queued.contains($0) }
        if !hasAudited { try await tidy(counter, listed: Set(listing.versions.keys)) }
        if releases == given { release = nil }
        if let presence { await findGone(presence) }
        findReady()
        if isNews || !isQuiet { changes.ring() }
        return isNews
    }

    /// Ensures that the counter is above the files in the folder, before this outbox numbers an item or looks for one.
    func measure() async throws(StoreError) {
        if isMeasured { return }
        try await shelf.liftAboveFiles()
        isMeasured = true
    }

    /// Reads the items that were queued here since the last read, and those that others queued before them.
    func takeFresh() async {
        do throws(StoreError) {
            let queued = Set(fresh)
            try await look(at: queued)
            fresh.removeAll { queued.contains($0) }
        } catch {
            storeFailure = error
        }
    }

    /// Reads these items, and those that were queued since the last read.
    ///
    /// - Returns: true if anything in the queue is not as this outbox knew it.
    @discardableResult
    func look(at numbers: Set<UInt64>) async throws(StoreError) -> Bool {
        if !numbers.isEmpty, numbers.allSatisfy({ $0 <= index.highest }) { return try await read(numbers, nil) }
        let counter = try await shelf.counter()
        // After the loss of a counter, others' numbers may be above it, and a list is shorter than the range of numbers.
        let isAbove = numbers.contains { $0 >= counter.next && !fresh.contains($0) }
        if isAbove || counter.next > index.highest + 1_000 { return try await refresh() }
        let news = stride(from: index.highest + 1, to: counter.next, by: 1)
        return try await read(expected.union(counter.open).union(numbers).union(news), counter)
    }

    /// - Parameters:
    ///   - counter: the counter as it was before; `nil` if all numbers are known ones.
    ///   - listed: the numbers that a list of the store has just named.
    /// - Returns: true if an item is not as this outbox knew it.
    private func read(
        _ numbers: Set<UInt64>, _ counter: OutboxShelf.Counter?, listed: Set<UInt64> = []
    ) async throws(StoreError) -> Bool {
        beginLook()
        defer { endLook() }
        index.beginReading()
        defer { index.endReading() }
        var findings: [(UInt64, OutboxShelf.Finding)] = []
        var (asked, unread) = (numbers, numbers)
        while !unread.isEmpty {
            let found = try await find(unread, listed: listed)
            // An item that was changed here meanwhile is read again: an old finding would undo the change.
            let again = found.filter { index.wasNoted($0.number, after: $0.begun) }.map(\.number)
            let news = found.filter { !index.wasNoted($0.number, after: $0.begun) }.map { ($0.number, $0.finding) }
            findings += news
            let before = index.numbers(before: news).subtracting(asked)
            asked.formUnion(before)
            unread = before.union(again)
        }
        // The loop has no suspension: a concurrent drain must not see an item without those before it.
        var isNews = false
        for (number, finding) in findings where sending[number] == nil {
            let version = index.rows[number]?.version
            let before = index.group(of: number)
            index.note(finding, number)
            if index.rows[number]?.version != version { isNews = true }
            if let release, index.rows[number]?.version != version { index.release([number], release) }
            // Behind an item that has left, the next one has its turn.
            offer(index.group(of: number) ?? before)
        }
        guard let counter else { return isNews }
        index.know(through: counter.next - 1)
        // An item that may still arrive is looked up again.
        expected = expected.union(counter.open).filter { index.rows[$0] == nil && counter.open.contains($0) }
        return isNews
    }

    /// Reads items, each with the moment at which that began.
    ///
    /// The last one is read first. The items of a group are sent in order: once one is found to be sent, those before it are found so, too.
    private func find(
        _ numbers: Set<UInt64>, listed: Set<UInt64>
    ) async throws(StoreError) -> [(number: UInt64, finding: OutboxShelf.Finding, begun: UInt64)] {
        var found: [(number: UInt64, finding: OutboxShelf.Finding, begun: UInt64)] = []
        var missing: Set<UInt64> = []
        let wanted = numbers.filter { sending[$0] == nil }.sorted(by: >)
        let batches = shelf.store.batches
        let width = batches == nil ? 1 : 500
        for start in stride(from: 0, to: wanted.count, by: width) {
            let part = wanted[start..<min(start + width, wanted.count)].filter { sending[$0] == nil }
            let begun = index.moment
            var findings: [OutboxShelf.Finding] = []
            if let batches {
                findings = try await shelf.find(part, batches)
            } else {
                for number in part { findings.append(try await shelf.find(number)) }
            }
            for (number, finding) in zip(part, findings) {
                if case .nothing = finding, listed.contains(number) { missing.insert(number) }
                found.append((number, finding, begun))
            }
        }
        if missing.isEmpty { return found }
        // A missing item was sent or discarded since it was listed, or the store lists it and cannot find it, which is
        // damage.
        let lost = missing.intersection(try await shelf.listing().versions.keys)
        return found.map { lost.contains($0.number) ? ($0.number, .damaged(OutboxShelf.unfindable), $0.begun) : $0 }
    }

    private func tidy(_ counter: OutboxShelf.Counter, listed: Set<UInt64>) async throws(StoreError) {
        // The bound stays below the lowest item, because a number may have been reserved for an item that is not in the
        // store yet.
        let lowest = min(index.rows.keys.min() ?? counter.next, counter.next)
        if lowest > counter.low + 2_000 { try await shelf.raiseLow(to: lowest - 1_000) }
        if let attachments { await sweep(attachments, counter, listed: listed) }
        hasAudited = true
    }

    /// Deletes the files of items that were sent or discarded, and reports files whose items were lost.
    private func sweep(
        _ attachments: any AttachmentKeeper, _ counter: OutboxShelf.Counter, listed: Set<UInt64>
    ) async {
        let lost = Locked(0)
        let shelf = shelf
        await attachments.sweep { name, number in
            // An item that cannot be looked up or read now may need the file.
            switch try? await shelf.find(number) {
            case .record(let record): return counter.accountsFor(number) && !record.message.keptFiles.contains(name)
            case .nothing where !listed.contains(number):
                if number < counter.since ?? 0 { lost.withLock { $0 += 1 } }
                return counter.accountsFor(number)
            case .nothing, .damaged, nil: return false
            }
        }
        let count = lost.withLock { $0 }
        if count > 0 { shelf.note(.attachmentsWithoutItems(count: count, folder: attachments.place)) }
    }
}
