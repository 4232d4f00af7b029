import Aquifer
import AquiferConcurrency

/// A store whose first list waits at a gate. Later lists do not.
struct SlowListStore: CacheStore {
    let base: any CacheStore
    let gate = Gate()
    let arrived = Locked(false)

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? { try await base.retrieve(key) }

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try await base.insert(entry, for: key)
    }

    func delete(_ key: String) async throws(StoreError) { try await base.delete(key) }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        try await base.update(key, decide)
    }

    func contents() async throws(StoreError) -> StoreContents {
        let isFirst = arrived.withLock { arrived in
            defer { arrived = true }
            return !arrived
        }
        if isFirst { await gate.wait() }
        return try await base.contents()
    }

    func remove(_ damaged: DamagedEntry) async throws(StoreError) { try await base.remove(damaged) }
}
