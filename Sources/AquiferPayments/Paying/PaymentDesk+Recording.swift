import Aquifer
import AquiferFoundation

/// The ledger's news of a payment that this desk sends.
extension PaymentDesk {
    /// The pause before an outcome is recorded again. Each that fails doubles the pause.
    static let firstPause = Duration.seconds(1)
    /// The longest of these pauses.
    static let longestPause = Duration.seconds(60)

    /// True while a payment is being sent here, or while an outcome that is known here could not be recorded yet. The end of this
    /// desk would leave that outcome unknown.
    public var hasUnrecorded: Bool { !underWay.isEmpty || !unrecorded.isEmpty }

    /// An outcome that is known here, and could not be recorded yet.
    struct Unrecorded: Sendable {
        /// The payment as it was begun; `nil` if not even that is known to be recorded.
        let begun: PaymentRecord?
        let outcome: PaymentOutcome
        let task: Task<Void, Never>
    }

    /// Records that this desk sends a payment, unless it is decided, or somebody else who lives sends it.
    ///
    /// - Parameter made: the payments like it that are known as made.
    /// - Returns: The payment as it is recorded, and whether its request may be begun at a moment.
    func write(
        _ order: PaymentOrder, after made: [UUID], isLocked: Bool
    ) async throws(PaymentError) -> (PaymentRecord, maySend: @Sendable () -> Bool) {
        // Measured from before the look at the store's clock, so that the turn ends later than it says here.
        let maySend = clock.within(SendingLease.begin)
        let time: Date
        do throws(StoreError) { time = try await sharing?.presence.time() ?? now() } catch { throw .ledger(error) }
        let (owner, until) = (owner, time.addingTimeInterval(SendingLease.length.timeInterval))
        let lease = SendingLease(owner: owner, until: until, followsDoubt: false)
        let new = PaymentRecord(order, at: now(), server: server, lease: lease, madeBefore: made)
        // The outcome of an earlier try of this desk must not be taken for that of this one.
        let earlier = await stopRecording(order.key)
        do throws(StoreError) {
            let written =
                try await ledger.change(order.key) { known in
                    guard let known else { return new }
                    if known.isDecided { return nil }
                    if !isLocked, known.state == .sending, self.isTurnOfAnother(known.lease, at: time) { return nil }
                    return known.begun(by: owner, until: until)
                } ?? new
            if let earlier, written.lease?.owner != owner { recordLater(order.key, earlier.begun, earlier.outcome) }
            return (written, maySend)
        } catch {
            // It may have been recorded all the same. Then others would wait for it as long as this process lives.
            recordLater(order.key, earlier?.begun, earlier?.outcome ?? .unsent())
            throw .ledger(error)
        }
    }

    /// Records that a payment was not sent after all.
    func withdraw(_ begun: PaymentRecord) async throws(PaymentError) {
        let owner = owner
        do throws(StoreError) {
            try await ledger.change(begun.id) { ($0 ?? begun).settled(by: .unsent(), of: owner, at: now()) }
        } catch {
            recordLater(begun.id, begun, .unsent())
            throw .ledger(error)
        }
    }

    /// Records the outcome of a payment that this desk has sent; later, if it cannot be recorded now.
    func record(_ outcome: PaymentOutcome, of begun: PaymentRecord, _ lock: SendingLock?) async -> PaymentRecord {
        let owner = owner
        do throws(StoreError) {
            let settled =
                try await ledger.change(begun.id) { known in (known ?? begun).settled(by: outcome, of: owner, at: now())
                }
                ?? begun
            await lock?.release(isSettled: true)
            return settled
        } catch {
            // The ledger still has the state "sending". A free lock shows others that it is unknown. That is true, and safe.
            await lock?.note(OutcomeNote(owner: owner, outcome: outcome))
            await lock?.release(isSettled: false)
            recordLater(begun.id, begun, outcome)
            return begun.settled(by: outcome, of: owner, at: now())
        }
    }

    /// Records an outcome as soon as that is possible, while this desk lives.
    private func recordLater(_ id: UUID, _ begun: PaymentRecord?, _ outcome: PaymentOutcome) {
        let task = Task { [weak self, clock] in
            var pause = Self.firstPause
            while true {
                // Sleeping throws only when the task was cancelled.
                do { try await clock.sleep(for: pause) } catch { return }
                guard let self, await !self.hasRecorded(id, begun, outcome) else { return }
                pause = min(pause * 2, Self.longestPause)
            }
        }
        unrecorded[id] = Unrecorded(begun: begun, outcome: outcome, task: task)
    }

    /// True if the outcome is recorded, or never will be.
    private func hasRecorded(_ id: UUID, _ begun: PaymentRecord?, _ outcome: PaymentOutcome) async -> Bool {
        let owner = owner
        do throws(StoreError) {
            let kept = try await ledger.change(id) { known in
                (known ?? begun)?.settled(by: outcome, of: owner, at: now())
            }
            if kept?.state != .sending { await locks?.clear(id) }
        } catch {
            // The user was removed, with all payments.
            guard case .ended = error else { return false }
        }
        unrecorded[id] = nil
        endings.ring()
        return true
    }

    /// Ends the attempts to record an outcome.
    ///
    /// - Returns: The outcome, if there is one.
    private func stopRecording(_ id: UUID) async -> Unrecorded? {
        guard let late = unrecorded.removeValue(forKey: id) else { return nil }
        late.task.cancel()
        await late.task.value
        return late
    }

    // MARK: Notes

    /// A payment whose sender has gone, by the outcome that the sender has noted: recorded, if that is possible now.
    ///
    /// - Returns: The payment; `nil` if nothing was noted for this try.
    func noted(_ record: PaymentRecord) async -> PaymentRecord? {
        guard let locks, let note = await locks.note(of: record.id), note.owner == record.lease?.owner else {
            return nil
        }
        let settled = record.settled(by: note.outcome, of: note.owner, at: now())
        do throws(StoreError) {
            let kept = try await ledger.change(record.id) { $0 == record ? settled : nil }
            if kept?.state != .sending { await locks.clear(record.id) }
            return kept
        } catch {
            // The note is true all the same, and stays.
            return settled
        }
    }

    /// Records what an earlier sender of this payment has noted, before the payment is sent again.
    func recordNoted(_ id: UUID) async {
        // A ledger that cannot be read stops the payment in the next step.
        if let known = try? await ledger.record(id), known.state == .sending { _ = await noted(known) }
    }

    /// True if the ledger has the payment in this state, or gets it soon: waits for a record that failed before.
    ///
    /// - Parameters:
    ///   - record: the payment with the state that it is to have.
    ///   - patience: the longest wait.
    public func isRecorded(_ record: PaymentRecord, within patience: Duration) async -> Bool {
        var waits = 0
        while unrecorded[record.id] != nil, waits < Int(patience.components.seconds) {
            waits += 1
            await nextOutcome()
        }
        // A ledger that cannot be read has not been written either.
        return (try? await ledger.record(record.id))?.state == record.state
    }
}
