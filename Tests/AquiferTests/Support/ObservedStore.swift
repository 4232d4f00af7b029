import Aquifer
import AquiferConcurrency
import AquiferTesting

/// A store that counts those who observe it.
struct ObservedStore: ForwardingStore {
    let base: any CacheStore
    let changes: StoreChanges

    init(base: any CacheStore, watches: Locked<Int>) {
        self.base = base
        changes = StoreChanges(whileObserved: { changes in
            watches.withLock { $0 += 1 }
            let inner = base.changes.observe { changes.post($0) }
            return StoreObservation {
                inner.cancel()
                watches.withLock { $0 -= 1 }
            }
        })
    }
}

/// A store that tells no changes.
struct SilentStore: ForwardingStore {
    let base: any CacheStore
    let changes = StoreChanges()
}
