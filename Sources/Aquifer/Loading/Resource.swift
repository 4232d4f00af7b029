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
///   So does an invalidation while a load is under way (``invalidate()``).
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
    private let flights = Coalescer<String, Flight>()
    /// True if the last answer denied the value: the next load asks, however young the copy is.
    let isDenied = Locked(false)
    /// The number of invalidations by this instance.
    let invalidations = Locked<UInt64>(0)
    /// The update in the background, while there is one.
    let backgroundUpdate = Locked<Task<Void, Never>?>(nil)

    /// The outcome of a load, and the number of invalidations before its last request.
    private struct Flight: Sendable {
        let outcome: Result<Loaded<Value>, LoadError>
        let count: UInt64
    }

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
    /// If the cache's policy has a time ``CachePolicy/askAfter``, or follows the server, a younger saved copy is delivered
    /// without a request, unless the last answer denied the value, or the copy was made invalid (``invalidate()``).
    public func load() async throws(LoadError) -> Loaded<Value> {
        if let (recent, isStale) = await recent() {
            guard !Task.isCancelled else { throw .cancelled }
            if isStale { updateInBackground() }
            return recent
        }
        return try await ask()
    }

    /// Loads the latest value as ``load()`` does, whatever the age of the saved copy: the user has asked for it.
    ///
    /// Only a copy of which the server has said that it cannot have changed is delivered without a request
    /// (``StoredEntry/Asking/isImmutable``), if the policy follows the server.
    public func reload() async throws(LoadError) -> Loaded<Value> {
        if cache.policy.follows == .server, let (recent, isStale) = await recent(ifImmutable: true), !isStale {
            guard !Task.isCancelled else { throw .cancelled }
            return recent
        }
        return try await ask()
    }

    /// Asks, or joins those who ask. One of them may have asked before this value was made invalid, and end only now: its
    /// answer is not this caller's.
    func ask() async throws(LoadError) -> Loaded<Value> {
        let count = invalidationCount
        while true {
            let flight = try await flights.value(for: cache.key) { () async throws(LoadError) -> Flight in
                guard self.cache.mayEnd else { return await self.run() }
                return try await self.cache.untilEnd { () async throws(LoadError) -> Flight in
                    let flight = await self.run()
                    // The end of a scope cancels what runs in it.
                    if case .failure(.cancelled) = flight.outcome { throw .cancelled }
                    return flight
                }
            }
            if flight.count >= count { return try flight.outcome.get() }
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

    /// The saved copy, if it may be delivered without waiting for an answer; stale if it is to be updated behind.
    private func recent(ifImmutable: Bool = false) async -> (Loaded<Value>, isStale: Bool)? {
        let policy = cache.policy
        guard policy.askAfter > .zero || policy.follows == .server, !isDenied.withLock({ $0 }) else { return nil }
        // A copy that cannot be read needs a request, whose load tells the error if it matters.
        guard let entry = try? await cache.entry(), let saved = try? cache.fresh(entry) else { return nil }
        guard entry.asking.isImmutable || !ifImmutable else { return nil }
        return policy.leave(entry.asking, savedAt: saved.savedAt, at: cache.time).map { (Self.copy(saved), $0) }
    }

    private var invalidationCount: UInt64 { invalidations.withLock { $0 } }

    private func run() async -> Flight {
        var count = invalidationCount
        let outcome: Result<Loaded<Value>, LoadError>
        do throws(LoadError) {
            outcome = .success(try await latest(&count))
            isDenied.withLock { $0 = false }
        } catch {
            outcome = await instead(of: error)
        }
        return Flight(outcome: outcome, count: count)
    }

    private func instead(of error: LoadError) async -> Result<Loaded<Value>, LoadError> {
        guard let reason = error.reason else { return .failure(error) }
        guard fallback.allows(error) else {
            isDenied.withLock { $0 = true }
            return .failure(error)
        }
        do throws(LoadError) { return .success(try await copy(after: error, reason)) } catch { return .failure(error) }
    }

    /// The most requests of one load. Each but the first follows a change that was made here meanwhile.
    private static var attempts: Int { 3 }

    private func latest(_ count: inout UInt64) async throws(LoadError) -> Loaded<Value> {
        var loaded = try await attempt()
        for _ in 1..<Self.attempts where loaded.source != .remote || count != invalidationCount {
            count = invalidationCount
            loaded = try await attempt()
        }
        if count != invalidationCount, let savedAt = loaded.savedAt {
            loaded.source = .cache(savedAt: savedAt, because: nil)
        }
        return loaded
    }

    /// Asks once, and deletes the saved copy if the server says that the value is gone.
    private func attempt() async throws(LoadError) -> Loaded<Value> {
        let count = invalidationCount
        let beginning = await cache.begin { [invalidations] in invalidations.withLock { $0 } != count }
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
        let reply = try await reply(unless: entry.validators)
        switch reply.answer {
        case .value(let value, let validators, let answeredAt):
            return try await deliver(value) { () async throws(StoreError) in
                try await self.cache.save(
                    value, validators: validators, answeredAt: answeredAt, head: reply.head, since: beginning)
            }
        case .notModified(let answeredAt):
            // A copy that cannot be decoded is useless even if it is the latest: load the value again.
            guard let value = decoded(entry) else { return try await fresh(beginning) }
            return try await deliver(value) { () async throws(StoreError) in
                try await self.cache.renew(entry, value, answeredAt: answeredAt, head: reply.head, since: beginning)
            }
        }
    }

    private func reply(unless validators: Validators) async throws(LoadError) -> RemoteLoader<Value>.Reply {
        guard let events = cache.events else { return try await remote.reply(unless: validators) }
        return try await cache.telling(events) { meter throws(LoadError) in
            try await remote.reply(unless: validators, metered: meter)
        }
    }

    private func fresh(_ beginning: Cache<Value>.Beginning) async throws(LoadError) -> Loaded<Value> {
        let reply = try await reply(unless: .none)
        guard case .value(let value, let validators, let answeredAt) = reply.answer else {
            throw .invalidData(.status(304))
        }
        return try await deliver(value) { () async throws(StoreError) in
            try await self.cache.save(
                value, validators: validators, answeredAt: answeredAt, head: reply.head, since: beginning)
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
            case .unsaved(let value): return Loaded(value, source: .remote)
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
