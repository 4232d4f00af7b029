import Aquifer

/// A store that is opened by whoever first asks it: a command that shows the feed does not open the pictures. While it
/// cannot be opened every call says why, and tries again; what the remote delivers can still be shown.
final class LazyStore: CacheStore {
    private let open: @Sendable () throws(StoreError) -> any CacheStore
    private let opened = Locked<(any CacheStore)?>(nil)

    init(_ open: @escaping @Sendable () throws(StoreError) -> any CacheStore) {
        self.open = open
    }

    /// Under the lock, so that it is opened once: a fraction of a millisecond.
    private func store() throws(StoreError) -> any CacheStore {
        try opened.withLock { opened throws(StoreError) in
            if let opened { return opened }
            let store = try open()
            opened = store
            return store
        }
    }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? { try await store().retrieve(key) }

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try await store().insert(entry, for: key)
    }

    func delete(_ key: String) async throws(StoreError) { try await store().delete(key) }

    func entries() async throws(StoreError) -> [StoredEntry.Summary] { try await store().entries() }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) { try await store().update(key, decide) }
}
