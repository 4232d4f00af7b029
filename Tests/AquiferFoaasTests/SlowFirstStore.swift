import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation

/// A store in memory whose first write waits until it is released.
final class SlowFirstStore: ForwardingStore {
    let base: any CacheStore = MemoryStore()
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
}
