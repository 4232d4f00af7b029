import AquiferConcurrency
import AquiferFoundation

extension Resource {
    /// Makes the saved copy invalid: the next load asks, whatever ``CachePolicy/askAfter`` and the server's dates say. Call
    /// it when you know that the value has changed on the server, for example after a request that changes it.
    ///
    /// - The copy stays, with its age and its validators: it stands in for the latest if there is no answer, and an answer
    ///   304 makes it valid again.
    /// - The invalidation is saved with the copy, in one atomic step: it survives the process, and counts for each process.
    /// - A load that is under way asks once more, because its answer may be older. So does one in another process, if there
    ///   is a copy.
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
            isDenied.withLock { $0 = true }
            throw error
        }
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
                _ = try? await self.ask()  // see above
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
    /// `nil` if a copy may not be delivered without waiting for an answer; true if it is to be updated in the background.
    func leave(_ asking: StoredEntry.Asking, savedAt: Date, at now: Date) -> Bool? {
        guard let askAt = asking.askAt else { return isRecent(savedAt, at: now) ? false : nil }
        // A copy from the future has no known age.
        guard isFresh(savedAt, at: now), savedAt <= now else { return nil }
        if now < askAt { return false }
        guard follows == .server, let staleUntil = asking.staleUntil, now < staleUntil else { return nil }
        return true
    }
}
