import AquiferConcurrency
import AquiferFoundation

/// Changes that are edited and taken back in the queue.
extension Outbox {
    /// Puts another request in the place of an item's. It has a new key, because a server may repeat its earlier answer to a known key.
    ///
    /// - Parameter decide: changes what else is known of the item, or gives a reason against it. The item is then unchanged.
    /// - Returns: the item after the change.
    @discardableResult
    func replace(
        _ id: ID, with request: HTTPRequest, label: String?,
        _ decide: @escaping @Sendable (inout OutboxRecord.Head) -> String?
    ) async throws(OutboxError) -> Item {
        try Self.check(request)
        var (message, hold) = try await message(of: request)
        let key = policy.makeKey()
        let edit: @Sendable (inout OutboxRecord.Head) -> String? = { head in
            if let reason = decide(&head) { return reason }
            head.key = key
            head.method = request.method.rawValue
            head.url = request.url
            head.length = request.body?.length ?? 0
            if let label { head.label = label }
            // What is known of the attempts concerns the request of before.
            (head.refusal, head.wait, head.mayHaveArrived, head.attempts) = (nil, nil, false, 0)
            return nil
        }
        do throws(StoreError) { try await assign(&hold, &message, to: id.number) } catch {
            await attachments?.remove(hold?.names ?? [])
            throw .store(error)
        }
        let before: OutboxRecord?
        do throws(OutboxError) {
            before = try await change(id) { [message] head, oldMessage in
                if let reason = edit(&head) { return reason }
                oldMessage = message
                return nil
            }
        } catch {
            return try await conclude(error, replacing: id, key, hold)
        }
        // If a sweep has taken the copies away, the item is refused when its turn comes: the user tries again.
        if let hold { _ = try? await attachments?.confirm(hold) }
        await attachments?.remove(before?.message.keptFiles ?? [])
        withExtendedLifetime(hold) {}
        guard var head = before?.head, edit(&head) == nil else { throw await noSuchItem(id) }
        return Item(id, head, .waiting)
    }

    /// Finds out whether an item was replaced although that ended with an error.
    ///
    /// - Returns: the item, if it was replaced. A later sweep removes the files that it had before.
    /// - Throws: `StoreError.uncertain` if it may have been replaced; the error itself if it was not.
    private func conclude(
        _ error: OutboxError, replacing id: ID, _ key: String, _ hold: AttachmentHold?
    ) async throws(OutboxError) -> Item {
        var fate = Aftermath.notSaved
        if case .store(let failure) = error { fate = await aftermath(of: failure, saving: key, id.number) }
        switch fate {
        case .saved(let record):
            // If a sweep has taken the copies away, the item is refused when its turn comes, as in `replace`.
            if let hold { _ = try? await attachments?.confirm(hold) }
            withExtendedLifetime(hold) {}
            note(.record(record), id.number)
            offer(index.group(of: id.number))
            work.ring()
            changes.ring()
            return Item(id, record.head, .waiting)
        case .notSaved:
            await attachments?.remove(hold?.names ?? [])
            throw error
        case .unknown:
            guard case .store(let failure) = error else { throw error }
            throw .store(failure.inDoubt(operation: "edit an item"))
        }
    }

    /// Refuses a request that no client can send.
    static func check(_ request: HTTPRequest) throws(OutboxError) {
        guard request.url.isWebAddress else { throw .unsendable("only http and https to a host are spoken") }
        do throws(TransportError) { try request.checkHead() } catch { throw .unsendable(error.detail) }
    }

    /// Notes that an item was removed from the queue.
    func noteLeft(_ number: UInt64) {
        let group = index.group(of: number)
        index.note(.nothing, number)
        fresh.removeAll { $0 == number }
        offer(group)
        work.ring()
        changes.ring()
    }

    /// Puts another change in the place of one that was never tried, or was refused.
    ///
    /// - Parameter mayBeTried: true if it replaces a refused one only: see ``OutboxRecord/Head/reasonToStay(mayBeRefused:mayBeTried:)``.
    func rewrite(
        _ id: ID, from known: Data, _ request: HTTPRequest, _ change: OutboxChange, label: String?,
        mayBeRefused: Bool, mayBeTried: Bool
    ) async throws(OutboxError) -> Item {
        try await replace(id, with: request, label: label) { head in
            guard head.change?.bytes == known else { return "was edited meanwhile" }
            // Over a version, the server refuses what an earlier attempt has made. Without one it would be made twice.
            let mayBeTried = mayBeTried && change.version != nil
            if let reason = head.reasonToStay(mayBeRefused: mayBeRefused, mayBeTried: mayBeTried) { return reason }
            if mayBeTried, head.refusal == nil { return "is not refused any more" }
            head.change = change
            return nil
        }
    }

