import Aquifer
import AquiferFoundation

extension PaymentDesk {
    /// The payments of this amount to this person with an unknown outcome, the latest first. Payments that are being
    /// sent are among them.
    ///
    /// A payment that the user gave up is among them until another one like it is made: it may have been made, and is sent again under
    /// its key, unless the user means a second payment.
    ///
    /// - Throws: `StoreError` when the ledger cannot be read. The caller must not pay then.
    public func unresolved(_ amount: Money, to contact: Contact) async throws(StoreError) -> [PaymentRecord] {
        unresolved(in: await present(try await ledger.contents(), amount, contact))
    }

    private func unresolved(in alike: [PaymentRecord]) -> [PaymentRecord] {
        alike.filter { record in
            switch record.state {
            case .unknown, .sending: true
            case .abandoned: !alike.contains { $0.isOneMadeSince(record) }
            case .approved, .declined, .failed: false
            }
        }
    }

    /// The payments of this amount to this person in their current states. One may have been decided since it was read: it is judged as it is now,
    /// and only so.
    private func present(
        _ contents: PaymentLedger.Contents, _ amount: Money, _ contact: Contact
    ) async -> [PaymentRecord] {
        if contents.unreadable.isEmpty {
            await locks?.sweep(except: Set(contents.records.filter { $0.state == .sending }.map(\.id)))
        }
        var alike: [PaymentRecord] = []
        for record in contents.records where record.amount == amount && mayBe(record, to: contact) {
            alike.append(await present(record))
        }
        return alike
    }

    /// The payments of the same amount to the same person that were made after this one was begun: the user has probably paid
    /// by one of them what this payment was to pay.
    ///
    /// - Throws: `StoreError` when the ledger cannot be read. The caller must not send the payment again then.
    public func madeSince(_ record: PaymentRecord) async throws(StoreError) -> [PaymentRecord] {
        try await ledger.contents().records.filter { $0.isOneMadeSince(record) && mayBe($0, to: record.contact) }
    }

    /// The payments to this person that are known as made: what an order is compared with that the user fills in from now on.
    ///
    /// - Returns: Their keys; `nil` if the ledger cannot be read.
    public func made(to contact: Contact) async -> Set<UUID>? {
        // Nothing can be paid either while it cannot be read.
        guard let records = try? await ledger.contents().records else { return nil }
        return Set(records.filter { $0.state == .approved && $0.contact.id == contact.id }.map(\.id))
    }

    /// Refuses an order that might be the same payment as another one which the user was not shown, and one whose key is that of
    /// another order.
    ///
    /// - Returns: The payments like it that are known as made.
    func refuseDoubt(_ order: PaymentOrder, _ shown: ShownPayments) async throws(PaymentError) -> [UUID] {
        let known: PaymentRecord?
        let alike: [PaymentRecord]
        var made: [PaymentRecord]
        do throws(StoreError) {
            known = try await ledger.record(order.key)
            alike = await present(try await ledger.contents(), order.amount, order.contact)
            made = try await madeMeanwhile(shown, besides: order)
        } catch { throw .ledger(error) }
        var isResolved = false
        if let known {
            try expectOwn(known)
            guard known.isOf(order) else { throw .unresolved([known]) }
            if known.isDecided { return [] }
            // A payment whose own outcome is unknown is sent again under its key, which resolves it.
            isResolved = known.state == .unknown || known.state == .sending
        }
        made += alike.filter { one in
            let isSince = known.map(one.isOneMadeSince) ?? false || one.isMade(since: order)
            return isSince && !shown.approved.contains(one.id) && !made.contains { $0.id == one.id }
        }
        // A payment that is being sent has no outcome that the user could know, so none is paid besides it.
        let open = unresolved(in: alike).filter { other in
            other.id != order.key && (other.state == .sending || !isResolved && !shown.all.contains(other.id))
        }
        let others = open + made
        guard others.isEmpty else { throw .unresolved(others) }
        return alike.filter { $0.state == .approved }.map(\.id)
    }

