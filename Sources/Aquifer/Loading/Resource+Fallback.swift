import AquiferFoundation

/// The copy that stands in for the latest.
extension Resource {
    /// True if an error of a load hides the value.
    func isDenial(_ error: LoadError) -> Bool { error.reason != nil && !fallback.allows(error) }

    /// The outcome of a load whose remote gave no valid answer: the saved copy, or the error.
    func instead(of error: LoadError) async -> Result<Loaded<Value>, LoadError> {
        if error.isEnd { hub.withLock { $0 }?.end() }
        guard let reason = error.reason else { return .failure(error) }
        guard fallback.allows(error) else {
            deniedAt.withLock { $0 = cache.time }
            hub.withLock { $0 }?.hide()
            return .failure(error)
        }
        do throws(LoadError) { return .success(try await copy(after: error, reason)) } catch { return .failure(error) }
    }

    private func copy(after error: LoadError, _ reason: FallbackReason) async throws(LoadError) -> Loaded<Value> {
        let found: (entry: StoredEntry, saved: Saved<Value>)?
        do throws(StoreError) {
            found = try await cache.entry().flatMap { entry throws(StoreError) in
                try cache.fresh(entry).map { (entry, $0) }
            }
        } catch {
            if case .ended(let scope) = error {
                hub.withLock { $0 }?.end()
                throw .ended(scope)
            }
            throw .store(error, after: reason)
        }
        guard let found else {
            hub.withLock { $0 }?.fail(error)
            throw error
        }
        if cache.events != nil { cache.tellStandIn(savedAt: found.saved.savedAt, because: error) }
        let copy = Self.copy(found.saved, because: error)
        hub.withLock { $0 }?.publish(copy, EntryFingerprint(found.entry))
        return copy
    }

    static func copy(_ saved: Saved<Value>, because error: LoadError? = nil) -> Loaded<Value> {
        Loaded(saved.value, source: .cache(savedAt: saved.savedAt, because: error), savedAt: saved.savedAt)
    }
}
