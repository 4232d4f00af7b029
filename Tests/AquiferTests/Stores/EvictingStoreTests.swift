import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("The store that evicts", .timeLimit(.minutes(10)))
struct EvictingStoreTests {
    private static func data(_ size: Int, at second: Double = 0, kind: StoredEntry.Kind = .data) -> StoredEntry {
        StoredEntry(bytes: Data(count: size), savedAt: Date(timeIntervalSinceReferenceDate: second), kind: kind)
    }

    private static func keys(_ store: any CacheStore) async throws -> Set<String> {
        Set(try await store.entries().map(\.key))
    }

    @Test("evicts the data used least recently when the bound is passed")
    func leastRecentlyUsed() async throws {
        let store = EvictingStore(RepeatingStore(), bound: 300)
        for key in ["a", "b", "c"] { try await store.insert(Self.data(100), for: key) }
        _ = try await store.retrieve("a")
        try await store.insert(Self.data(100), for: "d")
        #expect(try await Self.keys(store) == ["a", "c", "d"])
    }

    @Test("evicts as many as it takes")
    func asManyAsItTakes() async throws {
        let store = EvictingStore(RepeatingStore(), bound: 300)
        for key in ["a", "b", "c"] { try await store.insert(Self.data(100), for: key) }
        try await store.insert(Self.data(250), for: "d")
        #expect(try await Self.keys(store) == ["d"])
    }

    @Test("never evicts a value, nor counts it")
    func neverAValue() async throws {
        let store = EvictingStore(RepeatingStore(), bound: 100)
        try await store.insert(Self.data(1000, kind: .value), for: "value")
        try await store.insert(Self.data(100), for: "a")
        try await store.insert(Self.data(100), for: "b")
        #expect(try await Self.keys(store) == ["value", "b"])
    }

    @Test("leaves the key of an entry larger than the bound empty, and keeps the others")
    func tooLarge() async throws {
        let store = EvictingStore(RepeatingStore(), bound: 100)
        try await store.insert(Self.data(50), for: "a")
        try await store.insert(Self.data(50), for: "b")
        try await store.insert(Self.data(101), for: "a")
        try await store.update("c") { _ in .replace(Self.data(101)) }
        #expect(try await Self.keys(store) == ["b"])
    }

    @Test("counts an entry that was overridden once, and one that was deleted not at all")
    func overridesAndDeletes() async throws {
        let store = EvictingStore(RepeatingStore(), bound: 300)
        for _ in 0..<10 { try await store.insert(Self.data(100), for: "a") }
        try await store.insert(Self.data(100), for: "b")
        try await store.delete("b")
        try await store.insert(Self.data(200), for: "c")
        #expect(try await Self.keys(store) == ["a", "c"])
    }

    @Test("evicts what it finds from before, the oldest first")
    func fromBefore() async throws {
        let base = RepeatingStore()
        for (key, second) in [("new", 3.0), ("old", 1.0), ("middle", 2.0)] {
            try await base.insert(Self.data(100, at: second), for: key)
        }
        let store = EvictingStore(base, bound: 300)
        try await store.insert(Self.data(150, at: 0), for: "mine")
        #expect(try await Self.keys(store) == ["new", "mine"])
    }

    @Test("keeps the bound, but for an eighth each, when several share a store")
    func shared() async throws {
        let base = RepeatingStore()
        let stores = [EvictingStore(base, bound: 8000), EvictingStore(base, bound: 8000)]
        for turn in 0..<400 {
            try await stores[turn % 2].insert(Self.data(100), for: "key \(turn)")
            let total = try await base.entries().map(\.size).reduce(0, +)
            #expect(total <= 8000 + 2 * 1000 + 200)
        }
    }

    @Test("lists its scope alone, and for each insert a fixed number of entries at most", arguments: [0, 2_000])
    func scoped(values: Int) async throws {
        let base = ListedStore()
        for number in 0..<500 { try await base.insert(Self.data(100), for: "other \(number)") }
        let scope = Scope("user", in: base)
        for number in 0..<values { try await scope.store.insert(Self.data(1, kind: .value), for: "value \(number)") }
        let store = EvictingStore(scope.store, bound: 2_000)
        let (inserts, before) = (1_000, base.listed.withLock { $0 })
        for number in 0..<inserts { try await store.insert(Self.data(100), for: "data \(number)") }
        #expect(base.whole.withLock { $0 } == 0, "the whole store was listed")
        let listed = base.listed.withLock { $0 } - before
        #expect(listed <= 16 * inserts + 2 * (values + 20), "\(listed) entries for \(inserts) inserts")
        let total = try await scope.store.entries().filter { $0.kind == .data }.map(\.size).reduce(0, +)
        #expect(total <= 2_000)
        #expect(try await base.contents(prefix: "other").entries.count == 500)
    }

    @Test("does not evict a value that another process stored under a key it knew as data")
    func replacedByAValue() async throws {
        let base = RepeatingStore()
        let store = EvictingStore(base, bound: 100)
        try await store.insert(Self.data(10), for: "a")
        try await base.insert(Self.data(10, kind: .value), for: "a")
        try await store.insert(Self.data(95), for: "b")
        #expect(try await Self.keys(store) == ["a", "b"])
    }

    @Test("does not fail an insert because of an eviction that fails, and evicts at the next one")
    func failedEviction() async throws {
        let base = FaultyStore(RepeatingStore())
        let store = EvictingStore(base, bound: 100)
        try await store.insert(Self.data(100), for: "a")
        base.fail(.update, with: .busy(path: "/none"))
        try await store.insert(Self.data(100), for: "b")
        #expect(try await Self.keys(base) == ["a", "b"])
        base.heal()
        try await store.insert(Self.data(100), for: "c")
        #expect(try await Self.keys(base) == ["c"])
    }
}

/// Counts how often the whole store was listed, and the entries in all lists.
private final class ListedStore: ForwardingStore {
    let base: any CacheStore = RepeatingStore()
    let whole = Locked(0)
    let listed = Locked(0)

    func contents() async throws(StoreError) -> StoreContents {
        whole.withLock { $0 += 1 }
        return try await base.contents()
    }

    func contents(prefix: String) async throws(StoreError) -> StoreContents {
        let contents = try await base.contents(prefix: prefix)
        listed.withLock { $0 += contents.entries.count }
        return contents
    }
}
