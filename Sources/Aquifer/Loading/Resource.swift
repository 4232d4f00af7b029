import AquiferConcurrency
import AquiferFoundation

/// A value that an app shows, in its best copy. A load delivers the latest value of the remote and saves it. When the
/// remote has no valid answer, it delivers the saved copy if that is fresh, and otherwise throws the remote's error.
///
/// - The ``FallbackPolicy`` tells after which errors the copy is delivered. By default, it is not when the remote denies this
///   value (401, 403) or does not have it (404, 410): the load throws the error, and the copy stays in the store. Only when
///   the mapper knows that the server says so (``InvalidData/gone(status:)``) does the load delete it.
/// - A load never saves an older answer over a newer one. When two loads overlap, in one process or in several, the
///   answer that the server gave last stays, and both loads deliver it. If the server's dates do not tell, the answer
///   that was requested last stays.
/// - A change of the saved value with ``Cache/amend(_:)`` or ``Cache/update(restamping:)`` while a load is under way makes
///   the answer stale: the load asks again. After three such answers it delivers the changed copy, with the age that it has.
/// - A failed save never hides the value that arrived: it is delivered, with the save error beside it.
/// - A load sends the saved entry's validators. When the remote answers that nothing changed, the saved value gets a
///   new stamp and is delivered as the latest.
/// - Concurrent callers share one request. A caller who leaves (whose task is cancelled) does not disturb the others;
///   the last one to leave cancels the transfer. Leaving delivers ``LoadError/cancelled`` and never the saved copy.
public final class Resource<Value: Sendable>: Sendable {
    let remote: RemoteLoader<Value>
    let cache: Cache<Value>
    /// The rule that decides after which errors the saved copy is delivered.
    public let fallback: FallbackPolicy
    private let flights = Coalescer<String, Loaded<Value>>()
    /// True if the last answer denied the value: the next load asks, however young the copy is.
    private let isDenied = Locked(false)

    /// A resource with a remote and a cache.
    ///
    /// - Parameters:
    ///   - remote: loads the latest value.
    ///   - cache: keeps the copy.
    ///   - fallback: decides after which errors the copy is delivered; by default, after all but 401, 403, 404 and 410.
    public init(remote: RemoteLoader<Value>, cache: Cache<Value>, fallback: FallbackPolicy = .standard) {
        self.remote = remote
        self.cache = cache
        self.fallback = fallback
    }

    /// Loads the latest value and saves it. Without a valid answer it delivers the fresh saved copy if ``fallback`` allows
    /// that, or throws the error.
    ///
    /// If the cache's policy has a time ``CachePolicy/askAfter``, a younger saved copy is delivered without a request, unless
    /// the last answer denied the value.
    public func load() async throws(LoadError) -> Loaded<Value> {
        if let recent = await recent() {
            guard !Task.isCancelled else { throw .cancelled }
            return recent
        }
        return try await reload()
    }

    /// Loads the latest value as ``load()`` does, whatever the age of the saved copy: the user has asked for it.
    public func reload() async throws(LoadError) -> Loaded<Value> {
        try await flights.value(for: cache.key) { () async throws(LoadError) in
            guard self.cache.mayEnd else { return try await self.run() }
            return try await self.cache.untilEnd { () async throws(LoadError) in try await self.run() }
        }
    }

    /// The saved copy if it is fresh, without a request; `nil` if there is none.
    ///
    /// - Throws: ``StoreError`` when there is a copy and it cannot be read.
    public func saved() async throws(StoreError) -> Loaded<Value>? {
        try await cache.load().map { Self.copy($0) }
    }

    /// The saved entry if it is fresh, not decoded. Use it to find out whether the entry has changed.
    public func savedEntry() async throws(StoreError) -> StoredEntry? {
        guard let entry = try await cache.entry(), cache.isFresh(entry.savedAt) else { return nil }
        return entry
    }

    /// True if a copy with this stamp may still be delivered.
    public func isFresh(_ savedAt: Date) -> Bool { cache.isFresh(savedAt) }

    /// The number of callers that wait for a load under way.
    package var waiters: Int { flights.waiters(for: cache.key) }

    /// The saved copy, if the policy lets it be delivered without a request.
    private func recent() async -> Loaded<Value>? {
        guard cache.policy.askAfter > .zero, !isDenied.withLock({ $0 }) else { return nil }
        // A copy that cannot be read needs a request, whose load tells the error if it matters.
        guard let saved = try? await saved(), let savedAt = saved.savedAt else { return nil }
        return cache.policy.isRecent(savedAt, at: cache.time) ? saved : nil
    }

    private func run() async throws(LoadError) -> Loaded<Value> {
        do throws(LoadError) {
            let latest = try await latest()
            isDenied.withLock { $0 = false }
            return latest
        } catch {
            guard let reason = error.reason else { throw error }
            guard fallback.allows(error) else {
                isDenied.withLock { $0 = true }
                throw error
            }
            return try await copy(after: error, reason)
        }
    }

    /// The most requests of one load. Each but the first follows a change that was made here meanwhile.
    private static var attempts: Int { 3 }

    private func latest() async throws(LoadError) -> Loaded<Value> {
        var loaded = try await attempt()
        for _ in 1..<Self.attempts where loaded.source != .remote { loaded = try await attempt() }
        return loaded
    }

