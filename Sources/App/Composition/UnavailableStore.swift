import Aquifer

/// Stands in for a store that could not be opened: every call says why. What the remote delivers can still be shown.
struct UnavailableStore: CacheStore {
    let error: StoreError

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? { throw error }
    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) { throw error }
    func delete(_ key: String) async throws(StoreError) { throw error }
    func entries() async throws(StoreError) -> [StoredEntry.Summary] { throw error }
    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) { throw error }
}
