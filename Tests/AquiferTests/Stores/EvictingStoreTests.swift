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
        #expect(base.listed.withLock { $0 } > before, "the scope was not listed")
        #expect(base.whole.withLock { $0 } == 0, "the whole store was listed")
        let listed = base.listed.withLock { $0 } - before
        #expect(listed <= 16 * inserts + 2 * (values + 20), "\(listed) entries for \(inserts) inserts")
        let total = try await scope.store.entries().filter { $0.kind == .data }.map(\.size).reduce(0, +)
        #expect(total <= 2_000)
        #expect(try await base.contents(prefix: "other").entries.count == 500)
    }

    @Test("asks for no entry while the whole store has less than the bound")
    func withinTheBound() async throws {
        let base = PagedStore(most: { $0 + 500 })
        let store = EvictingStore(base, bound: 10_000)
        for number in 0..<90 { try await store.insert(Self.data(100), for: "\(number)") }
        #expect(base.pages.withLock { $0 } == 0)
        // Until the bound, each insert that could pass it looks at that number.
        try await store.insert(Self.data(700), for: "more")
        #expect(base.pages.withLock { $0 } == 1)
        #expect(try await store.entries().count == 91)
        try await store.insert(Self.data(400), for: "too much")
        #expect(try await Self.keys(store).isDisjoint(with: ["0"]))
        #expect(try await store.entries().map(\.size).reduce(0, +) == 10_000)
    }

    @Test("counts a page with each insert, and evicts when it has counted all")
    func paged() async throws {
        let base = PagedStore()
        for number in 0..<4_500 { try await base.insert(Self.data(10, at: Double(number)), for: "old \(number)") }
        let store = EvictingStore(base, bound: 40_000)
        for insert in 1...4 {
            try await store.insert(Self.data(10), for: "new \(insert)")
            #expect(base.pages.withLock { $0 } == insert)
            #expect(try await store.entries().count == 4_500 + insert)
        }
        _ = try await store.retrieve("old 7")
        try await store.insert(Self.data(10), for: "new 5")
        #expect(base.pages.withLock { $0 } == 5)
        let left = try await Self.keys(store)
        #expect(left == Set((506..<4_500).map { "old \($0)" } + (1...5).map { "new \($0)" } + ["old 7"]))
    }

    @Test("counts all pages at once before an eighth of the bound is added")
    func counted() async throws {
        let base = PagedStore()
        for number in 0..<4_500 { try await base.insert(Self.data(10, at: Double(number)), for: "old \(number)") }
        let store = EvictingStore(base, bound: 45_000)
        try await store.insert(Self.data(5_600), for: "new 1")
        #expect(base.pages.withLock { $0 } == 1)
        try await store.insert(Self.data(5_700), for: "new 2")
        #expect(base.pages.withLock { $0 } == 5)
        #expect(try await store.entries().map(\.size).reduce(0, +) <= 45_000)
        #expect(try await Self.keys(store).isSuperset(of: ["new 1", "new 2", "old 4499"]))
    }

    @Test("sees what is used, deleted and replaced between the pages of a count")
    func changedWhileCounted() async throws {
        let base = PagedStore()
        for number in 0..<2_000 { try await base.insert(Self.data(10), for: "\(10_000 + number)") }
        let store = EvictingStore(base, bound: 20_000)
        try await store.insert(Self.data(10), for: "a")  // the first page
        try await store.delete("10000")
        try await store.delete("11999")
        try await store.insert(Self.data(5), for: "10001")  // the second, and last
        #expect(base.pages.withLock { $0 } == 2)
        try await store.insert(Self.data(10), for: "b")
        try await store.insert(Self.data(5), for: "c")
        #expect(try await store.entries().map(\.size).reduce(0, +) == 20_000)
        try await store.insert(Self.data(1), for: "d")
        #expect(try await store.entries().map(\.size).reduce(0, +) == 19_991)
        #expect(try await Self.keys(store).isSuperset(of: ["a", "b", "c", "d", "10001"]))
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

/// Lists in pages, in the order of the keys, and counts them. It can know how many bytes it has at most.
private final class PagedStore: ForwardingStore {
    let base: any CacheStore = RepeatingStore()
    let pages = Locked(0)
    private let most: (@Sendable (Int) -> Int)?

    init(most: (@Sendable (Int) -> Int)? = nil) { self.most = most }

    func page(prefix: String, after: String?, limit: Int) async throws(StoreError) -> StorePage {
        pages.withLock { $0 += 1 }
        let all = try await base.contents(prefix: prefix).entries.sorted { $0.key < $1.key }
        let rest = all.drop { entry in after.map { entry.key <= $0 } ?? false }
        let entries = Array(rest.prefix(limit))
        return StorePage(StoreContents(entries: entries), next: rest.count > limit ? entries.last?.key : nil)
    }

    func mostBytes() async throws(StoreError) -> Int? {
        guard let most else { return nil }
        return most(try await base.entries().map(\.size).reduce(0, +))
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

    func page(prefix: String, after: String?, limit: Int) async throws(StoreError) -> StorePage {
        StorePage(try await contents(prefix: prefix), after: after)
    }
}
