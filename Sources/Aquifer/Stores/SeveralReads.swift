/// A store that reads several entries in less time than one after the other.
///
/// ``CacheStore/batches`` is more: a store that has it changes several entries in one step, too, and an outbox relies on that. Such a store need not
/// conform: its batches are used.
package protocol SeveralReads: CacheStore {
    /// The entries under `keys`, in their order: for each what ``CacheStore/retrieve(_:)`` returns or throws. They may be of different moments, and be read
    /// before or after calls that have not ended. Changes nothing.
    func retrieve(several keys: [String]) async -> [Result<StoredEntry?, StoreError>]
}

extension CacheStore {
    /// The entries under `keys`, in their order: together if the store can, and else one after the other.
    package func entries(under keys: [String]) async -> [Result<StoredEntry?, StoreError>] {
        if let store = self as? any SeveralReads { return await store.retrieve(several: keys) }
        // Batches refuse all keys for one that is empty.
        if let batches, keys.count > 1, !keys.contains("") {
            do throws(StoreError) {
                let found = try await batches.retrieve(keys)
                if found.count == keys.count { return found.map { $0.map { $0?.entry } } }
            } catch { return keys.map { _ in .failure(error) } }
        }
        var found: [Result<StoredEntry?, StoreError>] = []
        for key in keys {
            do throws(StoreError) { found.append(.success(try await retrieve(key))) } catch {
                found.append(.failure(error))
            }
        }
        return found
    }
}
