import AquiferFoundation

extension Outbox {
    /// Sends all items that can be sent now. The remaining items wait for their time, for a decision, or for another
    /// process.
    ///
    /// Items queued meanwhile are sent, too. Cancelling the task ends the transfers under way; their items stay in the
    /// queue.
    ///
    /// - Throws: ``StoreError`` when the store fails. The items stay in the queue.
    @discardableResult
    public func drain() async throws(StoreError) -> Report {
        var report = Report()
        try await drain(into: &report)
        return report
    }

    /// The same, for a caller who tells what was done before the store failed.
    package func drain(into report: inout Report) async throws(StoreError) {
        try await drain(anew: true, into: &report)
    }

    /// - Parameter anew: false if others' changes were heard since the queue was read, so that it is known.
    private func drain(anew: Bool, into report: inout Report) async throws(StoreError) {
        storeFailure = nil
        if anew { try await refresh() } else { findReady() }
        let hasSent: Bool
        (report, hasSent) = await sendAll(report)
        if let storeFailure { throw storeFailure }
        if anew && hasSent && !Task.isCancelled {
            // Other processes may have queued items meanwhile.
            try await refresh()
            report = await sendAll(report).report
            if let storeFailure { throw storeFailure }
        }
        report.nextTry = nextTry()
    }

    /// Sends items until the task is cancelled: items in the queue, items queued meanwhile, and items whose time comes.
    /// It hears the changes of other processes as the store tells them, and looks at intervals for those that it has missed. When the store fails, it tries again; when the store's
    /// ``Scope`` has ended, it returns.
    public func run() async {
        var troubles = 0
        isFinishing = false
        let others = hearWhileSending()
        defer { others.cancel() }
        var lookedAt: Date?
        while !Task.isCancelled && !isFinishing {
            var heard = work.rings
            var pause = policy.poll
            do throws(StoreError) {
                var report = Report()
                try await drain(since: &lookedAt, into: &report)
                troubles = 0
                if let next = report.nextTry { pause = min(pause, next) }
            } catch {
                if case .ended = error { return }
                lookedAt = nil
                troubles += 1
                pause = policy.wait(after: troubles)
                // The failed attempts themselves have rung: without a pause, a full disk would be tried for ever.
                heard = work.rings
            }
            // The end may have rung before the rings were counted.
            if !isFinishing { await rest(after: heard, atMost: pause) }
            if work.rings == heard { lookedAt = nil }
        }
    }

    /// Sends what can be sent now, and reads the queue before that unless what others change is known.
    ///
    /// - Parameter lookedAt: the time at which the queue was read last; `nil` to read it.
    private func drain(since lookedAt: inout Date?, into report: inout Report) async throws(StoreError) {
        let now = policy.now()
        // A store without batches is in this machine, where reading the list costs little.
        let isKnown = lookedAt.map { abs(now.timeIntervalSince($0)) < policy.poll.timeInterval } ?? false
        let anew = !isKnown || shelf.store.batches == nil || release != nil
        if anew { lookedAt = now }
        try await drain(anew: anew, into: &report)
    }

    /// Begins no further item, and lets ``run()`` return once those that are being sent have been settled. A process that is about to
    /// end calls it, waits for ``run()``, and cancels that after a while. The next ``run()`` sends again.
    public func finish() {
        isFinishing = true
        work.ring()
    }

    /// Sends, and waits, until no item is left that will be sent by itself. A remaining item was refused or is paused,
    /// or is behind such an item in its group, or is damaged. A damaged item holds back no other item, because its
    /// group cannot be read. Without a connection the call waits until there is one. Cancelling the task ends the
    /// transfers under way.
    ///
    /// - Returns: the outcome of the whole call.
    /// - Throws: ``StoreError`` when the store fails. The items stay in the queue.
    @discardableResult
    public func drainToEnd() async throws(StoreError) -> Report {
        var report = Report()
        try await drainToEnd(into: &report)
        return report
    }

    /// The same, for a caller who tells what was done before the store failed.
    package func drainToEnd(into report: inout Report) async throws(StoreError) {
        // To watch an embedded store is not worth it for a call that ends soon.
        let others = shelf.store.batches.map { _ in hearWhileSending() }
        defer { others?.cancel() }
        var lookedAt: Date?
        while true {
            let heard = work.rings
            try await drain(since: &lookedAt, into: &report)
            let next = report.nextTry.take()
            guard let next, !isFinishing, !Task.isCancelled else { return }
            await rest(after: heard, atMost: min(next, policy.poll))
            if work.rings == heard { lookedAt = nil }
        }
    }

    private enum Event: Sendable {
        case tried(Outcome.Kind?)
        case rang
    }

