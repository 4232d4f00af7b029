import Aquifer
import AquiferConcurrency

/// A store in which a new item waits at a gate, after its number was taken and before the item is written.
struct SlowStore: CacheStore {
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
        if key.hasPrefix("item:") {
            arrived.withLock { $0 = true }
            await gate.wait()
        }
        try await base.update(key, decide)
    }

    func contents() async throws(StoreError) -> StoreContents { try await base.contents() }

    func remove(_ damaged: DamagedEntry) async throws(StoreError) { try await base.remove(damaged) }
}
