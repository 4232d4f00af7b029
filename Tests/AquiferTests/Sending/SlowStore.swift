import Aquifer

/// A store whose `insert` waits at a gate: what lies between an item's number and the item.
struct SlowStore: CacheStore {
    let base: any CacheStore
    let gate = Gate()
    let arrived = Locked(false)

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? { try await base.retrieve(key) }

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        arrived.withLock { $0 = true }
        await gate.wait()
        try await base.insert(entry, for: key)
    }

    func delete(_ key: String) async throws(StoreError) { try await base.delete(key) }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) { try await base.update(key, decide) }

    func entries() async throws(StoreError) -> [StoredEntry.Summary] { try await base.entries() }
}
