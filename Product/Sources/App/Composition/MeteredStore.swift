import Aquifer
import AquiferConcurrency
import Foundation

/// Counts the reads of each entry, for the inspector.
final class MeteredStore: ForwardingStore, SeveralReads {
    let base: any CacheStore
    private let lock = Lock()
    nonisolated(unsafe) private var counts: [String: Int] = [:]

    init(_ store: any CacheStore) {
        base = store
    }

    /// The number of reads of the entry since this process started.
    func hits(_ key: String) -> Int { lock.withLock { counts[key] ?? 0 } }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        let entry = try await base.retrieve(key)
        if entry != nil { lock.withLock { counts[key, default: 0] += 1 } }
        return entry
    }

    func retrieve(several keys: [String]) async -> [Result<StoredEntry?, StoreError>] {
        let found = await base.entries(under: keys)
        lock.withLock {
            for (key, found) in zip(keys, found) {
                if case .success(.some) = found { counts[key, default: 0] += 1 }
            }
        }
        return found
    }

    /// The entry, without counting.
    func peek(_ key: String) async throws(StoreError) -> StoredEntry? { try await base.retrieve(key) }

    func delete(_ key: String) async throws(StoreError) {
        try await base.delete(key)
        lock.withLock { counts[key] = nil }
    }

    func deleteAll(prefix: String) async throws(StoreError) {
        try await base.deleteAll(prefix: prefix)
        lock.withLock { counts = counts.filter { !$0.key.hasBytes(prefix) } }
    }

    var batches: (any EntryBatches)? { base.batches }
}
