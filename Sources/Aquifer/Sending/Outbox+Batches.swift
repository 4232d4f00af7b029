import AquiferConcurrency

/// Claims and ends of items that are wanted at the same time, in few steps of a store that can carry out many at once.
extension Outbox {
    /// The wishes of those who send, and what is known of the items that they have claimed.
    struct Batching {
        fileprivate var claims: [(number: UInt64, rule: ClaimRule, answer: Answering<OutboxShelf.Attempt>)] = []
        fileprivate var deletions: [(number: UInt64, seen: OutboxShelf.Claimed, answer: Answering<Bool>)] = []
        /// True while a step is under way. Meanwhile the next one gathers what is wanted: it is as large as it can be.
        fileprivate var isStepping = false
        /// The items that are being sent from here, as they were claimed.
        var claimed: [UInt64: OutboxShelf.Claimed] = [:]
    }

    fileprivate typealias Answering<Value> = CheckedContinuation<Result<Value, StoreError>, Never>

    /// Claims an item together with others.
    func claim(
        _ number: UInt64, _ rule: ClaimRule, _ batches: any EntryBatches
    ) async throws(StoreError) -> OutboxRecord? {
        let attempt = try await withCheckedContinuation { answer in
            batching.claims.append((number, rule, answer))
            beginStep(batches)
        }.get()
        guard let finding = attempt.finding else {
            // Somebody else was quicker. It is read before it is tried again.
            heard.withLock { _ = $0.numbers.insert(number) }
            return nil
        }
        index.note(finding, number)
        guard let claimed = attempt.claimed, case .record(let record) = finding else { return nil }
        batching.claimed[number] = claimed
        return record
    }

    /// Deletes an item that was claimed here, together with others.
    ///
    /// - Returns: false if it is not as it was claimed; nothing is deleted then.
    func delete(
        _ number: UInt64, _ claimed: OutboxShelf.Claimed, _ batches: any EntryBatches
    ) async throws(StoreError) -> Bool {
        try await withCheckedContinuation { answer in
            batching.deletions.append((number, claimed, answer))
            beginStep(batches)
        }.get()
    }

    private func beginStep(_ batches: any EntryBatches) {
        if batching.isStepping { return }
        batching.isStepping = true
        Task {
            while !batching.claims.isEmpty || !batching.deletions.isEmpty { await step(batches) }
            batching.isStepping = false
        }
    }

    private func step(_ batches: any EntryBatches) async {
        let (claims, deletions) = (batching.claims, batching.deletions)
        (batching.claims, batching.deletions) = ([], [])
        do throws(StoreError) {
            let answers = try await shelf.step(
                claims: claims.map { ($0.number, $0.rule) }, deletions: deletions.map { ($0.number, $0.seen) }, batches)
            for (claim, answer) in zip(claims, answers.claims) { claim.answer.resume(returning: .success(answer)) }
            for (deletion, answer) in zip(deletions, answers.deletions) {
                deletion.answer.resume(returning: .success(answer))
            }
        } catch {
            for claim in claims { claim.answer.resume(returning: .failure(error)) }
            for deletion in deletions { deletion.answer.resume(returning: .failure(error)) }
        }
    }
}
