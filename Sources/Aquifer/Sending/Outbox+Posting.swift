extension Outbox {
    /// The outcome of a request that was posted.
    public enum Delivery: Sendable, Hashable {
        /// The server has the request. It is no longer in the queue; if the store could not remove it, it is sent once
        /// more with its key.
        case sent(Answer)
        /// There was no connection, or an ``AuthenticatingClient`` had no credentials, so that nothing was sent. The reason is for
        /// developers. The request is no longer in the queue.
        case notSent(String)
        /// The server refused the request, or it cannot be sent. It is no longer in the queue.
        ///
        /// After a 401 the words of the refusal are empty: log the user in, and post the request again. (Items that were queued
        /// with ``Outbox/enqueue(_:key:group:label:)`` wait after a 401.)
        case refused(Refusal)
        /// The request was refused, and is still in the queue as this item. After a 409 it is unknown whether the
        /// server has it: the item is set aside with its key until someone decides. An item that could not be removed
        /// from the queue is tried again with its key.
        case setAside(ID, Refusal)
        /// It is unknown whether the server has the request. It stays in the queue as this item, and is tried again
        /// with its key. The same holds for a request that was cancelled here, if another process sends it by now or it
        /// could not be paused.
        case unknown(ID, Failure)
        /// The calling task was cancelled, or someone paused or discarded the item. With an `ID` the request stays in
        /// the queue as that item, paused, with its key, because it may have arrived or someone has paused it. Without
        /// an `ID` it is no longer in the queue.
        case cancelled(ID?, mayHaveArrived: Bool)
    }

    /// Queues a request and sends it at once. Use it for a request whose outcome the user waits for.
    ///
    /// The request is on disk with its key before it is sent. It leaves the queue if it certainly has not arrived, or if the
    /// server refused it, with a 401 too. It stays if it may have arrived, so that it is repeated only with the same key. It
    /// waits for no other item, and for no `Retry-After` of the host. The outbox calls its `whenSent` for this request, too.
    /// No other process sends it meanwhile; if this one is killed, another process takes over.
    ///
    /// - Parameters:
    ///   - request: the request, as for ``enqueue(_:key:group:label:)``.
    ///   - key: the idempotency key, if the request has one already; by default, a new one.
    ///   - label: the app's name for it, for lists.
    ///   - onSent: receives the number of bytes of the body that have been sent, see ``HTTPRequest/onSent``.
    /// - Throws: the errors of ``enqueue(_:key:group:label:)``. Nothing is queued or sent then. Only after
    ///   ``StoreError/uncertain(operation:reason:)`` it may be queued, and is sent later: look at ``items()`` before you post it again.
    public func post(
        _ request: HTTPRequest, key: String? = nil, label: String = "", onSent: (@Sendable (UInt64) -> Void)? = nil
    ) async throws(OutboxError) -> Delivery {
        let (number, record) = try await keep(request, key: key, group: nil, label: label, isOurs: true)
        index.note(.record(record), number)
        defer {
            sending[number] = nil
            progress.withLock { $0[number] = nil }
            offer(index.group(of: number))
            work.ring()
            changes.ring()
        }
        let trip = await carry(number, record, onSent: onSent)
        do throws(StoreError) {
            return try await conclude(number, record, trip)
        } catch {
            // The outcome could not be saved: the item is in the queue as before, and is sent again with its key.
            return trip.delivery(ofKept: ID(number: number))
        }
    }

    /// Removes an item from the queue or leaves it there, depending on its attempt.
    private func conclude(
        _ number: UInt64, _ record: OutboxRecord, _ trip: Trip
    ) async throws(StoreError) -> Delivery {
        let id = ID(number: number)
        switch trip.outcome {
        case .again(.status(401), _, _, _):
            // The user waits for this request, and is told at once. Nothing is kept: the request is posted again after the login.
            let refusal = Refusal.server(status: 401, words: "")
            if try await leave(number, record) { return .refused(refusal) }
            try await settle(number, record, trip)
            return .unknown(id, .status(401))
        case .sent(let answer):
            try await settle(number, record, trip)
            return .sent(answer)
        case .again(let failure, _, _, let isUnsent):
            if isUnsent, trip.mostSent == 0, try await leave(number, record) { return .notSent("\(failure)") }
            // The item may have been discarded while it was sent.
            if case .nothing = try await settle(number, record, trip) {
                return .cancelled(nil, mayHaveArrived: trip.mayHaveArrived(record.head.length))
            }
            return .unknown(id, failure)
        case .refused(let refusal):
            if !refusal.mayHaveArrived, try await leave(number, record) { return .refused(refusal) }
            if case .nothing = try await settle(number, record, trip) { return .refused(refusal) }
            return .setAside(id, refusal)
        case .stopped:
            return try await concludeStopped(number, record, mayHaveArrived: trip.mayHaveArrived(record.head.length))
        }
    }

    private func concludeStopped(
        _ number: UInt64, _ record: OutboxRecord, mayHaveArrived: Bool
    ) async throws(StoreError) -> Delivery {
        if !mayHaveArrived, try await leave(number, record) { return .cancelled(nil, mayHaveArrived: false) }
        // The item is paused until someone decides.
        let finding = try await shelf.changeOurs(number, owner: owner, key: record.head.key) { head in
            head.lease = nil
            head.isPaused = true
            if mayHaveArrived { head.mayHaveArrived = true }
            return .replace
        }.finding
        index.note(finding, number)
        let id = ID(number: number)
        switch finding {
        case .nothing: return .cancelled(nil, mayHaveArrived: mayHaveArrived)
        case .record(let record) where record.head.isPaused: return .cancelled(id, mayHaveArrived: mayHaveArrived)
        case .record, .damaged: return .unknown(id, .stoppedHere)
        }
    }

    /// Removes an item that has not arrived from the queue, unless another process sends it by now.
    private func leave(_ number: UInt64, _ record: OutboxRecord) async throws(StoreError) -> Bool {
        let (finding, hasLeft) = try await shelf.changeOurs(number, owner: owner, key: record.head.key) { _ in .delete }
        index.note(finding, number)
        if hasLeft { await attachments?.remove(record.message.keptFiles) }
        return hasLeft
    }
}

extension Outbox.Failure {
    /// The failure of a post that was cancelled here, whose item is in the queue and not paused.
    fileprivate static let stoppedHere = Self.noAnswer("cancelled here, and still to be sent")
}

extension Outbox.Trip {
    /// The delivery of an item that is still in the queue as it was, unless the server has it.
    fileprivate func delivery(ofKept id: Outbox.ID) -> Outbox.Delivery {
        switch outcome {
        case .sent(let answer): .sent(answer)
        case .again(let failure, _, _, _): .unknown(id, failure)
        case .refused(let refusal): .setAside(id, refusal)
        case .stopped: .unknown(id, .stoppedHere)
        }
    }
}
