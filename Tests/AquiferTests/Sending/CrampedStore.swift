import Aquifer
import AquiferTesting

/// A store that has room for the counter of an outbox, and none for an item.
struct CrampedStore: ForwardingStore {
    let base: any CacheStore

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        if key.hasPrefix("item:") { throw .full(path: "/disk") }
        try await base.insert(entry, for: key)
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        if key.hasPrefix("item:") { throw .full(path: "/disk") }
        try await base.update(key, decide)
    }
}
