/// A store that may answer ``CacheStore/retrieve(_:)`` from a copy, and can read the entry itself.
package protocol CopiedReads: CacheStore {
    /// The entry as a change would find it.
    func retrieveItself(_ key: String) async throws(StoreError) -> StoredEntry?
}

extension CacheStore {
    /// The entry itself, and no copy of it, if the store can tell them apart.
    func entryItself(_ key: String) async throws(StoreError) -> StoredEntry? {
        if let store = self as? any CopiedReads { return try await store.retrieveItself(key) }
        return try await retrieve(key)
    }
}

extension EvictingStore: CopiedReads {
    /// See `CopiedReads.retrieveItself(_:)`. It counts as no use of the entry.
    package func retrieveItself(_ key: String) async throws(StoreError) -> StoredEntry? {
        try await base.entryItself(key)
    }
}
