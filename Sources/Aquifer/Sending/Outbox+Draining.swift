import Foundation

extension Outbox {
    /// Sends what can be sent now, and returns when nothing is left of it: what remains waits for its time, for a
    /// decision, or for another process.
    ///
    /// Items queued meanwhile are sent, too. Cancelling the task ends what is being sent; it stays in the queue.
    ///
    /// - Throws: ``StoreError`` when the store fails. What is queued stays queued.
    @discardableResult
    public func drain() async throws(StoreError) -> Report {
        storeFailure = nil
        try await refresh()
        let (report, hasSent) = await sendAll(Report())
        if let storeFailure { throw storeFailure }
        var whole = report
        if hasSent && !Task.isCancelled {
            // What others queued while we were busy, and was not seen at once.
            try await refresh()
            whole = await sendAll(report).report
            if let storeFailure { throw storeFailure }
        }
        whole.nextTry = nextTry()
        return whole
    }

    /// Sends as long as the task lives: what is there, what is queued, what has waited its time out, and, looking now
    /// and then, what other processes queue. A store that fails is tried again.
    public func run() async {
        var troubles = 0
        while !Task.isCancelled {
            let heard = work.rings
            var pause = policy.poll
            do throws(StoreError) {
                let report = try await drain()
                troubles = 0
                if let next = report.nextTry { pause = min(pause, next) }
            } catch {
                troubles += 1
                pause = policy.wait(after: troubles)
            }
            await work.wait(after: heard, atMost: pause, on: policy.clock)
        }
    }

    /// Says that there is a connection again: what waits only because there was no answer is tried at once, by
    /// ``run()`` or the next ``drain()``. What a server asked to wait for goes on waiting.
    public func prod() {
        index.prod()
        findReady()
        work.ring()
        changes.ring()
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
                let heard = work.rings
                if !fresh.isEmpty && mayGoOn { await takeFresh() }
                while mayGoOn, sending.count < policy.width, let number = takeReady() {
                    running += 1
                    hasSent = true
                    group.addTask { .tried(await self.send(number)) }
                }
                // What another drain is sending may have something behind it.
                if running == 0 && (!mayGoOn || (sending.isEmpty && fresh.isEmpty)) { break }
                if !isListening && !Task.isCancelled {
                    isListening = true
                    group.addTask {
                        await self.work.wait(after: heard)
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

    private var mayGoOn: Bool { storeFailure == nil && !Task.isCancelled }

    // MARK: What is ready

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
            guard let number = index.first(of: group, passesRefused: passesRefused), sending[number] == nil,
                index.wait(number, owner: owner, now) == 0
            else { continue }
            sending[number] = .some(nil)
            return number
        }
        return nil
    }

    /// Looks through all groups, the one queued first at the front.
    func findReady() {
        let now = policy.now()
        var found: [(UInt64, OutboxIndex.Group)] = []
        for group in index.groups.keys {
            guard let number = index.first(of: group, passesRefused: passesRefused), sending[number] == nil,
                index.wait(number, owner: owner, now) == 0
            else { continue }
            found.append((number, group))
        }
        ready = found.sorted { $0.0 < $1.0 }.map(\.1)
        readyFrom = 0
    }

    private func nextTry() -> Duration? {
        let now = policy.now()
        return index.groups.keys.compactMap { group in
            guard let number = index.first(of: group, passesRefused: passesRefused), sending[number] == nil else {
                return nil
            }
            return index.wait(number, owner: owner, now)
        }.min().map { .seconds($0) }
    }

    // MARK: What is there

    /// Reads what has changed in the store since it was last read.
    func refresh() async throws(StoreError) {
        // The counter first: whatever was queued before any item below it is then in the list, or was taken.
        // Of an item above it, one that goes before it might still be missing.
        let queued = Set(fresh)
        let counter = try await shelf.counter()
        let numbers = try await shelf.numbers()
        var changed = expected.union(counter.open).union(index.rows.keys.filter { numbers[$0] == nil })
        for (number, version) in numbers where number < counter.next && index.rows[number]?.version != version {
            changed.insert(number)
        }
        // Also those that are not in the list: it leaves out what has a header that cannot be read.
        for number in stride(from: hasAudited ? index.highest + 1 : counter.low, to: counter.next, by: 1)
        where index.rows[number] == nil && numbers[number] == nil {
            changed.insert(number)
        }
        try await read(changed, counter)
        fresh.removeAll { queued.contains($0) }
        if !hasAudited { try await tidy(counter) }
        findReady()
        changes.ring()
    }

    /// Reads what was queued here since, and what others queued before it.
    private func takeFresh() async {
        do throws(StoreError) {
            let queued = Set(fresh)
            let counter = try await shelf.counter()
            let news = stride(from: index.highest + 1, to: counter.next, by: 1)
            try await read(expected.union(counter.open).union(queued).union(news), counter)
            fresh.removeAll { queued.contains($0) }
        } catch {
            storeFailure = error
        }
    }

    private func read(_ numbers: Set<UInt64>, _ counter: OutboxShelf.Counter) async throws(StoreError) {
        var findings: [(UInt64, OutboxShelf.Finding)] = []
        for number in numbers.sorted() where sending[number] == nil {
            findings.append((number, try await shelf.find(number)))
        }
        // All in one step: a drain that goes on meanwhile must not see an item without those before it.
        for (number, finding) in findings where sending[number] == nil {
            index.note(finding, number)
            offer(index.group(of: number))
        }
        index.know(through: counter.next - 1)
        // Those that may still come are looked for again.
        expected = expected.union(counter.open).filter { index.rows[$0] == nil && counter.open.contains($0) }
    }

    private func tidy(_ counter: OutboxShelf.Counter) async throws(StoreError) {
        // Some way below: a number may have been given out for an item that is not in the store yet.
        let lowest = min(index.rows.keys.min() ?? counter.next, counter.next)
        if lowest > counter.low + 2_000 { try await shelf.raiseLow(to: lowest - 1_000) }
        let shelf = shelf
        await attachments?.sweep { name, number in
            // What cannot be asked now, or cannot be read, may name it.
            switch try? await shelf.find(number) {
            case .nothing: true
            case .record(let record): !record.message.keptFiles.contains(name)
            case .damaged, nil: false
            }
        }
        hasAudited = true
    }

    /// Has a group looked at again.
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
        case .stopped, nil: break
        }
    }
}
