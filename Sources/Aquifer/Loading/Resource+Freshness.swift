import AquiferConcurrency
import AquiferFoundation

extension Resource {
    /// Loads the latest value as ``load()`` does, whatever the age of the saved copy: the user has asked for it.
    ///
    /// Only a copy of which the server has said that it cannot have changed is delivered without a request
    /// (``StoredEntry/Asking/isImmutable``), if the policy follows the server. Another machine's load under a lease
    /// (``CacheStore/leases``) counts only if it has begun after this call.
    ///
    /// - Throws: the errors of ``load()``.
    public func reload() async throws(LoadError) -> Loaded<Value> {
        if cache.policy.follows == .server, let (recent, isStale) = await recent(ifImmutable: true), !isStale {
            guard !Task.isCancelled else { throw .cancelled }
            return recent
        }
        return try await ask(anew: true)
    }

    /// The saved copy, if it may be delivered without waiting for an answer; stale if it is to be updated behind.
    func recent(ifImmutable: Bool = false) async -> (Loaded<Value>, isStale: Bool)? {
        let policy = cache.policy
        if deniedAt.withLock({ $0 }) != nil || mustAsk.withLock({ $0 }) { return nil }
        // A copy that cannot be read needs a request, whose load tells the error if it matters.
        guard let entry = try? await cache.entry(), let saved = try? cache.fresh(entry) else { return nil }
        guard entry.asking.isImmutable || !ifImmutable, cache.isCurrent(entry, for: remote.fields) else { return nil }
        return policy.leave(entry.asking, savedAt: saved.savedAt, at: cache.time).map { (Self.copy(saved), $0) }
    }

    /// The saved copy if it is fresh, without a request; `nil` if there is none.
    ///
    /// - Throws: ``StoreError`` when there is a copy and it cannot be read.
    public func saved() async throws(StoreError) -> Loaded<Value>? {
        try await cache.load().map { Self.copy($0) }
    }

    /// False if the last answer denied the value.
    ///
    /// - Throws: ``LoadError/ended(_:)`` after the end of its scope.
    func mayShowCopies() async throws(LoadError) -> Bool {
        guard deniedAt.withLock({ $0 }) == nil else { return false }
        do throws(StoreError) { return try await cache.entry()?.asking.isDenied != true } catch {
            if case .ended(let scope) = error { throw .ended(scope) }
            // What cannot be read says nothing about a value that is shown.
            return true
        }
    }

    /// True if a copy that was saved at this date may still be delivered.
    public func isFresh(_ savedAt: Date) -> Bool { cache.isFresh(savedAt) }

    /// Makes the saved copy invalid: the next load asks, whatever ``CachePolicy/askAfter`` and the server's dates say. Call
    /// it when you know that the value has changed on the server, for example after a request that changes it.
    ///
    /// - The copy stays, with its age and its validators: it stands in for the latest if there is no answer, and an answer
    ///   304 makes it valid again.
    /// - The invalidation is saved with the copy, in one atomic step: it survives the process, and counts for each process.
    /// - A load that is under way asks once more, in whatever process, because its answer may be older. That holds for the
    ///   first load, too: without a copy a mark is saved (``Cache/invalidate()``).
    /// - A ``ResourceModel`` of this resource that has appeared loads by itself, also when the invalidation is another
    ///   process's. All models of one resource make one request. If it fails, the value stays invalid, and the next load asks.
    ///
    /// ```swift
    /// try await api.rename(article)
    /// try await articles.invalidate()
    /// ```
    ///
    /// - Throws: ``StoreError`` when the store failed. The next load of this instance asks all the same.
    public func invalidate() async throws(StoreError) {
        invalidations.withLock { $0 += 1 }
        do throws(StoreError) { try await cache.invalidate() } catch {
            mustAsk.withLock { $0 = true }
            throw error
        }
    }

    /// Asks for a value that was made invalid, unless somebody has asked since: once, however many screens show it.
    ///
    /// - Parameter mark: the mark of the invalidation.
    /// - Returns: `nil` if nothing was to be asked for.
    func answer(to mark: Date) async throws(LoadError) -> Loaded<Value>? {
        // The load under way may have begun before the invalidation, and have saved its answer.
        for _ in 0..<2 {
            // A copy that cannot be read needs no answer: it is not on a screen.
            guard let entry = try? await cache.entry(), entry.asking.mark == mark else { return nil }
            let flight = try await flight(for: mark)
            guard let outcome = flight.outcome else { return nil }
            if flight.asked.mark == mark { return try outcome.get() }
        }
        return nil
    }

    /// Updates the copy behind the user's back, as `stale-while-revalidate` allows (RFC 5861). A load asks for it.
    ///
    /// One update runs at a time; a load that asks meanwhile shares its request. It belongs to the resource, which lives at
    /// least until it ends: with its request, which is bounded, or with ``cancelUpdate()``. The caller of the load may leave.
    /// Its answer is saved, and so reaches all who look at the store. Its error is not told: the next load asks again.
    func updateInBackground() {
        backgroundUpdate.withLock { update in
            guard update == nil else { return }
            update = Task {
                let end = await self.end()
                await self.updated.withLock { $0 }?(end)
                self.backgroundUpdate.withLock { $0 = nil }
            }
        }
    }

    /// Waits until the update in the background has ended, if there is one. A test needs it, and a program that ends.
    public func updateEnded() async {
        await backgroundUpdate.withLock { $0 }?.value
    }

    /// Cancels the update in the background, if there is one. Nothing is saved after that, unless a caller of a load waits
    /// for the same answer.
    public func cancelUpdate() {
        backgroundUpdate.withLock { $0 }?.cancel()
    }
}

extension CachePolicy {
    /// The date from which an entry is to be asked for; `nil` leaves that to ``askAfter``. What a server said counts only
    /// while the policy follows it, and an invalidation always.
    func askAt(_ asking: StoredEntry.Asking) -> Date? {
        follows == .server || asking.isDenied ? asking.askAt : asking.mark
    }

    /// `nil` if a copy may not be delivered without waiting for an answer; true if it is to be updated in the background.
    func leave(_ asking: StoredEntry.Asking, savedAt: Date, at now: Date) -> Bool? {
        guard let askAt = askAt(asking) else { return isRecent(savedAt, at: now) ? false : nil }
        // A copy from the future has no known age.
        guard isFresh(savedAt, at: now), savedAt <= now else { return nil }
        if now < askAt { return false }
        guard follows == .server, let staleUntil = asking.staleUntil, now < staleUntil else { return nil }
        return true
    }
}