    /// The payments that the user was shown as unknown and that were made by now: nobody knows whether a second one is meant.
    private func madeMeanwhile(
        _ shown: ShownPayments, besides order: PaymentOrder
    ) async throws(StoreError) -> [PaymentRecord] {
        var made: [PaymentRecord] = []
        for id in shown.all where id != order.key && !shown.approved.contains(id) {
            if let record = try await ledger.record(id), record.state == .approved { made.append(record) }
        }
        return made.sorted { $0.startedAt > $1.startedAt }
    }

    /// Asks the remote for the outcome of a payment, without making it.
    ///
    /// - Returns: The payment, decided if the remote showed its transaction; `nil` if there is none of this key.
    /// - Throws: ``PaymentError/notAnswered(_:)``, ``PaymentError/otherServer(_:)``.
    public func check(_ id: UUID) async throws(PaymentError) -> PaymentRecord? {
        let found: PaymentRecord?
        do throws(StoreError) { found = try await ledger.record(id) } catch {
            throw .notAnswered(.store(error, after: .connectivity))
        }
        guard let written = found, !underWay.contains(id) else { return found }
        let known = await present(written)
        guard known.state == .unknown || known.state == .sending || known.state == .abandoned else { return known }
        try expectOwn(written)
        let finding = try await ask(id)
        do throws(StoreError) {
            switch finding {
            case .transaction(let transaction): return try await settle(written, known, transaction)
            // While the sender lives, the payment may not have arrived yet.
            case .noTransaction where known.state == .sending: return known
            case .noTransaction: return try await noteMissing(written)
            }
        } catch {
            // The remote's answer is true, even if it could not be recorded.
            guard case .transaction(let transaction) = finding else { return known }
            return known.settled(by: .answered(transaction), of: nil, at: now())
        }
    }

    /// Gives up on an unknown payment, and records the user's decision. The outcome stays unknown, and ``check(_:)``
    /// can still find it.
    ///
    /// - Returns: The payment; unchanged if there was nothing to give up, `nil` if there is none of this key.
    /// - Throws: ``PaymentError/underWay`` while it is being sent, ``PaymentError/notKept(_:)``.
    public func giveUp(_ id: UUID) async throws(PaymentError) -> PaymentRecord? {
        let found: PaymentRecord?
        do throws(StoreError) { found = try await ledger.record(id) } catch { throw .notKept(error) }
        guard let written = found else { return nil }
        let known = await present(written)
        guard known.state != .sending else { throw .underWay }
        guard known.state == .unknown else { return known }
        let date = now()
        do throws(StoreError) {
            let kept = try await ledger.change(id) { current in
                guard var record = current, record == written else { return nil }
                record = record.orphaned
                record.state = .abandoned
                record.abandonedAt = date
                return record
            }
            await clearLock(of: kept)
            return kept
        } catch { throw .notKept(error) }
    }

    /// The current state of a payment. A payment with a dead sender is unknown.
    public func present(_ record: PaymentRecord) async -> PaymentRecord {
        guard record.state == .sending, !underWay.contains(record.id) else { return record }
        if let late = unrecorded[record.id], record.lease?.owner == owner {
            return record.settled(by: late.outcome, of: owner, at: now())
        }
        let isLiving = await hasLivingSender(record)
        // This desk may have begun to send the payment during the look at the lock.
        guard !underWay.contains(record.id) else { return record }
        // A sender records the outcome before it releases the lock, so the outcome may have been recorded since.
        // If the ledger cannot be read now, the record read before is used.
        let latest = (try? await ledger.record(record.id)) ?? record
        guard latest == record, !isLiving else { return latest }
        return await noted(record) ?? record.orphaned
    }

