import Aquifer
import AquiferConcurrency
import Foundation

/// A store in memory whose first write waits until it is released.
final class SlowFirstStore: CacheStore {
    private let base = MemoryStore()
    private let writes = Locked(0)
    private let (gate, opening) = AsyncStream.makeStream(of: Void.self)

    /// The number of writes that have arrived.
    var arrived: Int { writes.withLock { $0 } }

    /// Lets the first write go on.
    func open() { opening.finish() }

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        let number = writes.withLock { writes in
            writes += 1
            return writes
        }
        if number == 1 { for await _ in gate {} }
        try await base.insert(entry, for: key)
    }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? { try await base.retrieve(key) }

    func delete(_ key: String) async throws(StoreError) { try await base.delete(key) }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) { try await base.update(key, decide) }

    func contents() async throws(StoreError) -> StoreContents { try await base.contents() }

    func remove(_ damaged: DamagedEntry) async throws(StoreError) { try await base.remove(damaged) }
}
