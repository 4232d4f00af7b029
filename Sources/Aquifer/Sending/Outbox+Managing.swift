import AquiferConcurrency
import AquiferFoundation

extension Outbox {
    /// All items in the queue, also of other processes, in the order in which they were queued.
    ///
    /// - Throws: ``StoreError`` when the queue cannot be read.
    public func items() async throws(StoreError) -> [Item] {
        try await refresh(isQuiet: true)
        return snapshot()
    }

    /// The request of an item, without its idempotency key. Use it to show the request, or to ``edit(_:to:label:)`` it.
    ///
    /// - Throws: ``OutboxError/noSuchItem(_:_:)``; `.attachment` when one of its files is missing; `.damaged`;
    ///   `.store`.
    public func request(of id: ID) async throws(OutboxError) -> HTTPRequest {
        let finding: OutboxShelf.Finding
        do throws(StoreError) { finding = try await shelf.find(id.number) } catch { throw .store(error) }
        switch finding {
        case .nothing: throw await noSuchItem(id)
        case .damaged(let reason): throw .damaged(id, reason: reason)
        case .record(let record) where record.head.isConfirmed: throw .noSuchItem(id, .gone)
        case .record(let record):
            do throws(AttachmentTrouble) {
                return HTTPRequest(record, body: try await record.message.body(in: attachments))
            } catch {
                switch error {
                case .unusable(let file): throw .attachment(name: file.name, reason: file.reason)
                case .store(let error): throw .store(error)
                }
            }
        }
    }

    /// Tries a refused, waiting or paused item as soon as its turn comes, with the same key. A wait that a server asked
    /// for by `Retry-After` still applies.
    ///
    /// - Throws: ``OutboxError/noSuchItem(_:_:)``, which distinguishes an item that was sent or discarded from one that
    ///   never existed; `.damaged`; `.store`.
    public func retry(_ id: ID) async throws(OutboxError) {
        let now = policy.now()
        if let host = index.rows[id.number]?.head?.host { index.open(host, now) }
        try await change(id) { head in
            head.refusal = nil
            head.isPaused = false
            if let wait = head.wait {
                // The reason stays until there is a new outcome.
                let asked = wait.asked.flatMap { $0.left(now) == nil ? nil : $0 }
                head.wait = .init(span: asked ?? Span(since: now, .zero), failure: wait.failure, asked: asked)
            }
            head.attempts = 0
            return nil
        }
    }

    /// Replaces a refused request with another one, which is then tried.
    ///
    /// The item keeps its place and gets a new key, because a server may repeat its earlier answer to a known key.
    ///
    /// - Parameters:
    ///   - id: the item.
    ///   - request: the request that is sent from now on.
    ///   - label: the app's new name for it; `nil` to keep its name.
    /// - Throws: ``OutboxError/notNow(_:reason:)`` when it was not refused, or an attempt may have arrived all the same, and the errors of
    ///   ``enqueue(_:key:group:label:)``. The item is then unchanged. Only after ``StoreError/uncertain(operation:reason:)`` it may be
    ///   changed.
    public func edit(_ id: ID, to request: HTTPRequest, label: String? = nil) async throws(OutboxError) {
        try await replace(id, with: request, label: label) { head in
            guard head.change == nil else { return "is a change of a resource, which edits it" }
            guard let refusal = head.refusal else { return "was not refused" }
            guard !refusal.mayHaveArrived, !head.mayHaveArrived else {
                return "may have arrived, and an edited one would arrive beside it"
            }
            return nil
        }
    }

    /// Keeps an item, and those behind it in its group, from being sent until ``resume(_:)``. A transfer under way is
    /// ended, and starts again later. Its answer may be lost; the key ensures that the repetition does no harm.
    ///
    /// - Throws: ``OutboxError/noSuchItem(_:_:)``; `.damaged`; `.store`.
    public func pause(_ id: ID) async throws(OutboxError) {
        try await change(id) { head in
            head.isPaused = true
            if head.lease != nil { head.mayHaveArrived = true }
            head.lease = nil
            return nil
        }
        stop(id)
    }

    /// Lets a paused item be sent.
    ///
    /// - Throws: ``OutboxError/noSuchItem(_:_:)``; `.damaged`; `.store`.
    public func resume(_ id: ID) async throws(OutboxError) {
        try await change(id) { head in
            head.isPaused = false
            return nil
        }
    }

