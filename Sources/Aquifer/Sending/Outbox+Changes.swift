import AquiferConcurrency
import AquiferFoundation

/// The items that are changes of an ``EditableResource``.
extension Outbox {
    /// A change in the queue, confirmed or not.
    struct ChangeItem: Sendable {
        let number: UInt64
        let head: OutboxRecord.Head
        let change: OutboxChange
        let state: State
    }

    /// Notes the server's id for a target that the app has named.
    typealias IDNote = @Sendable (_ target: String, _ id: String) -> Void

    /// Lets the changes of this kind be sent.
    nonisolated func register(_ handler: ChangeHandler, for kind: String, _ noteID: @escaping IDNote) {
        handlers.withLock { $0[kind] = handler }
        namings.withLock { $0[kind] = noteID }
        work.ring()
    }

    /// Lets the changes of resources be sent that this process does not have, such as those of another server or user.
    ///
    /// Without it, a change waits for its ``EditableResource``, and holds back its group.
    ///
    /// - Parameters:
    ///   - type: the type of the changes.
    ///   - matches: true for the name of a resource with changes of this type (``EditableResource/init(_:changes:empty:outbox:name:)``).
    public nonisolated func sendChanges<Change: PendingChange>(
        _ type: Change.Type, where matches: @escaping @Sendable (_ name: String) -> Bool
    ) {
        absent.withLock { $0.append((matches, ChangeHandler(Change.self))) }
        work.ring()
    }

    nonisolated func handler(of kind: String) -> ChangeHandler? {
        if let handler = handlers.withLock({ $0[kind] }) { return handler }
        let absent = absent.withLock { $0 }
        return absent.first { $0.matches(kind) }?.handler
    }

    /// The changes of a kind, also of other processes, in the order in which they were made; with what is known of their targets.
    ///
    /// - Parameter anew: true to read what others have changed. It is known anyway while somebody follows the queue.
    func changes(
        of kind: String, anew: Bool
    ) async throws(StoreError) -> Changes {
        if let end = await ended() { throw end }
        let isFollowed = hearing.withLock { $0.listeners > 0 }
        if !hasAudited || anew && !isFollowed { try await refresh(isQuiet: true) } else { await catchUp() }
        let items = index.rows.keys.compactMap { change($0, of: kind) }
        let point = Point(moment: index.moment, ends: index.ends)
        return Changes(
            items: items.sorted { $0.number < $1.number }, unread: Set(fresh), facts: try await facts(of: kind),
            point: point)
    }

    /// The changes of a kind that were made or changed in the queue since it was read.
    ///
    /// - Parameter point: the point at which it was read.
    /// - Returns: the changes; `nil` if one has ended since, or it was too long ago: all of them must be read.
    func changes(
        of kind: String, since point: Point
    ) async throws(StoreError) -> (items: [ChangeItem], point: Point)? {
        await catchUp()
        guard point.ends == index.ends, let numbers = index.noted(after: point.moment),
            // The kind of a damaged item cannot be read.
            numbers.allSatisfy({ index.rows[$0] == nil || index.rows[$0]?.head != nil })
        else { return nil }
        let items = numbers.compactMap { change($0, of: kind) }
        return (items.sorted { $0.number < $1.number }, Point(moment: index.moment, ends: index.ends))
    }

    private func change(_ number: UInt64, of kind: String) -> ChangeItem? {
        guard let row = index.rows[number], let head = row.head, let change = head.change, change.kind.isExactly(kind)
        else {
            return nil
        }
        return ChangeItem(number: number, head: head, change: change, state: state(number, row))
    }

    /// A point in the notes of the queue.
    struct Point: Sendable, Equatable {
        var moment: UInt64 = 0
        var ends: UInt64 = 0
    }

    /// The changes of a resource, as far as the queue was read.
    struct Changes: Sendable {
        let items: [ChangeItem]
        /// Items that were queued here and could not be read yet.
        let unread: Set<UInt64>
        let facts: [StoreKey: OutboxChange.Facts]
        /// The point at which the queue was so.
        let point: Point
    }

    /// The known facts of the targets of a kind. It is read again after each change of the queue.
    private func facts(of kind: String) async throws(StoreError) -> [StoreKey: OutboxChange.Facts] {
        let (now, before) = (index.ends, knownFacts[kind])
        if let before, before.at == now { return before.facts }
        do throws(StoreError) {
            var facts = try await shelf.facts(of: kind)
            let known = knownFacts[kind]
            // Somebody began to read them later, and was done sooner.
            if let known, known.at > now { return known.facts }
            // Answers may have told more meanwhile than was read.
            for (target, told) in known?.facts ?? [:] where before?.facts[target] != told {
                if facts[target].map({ $0.sequence < told.sequence }) ?? true { facts[target] = told }
            }
            knownFacts[kind] = (now, facts)
            if known == nil { beginForgetting(facts, of: kind) }
            return facts
        } catch {
            // The facts known before stay true: ids do not change, and versions are compared when a change is sent.
            guard let known = knownFacts[kind] else { throw error }
            return known.facts
        }
    }

    // MARK: Sending

    /// A request that cannot be made. Nothing was sent.
    struct CannotBeMade: Error {
        let outcome: Outcome
        init(_ refusal: Refusal) { outcome = .refused(refusal) }