    /// Refuses a payment that was made with another server, because this one does not know it.
    ///
    /// - Throws: ``PaymentError/otherServer(_:)``.
    public nonisolated func expectOwn(_ record: PaymentRecord) throws(PaymentError) {
        if !isOwn(record) { throw .otherServer(record.server) }
    }

    /// True if the payment was to this person: with this server, or with one that calls the same person by this number, because it may be
    /// the same server under another address.
    private nonisolated func mayBe(_ record: PaymentRecord, to contact: Contact) -> Bool {
        record.contact.id == contact.id && (isOwn(record) || record.contact.username == contact.username)
    }

    /// True if the payment was made with this server.
    nonisolated func isOwn(_ record: PaymentRecord) -> Bool { record.server == server }

    private func hasLivingSender(_ record: PaymentRecord) async -> Bool {
        if let isLocked = await isLocked(record) { return isLocked }
        guard let sharing else { return isTurnOfAnother(record.lease, at: now()) }
        // If the store's clock cannot be read now, the turn may last.
        return isTurnOfAnother(record.lease, at: (try? await sharing.presence.time()) ?? .distantPast)
    }

    /// True if the turn of a sender lasts. What this desk wrote and does not send any more is a payment whose outcome could not be
    /// recorded.
    ///
    /// - Parameter time: the time by the clock of the ledger's store, if that has one.
    nonisolated func isTurnOfAnother(_ lease: SendingLease?, at time: Date) -> Bool {
        guard let lease, lease.owner != owner else { return false }
        return sharing == nil ? lease.isCurrent(atOwn: time) : time < lease.until
    }

    /// True if the sender's lock is held, false if the sender is dead; `nil` if the end of its turn must decide, because the lock cannot be
    /// checked, or has no file.
    private func isLocked(_ record: PaymentRecord) async -> Bool? {
        guard let locks else { return nil }
        // The file of a lock may be gone: a loss of power takes it away with the sender, and somebody who cleans up without.
        do throws(StoreError) { return try await locks.isHeld(record.id) } catch { return nil }
    }

    private func ask(_ id: UUID) async throws(PaymentError) -> Finding {
        do throws(LoadError) {
            return try await RemoteLoader<Finding>(.transaction(base, key: id), client: client) { head, body in
                if RefusalDocument.knowsNone(head, body) { return .noTransaction }
                return .transaction(try TransactionMapper.map(head, body))
            }.load()
        } catch { throw .notAnswered(error) }
    }

    /// Records the transaction that the remote showed. A transaction of another amount or person decides nothing. A
    /// payment with a dead sender is then unknown, as after any other invalid answer.
    private func settle(
        _ written: PaymentRecord, _ known: PaymentRecord, _ transaction: PaymentTransaction
    ) async throws(StoreError) -> PaymentRecord {
        let isOrphan = written.state == .sending && known.state != .sending
        let kept =
            try await ledger.change(written.id) { current in
                let record = current ?? written
                let base = isOrphan && record == written ? record.orphaned : record
                return base.settled(by: .answered(transaction), of: nil, at: now())
            } ?? written
        if isOrphan { await clearLock(of: kept) }
        return kept
    }

    /// Records that the remote knows no such payment, unless the payment has changed since the question was sent.
    private func noteMissing(_ written: PaymentRecord) async throws(StoreError) -> PaymentRecord {
        let date = now()
        let kept =
            try await ledger.change(written.id) { current in
                guard var record = current, record == written else { return nil }
                if record.state == .sending { record = record.orphaned }
                record.notFoundAt = date
                return record
            } ?? written
        await clearLock(of: kept)
        return kept
    }

    /// Removes the lock file of a dead sender, because the ledger now has the same information.
    private func clearLock(of record: PaymentRecord?) async {
        guard let record, record.state != .sending else { return }
        await locks?.clear(record.id)
    }

    /// The remote's answer to a question about a key.
    private enum Finding: Sendable {
        case transaction(PaymentTransaction)
        case noTransaction
    }
}
