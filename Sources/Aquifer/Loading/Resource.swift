import Foundation

/// One thing that an app shows, always the best copy there is: the latest from the remote, saved; when that cannot
/// be had, the saved copy if it is fresh; when there is none, the remote's error.
///
/// - A failed save never hides the value that arrived: it is delivered, with the save error beside it.
/// - Revalidation: the saved entry's validators are sent along; when the remote says that nothing changed, the saved
///   value is delivered as the latest and stamped anew.
/// - Concurrent callers share one request. A caller who leaves (whose task is cancelled) does not disturb the others;
///   the last one to leave cancels the transfer. Leaving delivers ``LoadError/cancelled`` and never the saved copy.
public final class Resource<Value: Sendable>: Sendable {
    private let remote: RemoteLoader<Value>
    private let cache: Cache<Value>
    private let flights = Coalescer<String, Loaded<Value>>()

    /// A resource with a remote and a cache.
    public init(remote: RemoteLoader<Value>, cache: Cache<Value>) {
        self.remote = remote
        self.cache = cache
    }

    /// The latest, saved; offline the saved copy, if fresh; else the error.
    public func load() async throws(LoadError) -> Loaded<Value> {
        try await flights.value(for: cache.key) { () async throws(LoadError) in try await self.run() }
    }

    /// The saved copy if it is fresh, without asking the remote; `nil` if there is none.
    ///
    /// - Throws: ``StoreError`` when there is a copy and it cannot be read.
    public func saved() async throws(StoreError) -> Loaded<Value>? {
        try await cache.load().map {
            Loaded($0.value, source: .cache(savedAt: $0.savedAt, because: nil), savedAt: $0.savedAt)
        }
    }

    /// The saved entry if it is fresh, undecoded: for who only wants to know whether it has changed.
    public func savedEntry() async throws(StoreError) -> StoredEntry? {
        guard let entry = try await cache.entry(), cache.isFresh(entry.savedAt) else { return nil }
        return entry
    }

    /// Whether a copy of this stamp may still be shown.
    public func isFresh(_ savedAt: Date) -> Bool { cache.isFresh(savedAt) }

    /// How many callers wait for a load that runs.
    package var waiters: Int { flights.waiters(for: cache.key) }

    private func run() async throws(LoadError) -> Loaded<Value> {
        do throws(LoadError) {
            return try await latest()
        } catch {
            guard let reason = error.reason else { throw error }
            return try await fallback(error, reason)
        }
    }

    private func latest() async throws(LoadError) -> Loaded<Value> {
        guard let entry = await knownEntry() else { return try await fresh() }
        switch try await remote.load(unless: entry.validators) {
        case .value(let value, let validators):
            return try await save(value, validators)
        case .notModified:
            // A copy that cannot be decoded is worth nothing, whatever the remote says of it: fetch it anew.
            guard let value = decoded(entry) else { return try await fresh() }
            return try await deliver(value) { () async throws(StoreError) in try await self.cache.renew(entry) }
        }
    }

    private func fresh() async throws(LoadError) -> Loaded<Value> {
        guard case .value(let value, let validators) = try await remote.load(unless: .none) else {
            throw .invalidData(.status(304))
        }
        return try await save(value, validators)
    }

    private func save(_ value: Value, _ validators: Validators) async throws(LoadError) -> Loaded<Value> {
        try await deliver(value) { () async throws(StoreError) in
            try await self.cache.save(value, validators: validators)
        }
    }

    private func deliver(
        _ value: Value, saving save: () async throws(StoreError) -> Date
    ) async throws(LoadError) -> Loaded<Value> {
        // A caller who left must not find its request's outcome saved over that of a later one.
        guard !Task.isCancelled else { throw .cancelled }
        do throws(StoreError) {
            return Loaded(value, source: .remote, savedAt: try await save())
        } catch {
            return Loaded(value, source: .remote, saveError: error)
        }
    }

    private func fallback(_ error: LoadError, _ reason: FallbackReason) async throws(LoadError) -> Loaded<Value> {
        let saved: Saved<Value>?
        do throws(StoreError) { saved = try await cache.load() } catch { throw .store(error, after: reason) }
        guard let saved else { throw error }
        return Loaded(
            saved.value, source: .cache(savedAt: saved.savedAt, because: reason), savedAt: saved.savedAt)
    }

    /// The saved entry, if it can be asked with. A store that fails here is no reason not to ask the remote.
    private func knownEntry() async -> StoredEntry? {
        do throws(StoreError) {
            guard let entry = try await cache.entry(), !entry.validators.isEmpty else { return nil }
            return entry
        } catch { return nil }
    }

    private func decoded(_ entry: StoredEntry) -> Value? {
        do throws(StoreError) { return try cache.decode(entry).value } catch { return nil }
    }
}
