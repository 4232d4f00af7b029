import AquiferConcurrency
import AquiferFoundation

extension Outbox {
    /// The queue, now and after each change by this outbox or another, in any process; with the progress of what is sent from
    /// here. A slow reader receives the latest state and misses those in between. The stream ends when the reading task
    /// is cancelled.
    ///
    /// While somebody reads it, ``run()`` also learns at once what others queue and change.
    public nonisolated func states() -> AsyncStream<[Item]> {
        let heard = Locked<UInt64?>(nil)
        // It ends with the stream.
        let others = hearOthers()
        return AsyncStream {
            withExtendedLifetime(others) {}
            if let last = heard.withLock({ $0 }) { await self.changes.wait(after: last) }
            guard !Task.isCancelled else { return nil }
            heard.withLock { $0 = self.changes.rings }
            return await self.latest()
        }
    }

    /// The queue, including the newest items, even if no task sends; nothing after the end of the scope.
    private func latest() async -> [Item] {
        guard await ended() == nil else { return [] }
        await catchUp()
        return snapshot()
    }

    /// The error of a scope that has ended. Nobody is shown its queue any more.
    func ended() async -> StoreError? {
        guard let end = await shelf.end else { return nil }
        (index, fresh) = (OutboxIndex(), [])
        return end
    }

    /// Reads the queue if that was not done yet, and what was queued here since.
    func catchUp() async {
        // Sending and listing report a failing store; who follows the queue is shown the last known state.
        if !hasAudited { _ = try? await refresh(isQuiet: true) } else if !fresh.isEmpty { await takeFresh() }
    }

    /// The state of an item, now and after each change, including its progress. The stream ends with
    /// ``State/sent(_:)``, which has the server's answer, with ``State/gone``, or when the reading task is cancelled. While the store fails it keeps the last known state.
    public nonisolated func states(of id: ID) -> AsyncStream<State> {
        let watch = Watch(self, id)
        return AsyncStream { await watch.next() }
    }

    /// One reader of ``states(of:)``.
    private final class Watch: Sendable {
        private let outbox: Outbox
        private let id: ID
        private let last = Locked<State?>(nil)
        /// Hears the end of the scope.
        private let others: StoreObservation?

        init(_ outbox: Outbox, _ id: ID) {
            self.outbox = outbox
            self.id = id
            others = outbox.shelf.store.changes.mayEnd ? outbox.hearOthers() : nil
            outbox.watched.withLock { $0[id, default: (0, nil)].watchers += 1 }
        }

        deinit {
            outbox.watched.withLock { watched in
                watched[id]?.watchers -= 1
                if watched[id]?.watchers == 0 { watched[id] = nil }
            }
        }

        func next() async -> State? {
            if last.withLock({ $0?.isFinal }) == true { return nil }
            while !Task.isCancelled {
                let heard = outbox.changes.rings
                let state = await outbox.state(of: id)
                let isNew = last.withLock { last in
                    defer { last = state ?? last }
                    return state != nil && last != state
                }
                if isNew { return state }
                await outbox.changes.wait(after: heard)
            }
            return nil
        }
    }

    /// True for an item that this outbox has sent. It remembers the last 1,000. Use it for messages about an item that
    /// is no longer in the queue.
    public nonisolated func hasSent(_ id: ID) -> Bool { ended.withLock { $0.contains(id) } }

    func noteEnd(_ number: UInt64, _ end: State) {
        ended.withLock { $0 = $0.suffix(999) + [ID(number: number)] }
        watched.withLock { $0[ID(number: number)]?.end = end }
    }

    private func end(of id: ID) -> State? { watched.withLock { $0[id]?.end } }

    /// The state of an item; `nil` while a store that fails tells nothing of it.
    private func state(of id: ID) async -> State? {
        if let row = index.rows[id.number] {
            return row.head?.isConfirmed == true ? end(of: id) ?? .gone : state(id.number, row)
        }
        if let end = end(of: id) { return end }
        if fresh.contains(id.number) { return .waiting }
        // The item was not read yet, or is gone.
        do throws(StoreError) {
            switch try await shelf.find(id.number) {
            case .record(let record) where record.head.isConfirmed: return end(of: id) ?? .gone
            case .record(let record):
                return state(id.number, OutboxIndex.Row(content: .head(record.head), version: ""))
            case .damaged(let reason): return .damaged(reason)
            case .nothing: return end(of: id) ?? .gone
            }
        } catch {
            if case .ended = error { return end(of: id) ?? .gone }
            return end(of: id)
        }
    }

    func snapshot() -> [Item] {
        index.rows.filter { $0.value.head?.isConfirmed != true }.sorted { $0.key < $1.key }.map { number, row in
            let state = state(number, row)
            guard let head = row.head else { return Item(damaged: ID(number: number), state) }
            return Item(ID(number: number), head, state)
        }
    }

    func state(_ number: UInt64, _ row: OutboxIndex.Row) -> State {
        let head: OutboxRecord.Head
        switch row.content {
        case .damaged(let reason): return .damaged(reason)
        case .head(let known): head = known
        }
        let now = policy.now()
        if let refusal = head.refusal { return .refused(refusal) }
        if head.isPaused { return .paused }
        if case .some(.some) = sending[number] {
            return .sending(sent: progress.withLock { $0[number] } ?? 0)
        }
        if let lease = head.lease, lease.owner != owner, let left = index.left(of: lease, row, now) {
            return .sendingElsewhere(until: now + left)
        }
        guard let wait = head.wait else { return .waiting }
        if let left = wait.left(now, isReleased: row.released != nil) {
            return .retrying(after: wait.failure, at: now + left)
        }
        // An item whose time has come gets a fixed moment in the past. A clock that was set back would move the moment
        // ahead.
        let due = row.released == nil ? wait.span.since + wait.span.seconds : wait.span.since
        return .retrying(after: wait.failure, at: min(due, now))
    }
}

extension Outbox.Item {
    /// A damaged item, of which only the number is known.
    fileprivate init(damaged id: Outbox.ID, _ state: Outbox.State) {
        self.init(
            id: id, group: nil, label: "", key: "", queuedAt: .distantPast, method: .post, url: URL(filePath: "/"),
            length: 0, attempts: 0, state: state)
    }
}
