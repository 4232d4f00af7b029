import AquiferFoundation

extension Outbox {
    /// Saves the outcome of an attempt.
    ///
    /// - Returns: the item after the change.
    @discardableResult
    func settle(_ number: UInt64, _ record: OutboxRecord, _ trip: Trip) async throws(StoreError) -> OutboxShelf.Finding
    {
        let (host, finding) = (record.head.host, try await write(number, record, trip))
        let now = policy.now()
        switch trip.outcome {
        case .again(let failure, let retryAfter, let isHost, _):
            // The item itself waits in any case. Foreign answers concern the host only when two items had one.
            if failure.isForeign ? index.doubt(number, host) : isHost {
                let wait = policy.wait(after: record.head.attempts + 1, retryAfter: retryAfter?.wait)
                index.close(host, now, asked: asked(retryAfter, now)) { max(wait, policy.wait(after: $0)) }
            }
            index.failed(number)
        case .sent, .refused, .stopped: break
        }
        index.note(finding, number)
        switch trip.outcome {
        case .again(.status, _, isHost: false, _), .sent, .refused(.server):
            if index.opened(host, now) { findReady() }
        case .again, .refused, .stopped: break
        }
        return finding
    }

    private func write(
        _ number: UInt64, _ record: OutboxRecord, _ trip: Trip
    ) async throws(StoreError) -> OutboxShelf.Finding {
        let (key, now, mayHaveArrived) = (record.head.key, policy.now(), trip.mayHaveArrived(record.head.length))
        switch trip.outcome {
        case .sent(let answer):
            if let change = record.head.change { return try await confirm(number, record, change, answer) }
            await Self.$telling.withValue(Self.telling.union([Telling(owner: owner, number: number)])) {
                await whenSent(Item(ID(number: number), record.head, .sent(answer)), answer)
            }
            noteEnd(number, .sent(answer))
            let finding = try await delete(number, sent: key)
            if case .nothing = finding { await attachments?.remove(record.message.keptFiles) }
            return finding
        case .again(let failure, let retryAfter, _, _):
            let span = Span(since: now, policy.wait(after: record.head.attempts + 1, retryAfter: retryAfter?.wait))
            let wait = OutboxRecord.Wait(span: span, failure: failure, asked: asked(retryAfter, now))
            return try await shelf.changeOurs(number, owner: owner, key: key) { head in
                head.lease = nil
                head.attempts += 1
                head.wait = wait
                if mayHaveArrived { head.mayHaveArrived = true }
                return .replace
            }.finding
        case .refused(let refusal):
            return try await shelf.changeOurs(number, owner: owner, key: key) { head in
                head.lease = nil
                head.wait = nil
                head.refusal = refusal
                // A refusal of this attempt does not tell whether an earlier one arrived.
                if refusal.mayHaveArrived { head.mayHaveArrived = true }
                return .replace
            }.finding
        case .stopped:
            return try await shelf.changeOurs(number, owner: owner, key: key) { head in
                head.lease = nil
                // Nobody knows how much of it has left. A change that was tried is followed by another one.
                if mayHaveArrived || head.change != nil { head.mayHaveArrived = true }
                return .replace
            }.finding
        }
    }

    /// Deletes an item that was sent. The server has it, so that it is deleted even if another outbox has claimed it by now.
    private func delete(_ number: UInt64, sent key: String) async throws(StoreError) -> OutboxShelf.Finding {
        if let batches = shelf.store.batches, let claimed = batching.claimed[number],
            try await delete(number, claimed, batches)
        {
            return .nothing
        }
        return try await shelf.change(number) { $0.head.key == key ? .delete : .keep }
    }

    /// The wait that a server asked for, at most the policy's `patience`. A user ends one that only our own clock could measure.
    private func asked(_ retryAfter: (wait: Duration, isByOurClock: Bool)?, _ now: Date) -> Span? {
        guard let (wait, isByOurClock) = retryAfter, !isByOurClock, wait > .zero else { return nil }
        return Span(since: now, min(wait, policy.patience))
    }
}