        /// The store may work again when the item is tried again.
        init(_ error: StoreError) {
            outcome = .again(.unreadable("\(error)"), retryAfter: nil, isHost: false, isUnsent: true)
        }

        init(_ trouble: AttachmentTrouble) {
            switch trouble {
            case .unusable(let file): self.init(.attachment(name: file.name, reason: file.reason))
            case .store(let error): self.init(error)
            }
        }
    }

    /// Makes the request of a change for one attempt, with what is known by now.
    func request(
        of change: OutboxChange, _ number: UInt64, queued: HTTPRequest
    ) async throws(CannotBeMade) -> HTTPRequest {
        guard let handler = handler(of: change.kind) else { return queued }
        // A request with files is made once: the original files may be gone.
        if queued.body?.hasFiles == true { return queued }
        let facts: [StoreKey: OutboxChange.Facts]
        let known: OutboxChange.Facts?
        // Without the facts the change would name an id that the server does not know.
        do throws(StoreError) {
            facts = try await self.facts(of: change.kind)
            known = try await shelf.facts(of: change.kind, change.target)
        } catch { throw CannotBeMade(error) }
        // A creation is sent as it was, also when it is sent again because its outcome could not be saved: it keeps its key.
        let ids = Self.ids(for: number) { ($0.isExactly(change.target) ? known : nil) ?? facts[$0] }
        let version = known.map { $0.version(for: change, number) } ?? change.version
        do {
            var request = try handler.request(change.bytes, ids, version)
            // A weak version matches nothing (RFC 9110, 13.1.1).
            if let version, !version.hasPrefix("W/"), request.headers["If-Match"] == nil {
                request.headers["If-Match"] = version
            }
            try request.checkHead()
            return request
        } catch { throw CannotBeMade(.unsendable("\(error)")) }
    }

    /// The server's ids for the request of an item, but for the one that the item itself has been given.
    private static func ids(
        for number: UInt64, _ facts: @escaping @Sendable (String) -> OutboxChange.Facts?
    ) -> ChangeHandler.IDs {
        { id in
            guard let known = facts(id), known.by != number else { return id }
            return known.id ?? id
        }
    }

    /// The judge of an item's answers: of the change with the ids that its request had.
    func judge(of head: OutboxRecord.Head, _ number: UInt64) -> Judge {
        guard let change = head.change, let handler = handler(of: change.kind) else { return judge }
        let facts = knownFacts[change.kind]?.facts
        let ids = Self.ids(for: number) { facts?[$0] }
        return { [judge] item, head, body in
            let verdict = handler.verdict(change.bytes, ids, head, body) ?? judge(item, head, body)
            guard verdict == .sent else { return verdict }
            // Without the server's id, what waits behind a creation could not be sent.
            let answer = Answer(head: head, body: body)
            do { _ = try handler.confirm(change.bytes, ids, answer) } catch { return .foreign }
            return .sent
        }
    }

    /// Records that the server has accepted a change: first what its answer tells of the target, for the items that wait, and then the
    /// answer in the item. If the process ends in between, the item is sent again with its key, and has the same answer.
    func confirm(
        _ number: UInt64, _ record: OutboxRecord, _ change: OutboxChange, _ answer: Answer
    ) async throws(StoreError) -> OutboxShelf.Finding {
        let (key, now) = (record.head.key, policy.now())
        let facts = try await facts(of: change.kind)
        var confirmed = ChangeHandler.Confirmation(change: change.bytes)
        if let handler = handler(of: change.kind),
            // The judge has read it before.
            let read = try? handler.confirm(change.bytes, { facts[$0]?.id ?? $0 }, answer)
        {
            confirmed = read
        }
        let known = facts[change.target]
        let new = OutboxChange.Facts(
            target: change.target, id: confirmed.id ?? known?.id, by: confirmed.id == nil ? known?.by : number,
            // Facts that were lost begin after those that were known when the changes behind this one were made.
            versions: [change.version, confirmed.version], sequence: change.asOf &+ 1, at: now)
        let kept = try await shelf.keep(new, after: change, number, givesID: confirmed.id != nil)
        knownFacts[change.kind]?.facts[change.target] = kept
        if let id = kept.id { namings.withLock { $0[change.kind] }?(change.target, id) }
        noteEnd(number, .sent(answer))
        // The server has the item, so that it is confirmed even if another outbox has claimed it by now.
        let finding = try await shelf.change(number) { [bytes = confirmed.change] record in
            guard record.head.key == key, record.head.change?.confirmed == nil else { return .keep }
            record.head.change?.confirmed = .init(at: now)
            record.head.change?.bytes = bytes
            (record.head.lease, record.head.wait, record.head.refusal) = (nil, nil, nil)
            (record.message.headers, record.message.parts) = ([], nil)
            return .replace
        }
        // If the index notes one more end, what was kept above is known then.
        if case .record(let record) = finding, record.head.isConfirmed, index.rows[number]?.head?.isConfirmed != true,
            knownFacts[change.kind]?.at == index.ends
        {
            knownFacts[change.kind]?.at += 1
        }
        if case .damaged = finding {} else { await attachments?.remove(record.message.keptFiles) }
        return finding
    }
}