    /// Asks once, and deletes the saved copy if the server says that the value is gone.
    private func attempt() async throws(LoadError) -> Loaded<Value> {
        let beginning = await cache.begin()
        // Nothing is asked for a user who has logged out.
        if case .failure(.ended(let scope)) = beginning.found { throw .ended(scope) }
        do throws(LoadError) { return try await attempt(beginning) } catch {
            if case .invalidData(.gone) = error, !Task.isCancelled {
                // The error says what matters. A copy that could not be deleted is not delivered after it either, and the
                // next load tries again.
                try? await cache.remove(since: beginning)
            }
            throw error
        }
    }

    /// Asks once. Delivers the saved copy if it was changed here meanwhile.
    private func attempt(_ beginning: Cache<Value>.Beginning) async throws(LoadError) -> Loaded<Value> {
        guard let entry = beginning.known else { return try await fresh(beginning) }
        switch try await ask(unless: entry.validators) {
        case .value(let value, let validators, let answeredAt):
            return try await deliver(value) { () async throws(StoreError) in
                try await self.cache.save(value, validators: validators, answeredAt: answeredAt, since: beginning)
            }
        case .notModified(let answeredAt):
            // A copy that cannot be decoded is useless even if it is the latest: load the value again.
            guard let value = decoded(entry) else { return try await fresh(beginning) }
            return try await deliver(value) { () async throws(StoreError) in
                try await self.cache.renew(entry, value, answeredAt: answeredAt, since: beginning)
            }
        }
    }

    private func ask(unless validators: Validators) async throws(LoadError) -> RemoteAnswer<Value> {
        guard let events = cache.events else { return try await remote.load(unless: validators) }
        return try await cache.telling(events) { meter throws(LoadError) in
            try await remote.load(unless: validators, metered: meter)
        }
    }

    private func fresh(_ beginning: Cache<Value>.Beginning) async throws(LoadError) -> Loaded<Value> {
        guard case .value(let value, let validators, let answeredAt) = try await ask(unless: .none) else {
            throw .invalidData(.status(304))
        }
        return try await deliver(value) { () async throws(StoreError) in
            try await self.cache.save(value, validators: validators, answeredAt: answeredAt, since: beginning)
        }
    }

    private func deliver(
        _ value: Value, saving save: () async throws(StoreError) -> Cache<Value>.Outcome
    ) async throws(LoadError) -> Loaded<Value> {
        // A cancelled load must not save its outcome over that of a later one.
        guard !Task.isCancelled else { throw .cancelled }
        do throws(StoreError) {
            switch try await save() {
            case .latest(let saved): return Loaded(saved.value, source: .remote, savedAt: saved.savedAt)
            case .changedHere(let saved): return Self.copy(saved)
            }
        } catch {
            if case .ended(let scope) = error { throw .ended(scope) }
            return Loaded(value, source: .remote, saveError: error)
        }
    }

    private func copy(after error: LoadError, _ reason: FallbackReason) async throws(LoadError) -> Loaded<Value> {
        let saved: Saved<Value>?
        do throws(StoreError) { saved = try await cache.load() } catch { throw .store(error, after: reason) }
        guard let saved else { throw error }
        if cache.events != nil { cache.tellStandIn(savedAt: saved.savedAt, because: error) }
        return Self.copy(saved, because: error)
    }

    private static func copy(_ saved: Saved<Value>, because error: LoadError? = nil) -> Loaded<Value> {
        Loaded(saved.value, source: .cache(savedAt: saved.savedAt, because: error), savedAt: saved.savedAt)
    }

    private func decoded(_ entry: StoredEntry) -> Value? {
        do throws(StoreError) { return try cache.decode(entry).value } catch { return nil }
    }
}

/// The use cases that ``Resource/load()`` combines. Use them to combine the parts in another way, and in tests that
/// follow a specification. ``Resource/saved()`` is the fourth use case, "load from cache".
extension Resource {
    /// The use case "load from remote": requests the value from the remote and delivers it. The saved copy is neither
    /// read nor changed. Each call sends a request of its own, which other loads do not share.
    ///
    /// - Throws: ``LoadError/connectivity(_:)``, ``LoadError/invalidData(_:)``, or ``LoadError/cancelled``.
    public func loadFromRemote() async throws(LoadError) -> Value {
        try await remote.load()
    }

    /// The use case "validate cache": deletes the saved copy if it has expired or cannot be read, in one atomic step.
    ///
    /// Run it after ``load()``, not before: an expired copy is never shown, but until it is deleted its validators can
    /// spare the transfer of a value that has not changed.
    ///
    /// - Returns: true if a copy was deleted.
    /// - Throws: ``StoreError`` when the store failed. The copy may then still be there; it is not shown either way.
    @discardableResult
    public func validateSaved() async throws(StoreError) -> Bool {
        try await cache.validate()
    }

    /// The use case "save": replaces the saved copy by this value, stamped with the time, in one atomic step.
    ///
    /// It replaces any saved copy, even one from a newer answer of the server, and keeps no validators: the next load
    /// transfers the whole value. ``load()`` keeps the newer answer and the validators.
    ///
    /// - Returns: the stamp.
    /// - Throws: ``StoreError`` when it could not be saved. The copy before is then still there.
    @discardableResult
    public func save(_ value: Value) async throws(StoreError) -> Date {
        try await cache.save(value)
    }
}
