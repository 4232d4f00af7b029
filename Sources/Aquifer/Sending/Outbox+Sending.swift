import AquiferConcurrency
import AquiferFoundation

extension Outbox {
    /// Claims an item, sends it, and saves the outcome.
    ///
    /// - Returns: the outcome; `nil` if it could not be claimed.
    func send(_ number: UInt64) async -> Outcome.Kind? {
        let group = index.group(of: number)
        defer {
            sending[number] = nil
            batching.claimed[number] = nil
            progress.withLock { $0[number] = nil }
            offer(group)
            work.ring()
            changes.ring()
        }
        do throws(StoreError) {
            guard let record = try await claim(number) else { return nil }
            changes.ring()
            let trip = await carry(number, record)
            do throws(StoreError) {
                if case .nothing = try await settle(number, record, trip), trip.outcome.kind != .sent {
                    let mayHaveArrived = record.head.mayHaveArrived || trip.mayHaveArrived(record.head.length)
                    return mayHaveArrived ? .gone : .stopped
                }
            } catch {
                // A sent item whose outcome could not be saved is sent again with the same key.
                storeFailure = error
                if case .sent(let answer) = trip.outcome { noteEnd(number, .sent(answer)) }
            }
            return trip.outcome.kind
        } catch {
            storeFailure = error
            return nil
        }
    }

    /// Claims an item for this outbox; `nil` if another outbox has claimed it, or it must not be sent now.
    private func claim(_ number: UInt64) async throws(StoreError) -> OutboxRecord? {
        await lookForSender(of: number)
        let now = policy.now()
        let rule = ClaimRule(
            lease: .init(owner: owner, span: Span(since: now, policy.lease), holder: presence?.name), now: now,
            isReleased: index.rows[number]?.released != nil, holders: index.holders,
            unchanged: index.unchanged(number))
        if let batches = shelf.store.batches { return try await claim(number, rule, batches) }
        let (finding, isClaimed) = try await shelf.change(number) { record -> (OutboxShelf.Change, Bool) in
            let isClaimed = rule.claim(&record)
            return (isClaimed ? .replace : .keep, isClaimed)
        }
        index.note(finding, number)
        guard isClaimed == true, case .record(let record) = finding else { return nil }
        return record
    }

    /// Sends a claimed item.
    func carry(
        _ number: UInt64, _ record: OutboxRecord, onSent: (@Sendable (UInt64) -> Void)? = nil
    ) async -> Trip {
        let (most, start) = (Locked<UInt64>(0), policy.now())
        let request: HTTPRequest
        do throws(CannotBeMade) {
            request = try await self.request(record, number) { sent in
                most.withLock { $0 = max($0, sent) }
                onSent?(sent)
            }
        } catch {
            if events != nil { tell(error.outcome, of: record.head, since: start) }
            return Trip(outcome: error.outcome, mostSent: 0)
        }
        let item = Item(ID(number: number), record.head, .sending(sent: 0))
        let outcome = Locked(Outcome.stopped())
        let judge = judge(of: record.head, number)
        let transfer = Task { [client, policy, attachments, shelf] in
            // A copy is read anew before each attempt: a bit may have flipped on the disk since it was made.
            do throws(AttachmentTrouble) { try await attachments?.check(record.message.parts ?? []) } catch {
                return outcome.withLock { $0 = CannotBeMade(error).outcome }
            }
            // A process that was stopped since it claimed the item sends nothing of a user who has logged out.
            if shelf.store.changes.mayEnd, await shelf.hasEnded { return }
            let result = await Outcome(of: request, item, client, judge, policy)
            outcome.withLock { $0 = result }
        }
        sending[number] = transfer
        changes.ring()
        let observation = shelf.store.changes.mayEnd ? observeEnd(of: transfer) : nil
        defer { observation?.cancel() }
        // The end may have come before it was observed.
        if observation != nil, await shelf.hasEnded { transfer.cancel() }
        let keeper = Task { await keepClaim(number, record.head.key, transfer) }
        await withTaskCancellationHandler {
            await transfer.value
        } onCancel: {
            transfer.cancel()
        }
        keeper.cancel()
        await keeper.value
        let trip = Trip(
            outcome: outcome.withLock { $0 }, mostSent: most.withLock { $0 }, length: request.body?.length ?? 0)
        if events != nil { tell(trip.outcome, of: record.head, since: start) }
        return trip
    }

    /// Cancels a transfer when the scope of the store ends.
    private func observeEnd(of transfer: Task<Void, Never>) -> StoreObservation {
        shelf.store.changes.observe { [shelf] change in
            guard change == .everything else { return }
            Task { if await shelf.hasEnded { transfer.cancel() } }
        }
    }

    private func request(
        _ record: OutboxRecord, _ number: UInt64, _ onSent: @escaping @Sendable (UInt64) -> Void
    ) async throws(CannotBeMade) -> HTTPRequest {
        var request: HTTPRequest
        do throws(AttachmentTrouble) {
            request = HTTPRequest(record, body: try await record.message.body(in: attachments))
        } catch { throw CannotBeMade(error) }
        if let change = record.head.change { request = try await self.request(of: change, number, queued: request) }
        request.headers["Idempotency-Key"] = record.head.key
        let (progress, changes) = (progress, changes)
        request.onSent = { sent in
            progress.withLock { $0[number] = sent }
            onSent(sent)
            changes.ring()
        }
        return request
    }

    /// Renews the claim while the item is being sent, and stops the transfer when the claim is lost.
    private func keepClaim(_ number: UInt64, _ key: String, _ transfer: Task<Void, Never>) async {
        while true {
            // Sleeping throws only when the task was cancelled.
            do { try await policy.clock.pause(for: policy.lease / 3) } catch { return }
            let lease = OutboxRecord.Lease(
                owner: owner, span: Span(since: policy.now(), policy.lease), holder: presence?.name)
            do throws(StoreError) {
                let renewal = try await shelf.changeOurs(number, owner: owner, key: key) { head in
                    head.lease = lease
                    return .replace
                }
                if !renewal.wasOurs { return transfer.cancel() }
            } catch {
                if case .ended = error { return transfer.cancel() }
                // A failing store may work again when the answer arrives. A process that takes over meanwhile sends the
                // same key.
                continue
            }
        }
    }
}

extension HTTPRequest {
    /// The request that was queued.
    init(_ record: OutboxRecord, body: HTTPBody?) {
        let headers = HTTPHeaders(record.message.headers.map { HTTPHeaders.Field($0.first ?? "", $0.last ?? "") })
        self.init(
            HTTPMethod(rawValue: record.head.method), record.head.url, headers: headers, body: body,
            limits: record.message.limits, followsRedirects: record.message.followsRedirects)
    }
}
