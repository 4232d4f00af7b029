import Aquifer

/// A store that has room for the counter of an outbox, and none for an item.
struct CrampedStore: CacheStore {
    let base: any CacheStore

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? { try await base.retrieve(key) }

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        if key.hasPrefix("item:") { throw .full(path: "/disk") }
        try await base.insert(entry, for: key)
    }

    func delete(_ key: String) async throws(StoreError) { try await base.delete(key) }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        if key.hasPrefix("item:") { throw .full(path: "/disk") }
        try await base.update(key, decide)
    }

    func contents() async throws(StoreError) -> StoreContents { try await base.contents() }

    func remove(_ damaged: DamagedEntry) async throws(StoreError) { try await base.remove(damaged) }
}
