import Foundation

extension Outbox {
    /// The queue as this outbox knows it, now and after each change, progress included. A reader who is slow gets the
    /// latest, and misses what was in between. Ends when the reading task is cancelled.
    public nonisolated func states() -> AsyncStream<[Item]> {
        let heard = Locked<UInt64?>(nil)
        return AsyncStream {
            if let last = heard.withLock({ $0 }) { await self.changes.wait(after: last) }
            guard !Task.isCancelled else { return nil }
            heard.withLock { $0 = self.changes.rings }
            return await self.snapshot()
        }
    }

    /// How an item stands, now and after each change, its progress included. Ends with ``State/sent(_:)``, which bears
    /// the server's answer, or ``State/gone``, or when the reading task is cancelled.
    public nonisolated func states(of id: ID) -> AsyncStream<State> {
        let watch = Watch(self, id)
        return AsyncStream { await watch.next() }
    }

    /// One reader of ``states(of:)``.
    private final class Watch: Sendable {
        private let outbox: Outbox
        private let id: ID
        private let last = Locked<State?>(nil)

        init(_ outbox: Outbox, _ id: ID) {
            self.outbox = outbox
            self.id = id
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
                    defer { last = state }
                    return last != state
                }
                if isNew { return state }
                await outbox.changes.wait(after: heard)
            }
            return nil
        }
    }

    func noteEnd(_ number: UInt64, _ end: State) {
        watched.withLock { $0[ID(number: number)]?.end = end }
    }

    private func end(of id: ID) -> State? { watched.withLock { $0[id]?.end } }

    private func state(of id: ID) async -> State {
        if let row = index.rows[id.number] { return state(id.number, row) }
        if let end = end(of: id) { return end }
        if fresh.contains(id.number) { return .waiting }
        // Not looked at yet, or gone; a store that cannot be asked says nothing of the item.
        guard case .record(let record)? = try? await shelf.find(id.number) else { return end(of: id) ?? .gone }
        return state(id.number, OutboxIndex.Row(content: .head(record.head), version: ""))
    }

    func snapshot() -> [Item] {
        index.rows.sorted { $0.key < $1.key }.map { number, row in
            let state = state(number, row)
            guard let head = row.head else { return Item(damaged: ID(number: number), state) }
            return Item(ID(number: number), head, state)
        }
    }

    private func state(_ number: UInt64, _ row: OutboxIndex.Row) -> State {
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
        if head.isLeased(toOthersThan: owner, now) { return .sendingElsewhere }
        guard let wait = head.wait, row.released == nil, let left = wait.span.left(now) else { return .waiting }
        return .retrying(after: wait.failure, at: now + left)
    }
}

extension Outbox.Item {
    /// An item of which only the number can be read.
    fileprivate init(damaged id: Outbox.ID, _ state: Outbox.State) {
        self.init(
            id: id, group: nil, label: "", key: "", queuedAt: .distantPast, method: .post, url: URL(filePath: "/"),
            length: 0, attempts: 0, state: state)
    }
}
