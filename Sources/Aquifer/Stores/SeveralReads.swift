/// A store that reads several entries in one step, which takes less time than a step for each.
package protocol SeveralReads: CacheStore {
    /// The entries under `keys`, in their order: for each what ``CacheStore/retrieve(_:)`` returns or throws. Changes nothing.
    func retrieve(several keys: [String]) async -> [Result<StoredEntry?, StoreError>]
}

extension CacheStore {
    /// The entries under `keys`, in their order: in one step if the store can, and else one after the other.
    package func entries(under keys: [String]) async -> [Result<StoredEntry?, StoreError>] {
        if let store = self as? any SeveralReads { return await store.retrieve(several: keys) }
        var found: [Result<StoredEntry?, StoreError>] = []
        for key in keys {
            do throws(StoreError) { found.append(.success(try await retrieve(key))) } catch {
                found.append(.failure(error))
            }
        }
        return found
    }
}