    /// Removes an item from the queue for good, in any state, even if it is damaged or its file is missing. A transfer
    /// under way is ended; the server may have received the request by then.
    ///
    /// - Returns: information on whether the item may have arrived all the same; `nil` when there was no such item.
    /// - Throws: `.store` when it could not be removed.
    @discardableResult
    public func discard(_ id: ID) async throws(OutboxError) -> Discarded? {
        let record: OutboxRecord?
        let isThere: Bool
        do throws(StoreError) {
            // The change is one step, so that it sees the claim of a process that was a moment earlier.
            let (finding, found) = try await shelf.change(id.number) { record -> (OutboxShelf.Change, OutboxRecord?) in
                // The server has it: it waits for a load only.
                record.head.isConfirmed ? (.keep, nil) : (.delete, record)
            }
            if case .record = finding { return nil }
            record = found ?? nil
            // One that is not found was sent or discarded by others, or the store lists it and cannot find it, which is damage.
            switch finding {
            case .damaged: isThere = true
            case .nothing where record == nil: isThere = try await shelf.listing().versions[id.number] != nil
            case .nothing, .record: isThere = true
            }
            if record == nil, isThere {
                try await shelf.delete(id.number)
                await attachments?.removeAll(of: id.number)
            }
        } catch { throw .store(error) }
        noteLeft(id.number)
        stop(id)
        await attachments?.remove(record?.message.keptFiles ?? [])
        guard let head = record?.head else { return isThere ? Discarded(mayHaveArrived: false) : nil }
        return Discarded(mayHaveArrived: head.mayHaveArrived || head.lease != nil, label: head.label)
    }

    /// An item that was removed from the queue.
    public struct Discarded: Sendable, Hashable {
        /// True if the server may have it all the same: it was being sent, or an earlier attempt had a 409 or no answer
        /// of the server's own. It is unknown for a damaged item; the value is then false.
        public internal(set) var mayHaveArrived: Bool
        /// The item's label; empty if it is damaged.
        public internal(set) var label = ""
        /// The changes that were built on it and were discarded with it, in their order: see ``EditableResource/discard(_:)``.
        public internal(set) var builtOn: [ID] = []
    }

    /// The reason why there is no item with this number.
    ///
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func absence(of id: ID) async throws(StoreError) -> Absence {
        try await shelf.counter().absence(of: id.number)
    }

    func noSuchItem(_ id: ID) async -> OutboxError {
        do throws(StoreError) { return .noSuchItem(id, try await absence(of: id)) } catch { return .store(error) }
    }

    private func stop(_ id: ID) {
        if let transfer = sending[id.number] { transfer?.cancel() }
    }

    private func change(
        _ id: ID, _ decide: @escaping @Sendable (inout OutboxRecord.Head) -> String?
    ) async throws(OutboxError) {
        try await change(id) { head, _ in decide(&head) }
    }

    /// Notes what was changed. One that is being sent is noted when it was sent; one that is being claimed is still shown as it is
    /// now, unless the claim was noted first.
    func note(_ finding: OutboxShelf.Finding, _ number: UInt64) {
        guard let transfer = sending[number] else { return index.note(finding, number) }
        guard transfer == nil, case .record(let record) = finding, !index.isNewer(than: record, number) else { return }
        index.note(finding, number)
    }

    /// Changes an item, unless `decide` gives a reason against it.
    ///
    /// - Returns: the item before the change.
    @discardableResult
    func change(
        _ id: ID, _ decide: @escaping @Sendable (inout OutboxRecord.Head, inout OutboxRecord.Message) -> String?
    ) async throws(OutboxError) -> OutboxRecord? {
        let (finding, decided): (OutboxShelf.Finding, (obstacle: String?, before: OutboxRecord)?)
        do throws(StoreError) {
            (finding, decided) = try await shelf.change(id.number) { record in
                let before = record
                if record.head.isConfirmed { return (.keep, (nil, before)) }
                let reason = decide(&record.head, &record.message)
                return (reason == nil ? .replace : .keep, (reason, before))
            }
        } catch { throw .store(error) }
        note(finding, id.number)
        offer(index.group(of: id.number))
        work.ring()
        changes.ring()
        if let reason = decided?.obstacle { throw .notNow(id, reason: reason) }
        switch finding {
        case .record(let record) where record.head.isConfirmed: throw .noSuchItem(id, .gone)
        case .record: return decided?.before
        case .nothing: throw await noSuchItem(id)
        case .damaged(let reason): throw .damaged(id, reason: reason)
        }
    }
}
