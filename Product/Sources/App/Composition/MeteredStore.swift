import Aquifer
import AquiferConcurrency
import Foundation

/// Counts the reads of each entry, for the inspector.
final class MeteredStore: SeveralReads {
    private let store: any CacheStore
    private let lock = Lock()
    nonisolated(unsafe) private var counts: [String: Int] = [:]

    init(_ store: any CacheStore) {
        self.store = store
    }

    /// The number of reads of the entry since this process started.
    func hits(_ key: String) -> Int { lock.withLock { counts[key] ?? 0 } }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        let entry = try await store.retrieve(key)
        if entry != nil { lock.withLock { counts[key, default: 0] += 1 } }
        return entry
    }

    func retrieve(several keys: [String]) async -> [Result<StoredEntry?, StoreError>] {
        let found = await store.entries(under: keys)
        lock.withLock {
            for (key, found) in zip(keys, found) {
                if case .success(.some) = found { counts[key, default: 0] += 1 }
            }
        }
        return found
    }

    /// The entry, without counting.
    func peek(_ key: String) async throws(StoreError) -> StoredEntry? { try await store.retrieve(key) }

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try await store.insert(entry, for: key)
    }

    func delete(_ key: String) async throws(StoreError) {
        try await store.delete(key)
        lock.withLock { counts[key] = nil }
    }

    func contents() async throws(StoreError) -> StoreContents { try await store.contents() }

    func contents(prefix: String) async throws(StoreError) -> StoreContents { try await store.contents(prefix: prefix) }

    func page(prefix: String, after: String?, limit: Int) async throws(StoreError) -> StorePage {
        try await store.page(prefix: prefix, after: after, limit: limit)
    }

    func mostBytes() async throws(StoreError) -> Int? { try await store.mostBytes() }

    func persist() async throws(StoreError) { try await store.persist() }

    func deleteAll(prefix: String) async throws(StoreError) {
        try await store.deleteAll(prefix: prefix)
        lock.withLock { counts = counts.filter { !$0.key.hasBytes(prefix) } }
    }

    func remove(_ damaged: DamagedEntry) async throws(StoreError) { try await store.remove(damaged) }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) { try await store.update(key, decide) }

    var changes: StoreChanges { store.changes }
    var leases: (any LoadLeases)? { store.leases }
    var presence: (any StorePresence)? { store.presence }
    var batches: (any EntryBatches)? { store.batches }
}
