import AquiferConcurrency
import AquiferFoundation

extension Resource {
    /// The outcome of a load; `nil` if it had nothing to ask for.
    struct Flight: Sendable {
        let outcome: Result<Loaded<Value>, LoadError>?
        let asked: Asked
        /// Set if another machine's load has given the value.
        var borrowed: Borrowed?
    }

    /// What was known before the last request of a load.
    struct Asked: Sendable {
        /// The number of invalidations by this instance.
        var count: UInt64
        /// The mark of the entry.
        var mark: Date?
        /// True if the value was made invalid after the request, by another process, and its answer is not saved.
        var isOvertaken = false
        /// True if this is not the first request of the load.
        var isAgain = false
    }

    /// A load that another machine has made for this one.
    struct Borrowed: Sendable {
        /// The number of the flight of this instance that waited for it.
        let flight: UInt64
        /// True if it began after that flight.
        let isLater: Bool

        /// True if it began after a caller who came when there had been so many flights.
        func isNew(after flights: UInt64) -> Bool { isLater && flight > flights }
    }
}

/// A load under a lease: one machine asks, and the others wait for its answer.
extension Resource {
    /// Asks under the lease of the key, or waits for the load of the machine that has it.
    ///
    /// - A load of another machine that fails is no failure here: this one takes the lease and asks. After two such loads, or a
    ///   minute, it asks without one.
    /// - Leases that fail stop nothing: each machine then asks. Those that do not answer delay a load by ``LeasePolicy/answer``, before it
    ///   asks and before it delivers.
    ///
    /// - Parameter anew: true if the user has asked. A load that began earlier on another machine is not taken then.
    func run(_ leases: any LoadLeases, anew: Bool, _ ask: () async -> Flight) async -> Flight {
        let number = flightCount.withLock { count in
            count += 1
            return count
        }
        let bell = Bell()
        let isOverdue = Locked(false)
        // Both begin before the first look, so that nothing is missed after it.
        let observations = [
            leases.ends.observe { [key = cache.key] change in if change.concerns(key) { bell.ring() } },
            cache.observe { bell.ring() },
            Alarm.after(leasing.patience, on: clock) {
                isOverdue.withLock { $0 = true }
                bell.ring()
            },
        ]
        defer { for observation in observations { observation.cancel() } }
        var others = Others(count: invalidations.withLock { $0 }, isAnew: anew)
        while !Task.isCancelled, !isOverdue.withLock({ $0 }), others.failures < 2 {
            let heard = bell.rings
            guard let answer = await take(leases, unlessSavedSince: others.first) else { break }
            switch answer {
            case .granted(let lease):
                if !anew, cache.policy.mayAskLater, let (recent, isStale) = await recent(), !isStale {
                    await end(leases, lease, isSaved: false)
                    let borrowed = Borrowed(flight: number, isLater: false)
                    return Flight(outcome: .success(recent), asked: Asked(count: others.count), borrowed: borrowed)
                }
                return await hold(leases, lease, ask)
            case .saved(let lease):
                if let loaded = await saved(since: others) {
                    let borrowed = Borrowed(flight: number, isLater: others.isLater(lease))
                    return Flight(outcome: .success(loaded), asked: Asked(count: others.count), borrowed: borrowed)
                }
                // It was changed here, or made invalid, or cannot be read: only a later load will do.
                others.first = lease + 1
                others.failures += 1
            case .held(let lease):
                others.see(lease)
                await bell.wait(after: heard, atMost: leasing.look, on: clock)
            }
        }
        return await ask()
    }

    /// The loads of other machines, as far as this one has seen them.
    private struct Others {
        /// The number of invalidations by this instance when this load began.
        let count: UInt64
        let isAnew: Bool
        /// The first load whose answer is good enough; `nil` before any was seen.
        var first: UInt64?
        private var began: UInt64?
        private var last: UInt64?
        /// The loads that ended without an answer that could be taken.
        var failures = 0

        init(count: UInt64, isAnew: Bool) {
            self.count = count
            self.isAnew = isAnew
        }

        /// Sees who has the lease now.
        mutating func see(_ lease: UInt64) {
            if began == nil {
                began = lease
                // The load that is under way may have begun before the user asked.
                first = isAnew ? lease + 1 : lease
            }
            if let last, last != lease, last >= first ?? 0 { failures += 1 }
            last = lease
        }

        /// True if a load began after this one.
        func isLater(_ lease: UInt64) -> Bool { began.map { lease > $0 } ?? false }
    }

    /// Asks, and keeps the lease meanwhile.
    private func hold(_ leases: any LoadLeases, _ lease: UInt64, _ ask: () async -> Flight) async -> Flight {
        let keeper = Task { [key = cache.key, leasing, clock] in
            while true {
                // Sleeping throws only when the task was cancelled.
                do { try await clock.pause(for: leasing.span / 3) } catch { return }
                // A failing place may answer the next time. Without the lease, the load goes on: its save decides for itself.
                if (try? await leases.renew(key, lease, for: leasing.span)) == false { return }
            }
        }
        let flight = await ask()
        keeper.cancel()
        var isSaved = false
        if case .success(let loaded)? = flight.outcome {
            isSaved = loaded.source == .remote && loaded.saveError == nil && loaded.savedAt != nil
        }
        await end(leases, lease, isSaved: isSaved)
        return flight
    }

    /// The value that another machine has saved, if it is as good as an answer.
    private func saved(since others: Others) async -> Loaded<Value>? {
        // What cannot be read is asked for here. A copy may be older: its change may not have been told yet.
        guard let entry = try? await cache.entryItself(), let saved = try? cache.fresh(entry), entry.isAnswer,
            entry.asking.mark == nil, !entry.asking.isDenied, others.count == invalidations.withLock({ $0 })
        else { return nil }
        let loaded = Loaded(saved.value, source: .remote, savedAt: saved.savedAt)
        deniedAt.withLock { $0 = nil }
        hub.withLock { $0 }?.publish(loaded, EntryFingerprint(entry))
        return loaded
    }

    // MARK: Asking the leases

    private func take(_ leases: any LoadLeases, unlessSavedSince first: UInt64?) async -> LeaseAnswer? {
        let (key, span) = (cache.key, leasing.span)
        return await inTime { () async throws(StoreError) in
            try await leases.take(key, for: span, unlessSavedSince: first)
        } late: { answer in
            // Nobody waits for this lease any more. If it cannot be ended, its time ends it.
            if case .granted(let lease) = answer { try? await leases.end(key, lease, isSaved: false) }
        }
    }

    private func end(_ leases: any LoadLeases, _ lease: UInt64, isSaved: Bool) async {
        let key = cache.key
        _ = await inTime { () async throws(StoreError) in try await leases.end(key, lease, isSaved: isSaved) }
    }

    /// The result of a call; `nil` if it fails, or takes longer than the policy allows. It goes on even if this task is cancelled.
    private func inTime<Answer: Sendable>(
        _ call: @escaping @Sendable () async throws(StoreError) -> Answer,
        late: @escaping @Sendable (Answer) async -> Void = { _ in }
    ) async -> Answer? {
        let state = Locked<(isLate: Bool, answer: Answer?)>((false, nil))
        let bell = Bell()
        Task {
            // A place that fails is a place without leases.
            let answer = try? await call()
            let isLate = state.withLock { state in
                state.answer = answer
                return state.isLate
            }
            bell.ring()
            if isLate, let answer { await late(answer) }
        }
        await bell.wait(after: 0, atMost: leasing.answer, on: clock)
        return state.withLock { state in
            state.isLate = state.answer == nil
            return state.answer
        }
    }
}
