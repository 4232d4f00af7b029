import Foundation

extension Outbox {
    /// Everything in the queue, in the order it was queued; what other processes have done is seen, too.
    public func items() async throws(StoreError) -> [Item] {
        try await refresh()
        return snapshot()
    }

    /// The request of an item, without its idempotency key: to look at, or to ``edit(_:to:label:)``.
    ///
    /// - Throws: ``OutboxError/noSuchItem(_:)``; `.attachment` when a file of it is gone; `.store`, also when the item is
    ///   damaged.
    public func request(of id: ID) async throws(OutboxError) -> HTTPRequest {
        let finding: OutboxShelf.Finding
        do throws(StoreError) { finding = try await shelf.find(id.number) } catch { throw .store(error) }
        switch finding {
        case .nothing: throw .noSuchItem(id)
        case .damaged(let reason): throw .store(.unreadable(key: "\(id)", reason: reason))
        case .record(let record):
            do throws(MultipartForm.UnusableFile) {
                return HTTPRequest(record, body: try record.message.body(in: attachments))
            } catch { throw .attachment(name: error.name, reason: error.reason) }
        }
    }

    /// Has an item tried as soon as its turn comes, with the same key: one that was refused, or that waits.
    public func retry(_ id: ID) async throws(OutboxError) {
        if let host = index.rows[id.number]?.head?.host { index.open(host) }
        try await change(id) { head in
            head.refusal = nil
            head.wait = nil
            head.attempts = 0
            return nil
        }
    }

    /// Puts another request in the place of one that was refused, and has it tried.
    ///
    /// It keeps its place, and gets a key of its own: a server may answer a key that it knows with what it said before.
    ///
    /// - Parameters:
    ///   - id: which item.
    ///   - request: what is sent from now on.
    ///   - label: what the app calls it from now on; `nil` for what it was called.
    /// - Throws: ``OutboxError/notNow(_:reason:)`` when it was not refused, and what ``enqueue(_:group:label:)`` throws;
    ///   it is then as it was.
    public func edit(_ id: ID, to request: HTTPRequest, label: String? = nil) async throws(OutboxError) {
        guard request.url.isWebAddress else { throw .unsendable("only http and https to a host are spoken") }
        var (message, hold) = try await message(of: request)
        let key = policy.makeKey()
        let old = Locked([String]())
        do throws(OutboxError) {
            do throws(StoreError) { try assign(&hold, &message, to: id.number) } catch { throw .store(error) }
            try await change(id) { [message] head, oldMessage in
                guard head.refusal != nil else { return "was not refused" }
                let names = oldMessage.keptFiles
                old.withLock { $0 = names }
                oldMessage = message
                head.key = key
                head.method = request.method.rawValue
                head.url = request.url
                head.length = request.body?.length ?? 0
                if let label { head.label = label }
                head.refusal = nil
                head.attempts = 0
                return nil
            }
        } catch {
            attachments?.remove(hold?.names ?? [])
            throw error
        }
        attachments?.remove(old.withLock { $0 })
        withExtendedLifetime(hold) {}
    }

    /// Keeps an item, and those behind it in its group, from being sent until ``resume(_:)``. A transfer under way is
    /// ended; it begins anew later. Its answer may have been lost then: the key sees to it that this does no harm.
    public func pause(_ id: ID) async throws(OutboxError) {
        try await change(id) { head in
            head.isPaused = true
            head.lease = nil
            return nil
        }
        stop(id)
    }

    /// Lets a paused item be sent.
    public func resume(_ id: ID) async throws(OutboxError) {
        try await change(id) { head in
            head.isPaused = false
            return nil
        }
    }

    /// Takes an item out of the queue for good, in whatever state it is; also a damaged one. A transfer under way is
    /// ended: the server may have got it by then. Does nothing when there is no such item.
    public func discard(_ id: ID) async throws(OutboxError) {
        do throws(StoreError) {
            if case .record(let record) = try await shelf.find(id.number) {
                try await shelf.delete(id.number)
                attachments?.remove(record.message.keptFiles)
            } else {
                try await shelf.delete(id.number)
            }
        } catch { throw .store(error) }
        let group = index.group(of: id.number)
        index.note(.nothing, id.number)
        stop(id)
        offer(group)
        work.ring()
        changes.ring()
    }

    private func stop(_ id: ID) {
        if let transfer = sending[id.number] { transfer?.cancel() }
    }

    private func change(
        _ id: ID, _ decide: @escaping @Sendable (inout OutboxRecord.Head) -> String?
    ) async throws(OutboxError) {
        try await change(id) { head, _ in decide(&head) }
    }

    /// Changes an item unless `decide` says why not.
    private func change(
        _ id: ID, _ decide: @escaping @Sendable (inout OutboxRecord.Head, inout OutboxRecord.Message) -> String?
    ) async throws(OutboxError) {
        let obstacle = Locked<String?>(nil)
        let finding: OutboxShelf.Finding
        do throws(StoreError) {
            finding = try await shelf.change(id.number) { record in
                let reason = decide(&record.head, &record.message)
                obstacle.withLock { $0 = reason }
                return reason == nil ? .replace : .keep
            }
        } catch { throw .store(error) }
        if sending[id.number] == nil { index.note(finding, id.number) }
        offer(index.group(of: id.number))
        work.ring()
        changes.ring()
        if let reason = obstacle.withLock({ $0 }) { throw .notNow(id, reason: reason) }
        switch finding {
        case .record: break
        case .nothing: throw .noSuchItem(id)
        case .damaged(let reason): throw .store(.unreadable(key: "\(id)", reason: reason))
        }
    }
}
