import Aquifer
import AquiferConcurrency
import AquiferTesting

/// A store whose first list waits at a gate. Later lists do not.
struct SlowListStore: ForwardingStore {
    let base: any CacheStore
    let gate = Gate()
    let arrived = Locked(false)

    func contents() async throws(StoreError) -> StoreContents {
        let isFirst = arrived.withLock { arrived in
            defer { arrived = true }
            return !arrived
        }
        if isFirst { await gate.wait() }
        return try await base.contents()
    }
}
