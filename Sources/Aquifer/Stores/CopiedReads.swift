/// A store that may answer ``CacheStore/retrieve(_:)`` from a copy, and can read the entry itself.
package protocol CopiedReads: CacheStore {
    /// The entry as a change would find it.
    func retrieveItself(_ key: String) async throws(StoreError) -> StoredEntry?
}

extension CacheStore {
    /// True if ``retrieve(_:)`` may answer from a copy, here or in a store that this one is around.
    var mayReadCopies: Bool { self is any CopiedReads || (self as? any ForwardingStore)?.base.mayReadCopies == true }

    /// The entry itself, and no copy of it.
    func entryItself(_ key: String) async throws(StoreError) -> StoredEntry? {
        if let store = self as? any CopiedReads { return try await store.retrieveItself(key) }
        guard mayReadCopies else { return try await retrieve(key) }
        // A wrapper may read in a way of its own: what it lets a decision see is what it would read, and no copy.
        return try await decide(key) { found throws(StoreError) in (.keep, try found.get()) }
    }
}