    /// Removes a change that was never tried, or was refused.
    ///
    /// - Returns: true if an earlier attempt may have brought it to the server.
    @discardableResult
    func withdraw(_ id: ID, from known: Data?, mayBeRefused: Bool) async throws(OutboxError) -> Bool {
        let (finding, decided): (OutboxShelf.Finding, (obstacle: String?, head: OutboxRecord.Head, files: [String])?)
        do throws(StoreError) {
            (finding, decided) = try await shelf.change(id.number) { record in
                var reason = record.head.reasonToStay(mayBeRefused: mayBeRefused, mayBeTried: true)
                if let known, record.head.change?.bytes != known { reason = "was edited meanwhile" }
                return (reason == nil ? .delete : .keep, (reason, record.head, record.message.keptFiles))
            }
        } catch { throw .store(error) }
        if let reason = decided?.obstacle { throw .notNow(id, reason: reason) }
        if case .damaged(let reason) = finding { throw .damaged(id, reason: reason) }
        // Without a record, the item was sent or discarded before.
        guard let decided else {
            index.note(finding, id.number)
            throw await noSuchItem(id)
        }
        noteLeft(id.number)
        await attachments?.remove(decided.files)
        return decided.head.wasTried
    }

    /// Removes confirmed changes that the saved value shows, and what is known of targets that nobody needs.
    func forget(_ numbers: [UInt64]) async throws(StoreError) {
        for number in numbers {
            let change = index.rows[number]?.head?.change
            let finding = try await shelf.change(number) { $0.head.isConfirmed ? .delete : .keep }
            index.note(finding, number)
            guard let change, case .nothing = finding else { continue }
            let isNeeded = index.rows.values.contains { $0.head?.change?.target == change.target }
            if !isNeeded { try await shelf.forget(change.target, of: change.kind, before: horizon) }
        }
        changes.ring()
    }

    /// Facts from before it may be forgotten: a screen may hold an id that the app drew for as long as the app runs.
    private var horizon: Date { policy.now().addingTimeInterval(-30 * 86_400) }

    /// Begins to forget old facts of targets that no item needs. This process has read them, and goes on knowing the ids. Only tests wait
    /// for it.
    func beginForgetting(_ facts: [StoreKey: OutboxChange.Facts], of kind: String) {
        let horizon = horizon
        let old = facts.values.filter { $0.at < horizon }.map(\.target)
        if old.isEmpty { return }
        let earlier = forgetting
        forgetting = Task {
            await earlier?.value
            await forgetOld(old, of: kind, horizon)
        }
    }

    private func forgetOld(_ old: [String], of kind: String, _ horizon: Date) async {
        var needed: (moment: UInt64, targets: Set<StoreKey>)?
        for target in old {
            // An item that was queued meanwhile may need it.
            guard hasAudited, fresh.isEmpty else { return }
            if needed?.moment != index.moment {
                guard let targets = targets(neededBy: kind, horizon) else { return }
                needed = (index.moment, targets)
            }
            if needed?.targets.contains(StoreKey(target)) == true { continue }
            // A later process forgets those that cannot be forgotten now.
            try? await shelf.forget(target, of: kind, before: horizon)
        }
    }

    /// The targets of a kind that items need; `nil` if that may be any.
    private func targets(neededBy kind: String, _ horizon: Date) -> Set<StoreKey>? {
        var needed: Set<StoreKey> = []
        for row in index.rows.values {
            // A damaged item may be a change of any target.
            guard let head = row.head else { return nil }
            guard let change = head.change, change.kind.isExactly(kind) else { continue }
            // One that has waited for as long may name an id that the app drew, of whatever target.
            if !head.isConfirmed, head.queuedAt < horizon { return nil }
            needed.insert(StoreKey(change.target))
        }
        return needed
    }

    /// True if there may be an item that this outbox has not read: of another process, or one whose queueing ended with an error although it
    /// is in the store.
    func isBehind() async throws(StoreError) -> Bool {
        let known = max(index.highest, max(index.top, fresh.max() ?? 0))
        let counter = try await shelf.counter()
        return counter.next > known + 1 || counter.open.contains { index.rows[$0] == nil && !fresh.contains($0) }
    }
}

extension OutboxRecord.Head {
    /// The reason why a change can neither be edited nor taken back; `nil` if it can.
    ///
    /// - Parameter mayBeTried: true for a refused one that an earlier attempt may have brought to the server: it may be taken back, and the
    ///   user may keep it over the version that the server has now.
    func reasonToStay(mayBeRefused: Bool, mayBeTried: Bool) -> String? {
        if isConfirmed { return "has been sent" }
        guard let refusal else {
            return wasTried ? "may have arrived; make another change, which is sent after it" : nil
        }
        if !mayBeRefused { return "was refused" }
        let mayBeThere = refusal.mayHaveArrived || mayHaveArrived
        return mayBeThere && !mayBeTried ? "may have arrived; discard it, and make another change" : nil
    }
}