    /// Sends until nothing is ready and nothing is under way.
    private func sendAll(_ before: Report) async -> (report: Report, hasSent: Bool) {
        await withTaskGroup(of: Event.self) { group in
            var report = before
            var (running, hasSent, isListening) = (0, false, false)
            while true {
                let rings = work.rings
                if !fresh.isEmpty && mayGoOn { await takeFresh() }
                while mayGoOn, busy < policy.width, let number = takeReady() {
                    running += 1
                    hasSent = true
                    group.addTask { .tried(await self.send(number)) }
                }
                if mayGoOn, busy < policy.width, hasHeard {
                    await takeHeard()
                    continue
                }
                // Other items may follow an item that another drain is sending.
                if running == 0 && (!mayGoOn || (busy == 0 && fresh.isEmpty)) { break }
                if !isListening && !Task.isCancelled {
                    isListening = true
                    group.addTask {
                        await self.work.wait(after: rings)
                        return .rang
                    }
                }
                switch await group.next() {
                case .tried(let kind):
                    running -= 1
                    report.count(kind)
                case .rang, nil:
                    isListening = false
                }
            }
            group.cancelAll()
            return (report, hasSent)
        }
    }

    /// An item of which an outbox tells its `whenSent` now.
    struct Telling: Hashable, Sendable {
        let owner: UUID
        let number: UInt64
    }

    /// The items of which `whenSent` is being told in this task. What sends in there must not wait for them.
    @TaskLocal static var telling: Set<Telling> = []

    /// The number of items that are being sent from here, without those.
    private var busy: Int {
        let telling = Self.telling
        return telling.isEmpty
            ? sending.count : sending.keys.count { !telling.contains(Telling(owner: owner, number: $0)) }
    }

    private var mayGoOn: Bool { storeFailure == nil && !isFinishing && !Task.isCancelled }

    // MARK: Turns

    /// The next item whose turn and time have come.
    private func takeReady() -> UInt64? {
        let now = policy.now()
        while readyFrom < ready.count {
            let group = ready[readyFrom]
            readyFrom += 1
            if readyFrom > 1024 {
                ready.removeFirst(readyFrom)
                readyFrom = 0
            }
            guard let number = index.first(of: group, skipsRefused: skipsRefused), !isTaken(number),
                wait(number, now) == 0, heard.withLock({ !$0.numbers.contains(number) })
            else { continue }
            sending[number] = .some(nil)
            return number
        }
        return nil
    }

    /// Finds the groups with a ready item. The item queued first goes first; with senders on other machines, each begins at another item.
    /// Items with a foreign answer go last, so that another item shows first whether the server itself answers.
    func findReady() {
        let now = policy.now()
        var found: [(number: UInt64, isDoubtful: Bool, group: OutboxIndex.Group)] = []
        for group in index.groups.keys {
            guard let number = index.first(of: group, skipsRefused: skipsRefused), !isTaken(number),
                wait(number, now) == 0
            else { continue }
            found.append((number, index.isDoubtful(number), group))
        }
        found.sort { $0.isDoubtful == $1.isDoubtful ? $0.number < $1.number : $1.isDoubtful }
        ready = found.map(\.group)
        // Senders on other machines begin elsewhere, or each would try to claim the same item.
        let firm = found.count { !$0.isDoubtful }
        if presence != nil, firm > 1 {
            let first = Int(truncatingIfNeeded: Checksum.xxh64(owner.uuidString) % UInt64(firm))
            ready = Array(ready[first..<firm] + ready[..<first] + ready[firm...])
        }
        readyFrom = 0
    }

    /// True if the item is being sent from here, or is about to be.
    private func isTaken(_ number: UInt64) -> Bool {
        if sending[number] != nil { return true }
        guard let key = arriving[number] else { return false }
        return index.rows[number]?.head?.key == key
    }

    /// The seconds until an item's time; `nil` if it does not wait for a time. A change waits for its ``EditableResource``.
    private func wait(_ number: UInt64, _ now: Date) -> TimeInterval? {
        if let kind = index.rows[number]?.head?.change?.kind, handler(of: kind) == nil { return nil }
        return index.wait(number, owner: owner, now)
    }

    private func nextTry() -> Duration? {
        let now = policy.now()
        return index.groups.keys.compactMap { group in
            guard let number = index.first(of: group, skipsRefused: skipsRefused), !isTaken(number) else {
                return nil
            }
            return wait(number, now)
        }.min().map { .seconds($0) }
    }

    /// Adds a group to the groups whose turn may have come.
    func offer(_ group: OutboxIndex.Group?) {
        if let group { ready.append(group) }
    }
}

extension Outbox.Report {
    fileprivate mutating func count(_ kind: Outbox.Outcome.Kind?) {
        switch kind {
        case .sent: sent += 1
        case .refused: refused += 1
        case .again: failed += 1
        case .gone: gone += 1
        case .stopped, nil: break
        }
    }
}
