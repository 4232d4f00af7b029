import Aquifer
import AquiferConcurrency
import AquiferTesting

/// A store in which a new item waits at a gate, after its number was taken and before the item is written.
struct SlowStore: ForwardingStore {
    let base: any CacheStore
    let gate = Gate()
    let arrived = Locked(false)

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        if key.hasPrefix("item:") {
            arrived.withLock { $0 = true }
            await gate.wait()
        }
        try await base.update(key, decide)
    }
}
