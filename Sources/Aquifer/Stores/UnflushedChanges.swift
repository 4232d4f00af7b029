/// A store that can leave the flushing of a change to the next one.
package protocol UnflushedChanges: CacheStore {
    /// Changes an entry as ``CacheStore/update(_:_:)`` does. A loss of power may take the change away, until a later change of this store was
    /// acknowledged. A kill of the process does not.
    func updateUnflushed(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError)
}

extension CacheStore {
    /// Changes an entry, and leaves the flushing to the next change if the store can.
    package func updateUnflushed(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        if let store = self as? any UnflushedChanges { return try await store.updateUnflushed(key, decide) }
        try await update(key, decide)
    }
}
