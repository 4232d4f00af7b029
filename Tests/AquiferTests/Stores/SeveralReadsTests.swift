import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("Several entries that are read together, from any store")
struct SeveralReadsTests {
    private let base = FaultyStore()
    private let keys = ["a", "b", "missing"]

    private func filled() async throws -> BatchingStore {
        for key in ["a", "b"] { try await base.insert(entry(key), for: key) }
        return BatchingStore(base)
    }

    private func entry(_ text: String) -> StoredEntry { StoredEntry(bytes: Data(text.utf8), savedAt: .distantPast) }

    @Test("are one step of a store that has batches")
    func batches() async throws {
        let store = try await filled()
        #expect(await store.entries(under: keys) == [.success(entry("a")), .success(entry("b")), .success(nil)])
        #expect(store.steps.reads == 1)
    }

    @Test("are refused one by one, where one has no key")
    func withoutKey() async throws {
        let store = try await filled()
        #expect(await store.entries(under: ["", "b"]) == [.failure(.invalidKey("")), .success(entry("b"))])
    }

    @Test("are those that can be read, where one is damaged")
    func damaged() async throws {
        _ = try await filled()
        let store = BatchingStore(DamagedStore(base: base, suffix: "a"))
        let damage = StoreError.unreadable(key: "a", reason: "cut")
        #expect(await store.entries(under: ["a", "b"]) == [.failure(damage), .success(entry("b"))])
        #expect(store.steps.reads == 1)
    }

    @Test("are all the failure of a store that is out of reach")
    func outOfReach() async throws {
        let store = try await filled()
        base.fail(.retrieve, with: .busy(path: "store"))
        #expect(await store.entries(under: keys) == Array(repeating: .failure(.busy(path: "store")), count: 3))
    }

    @Test("are those of a scope under its own keys, in one step of the store around")
    func scope() async throws {
        let store = try await filled()
        let scope = Scope("user", in: store)
        try await scope.store.insert(entry("mine"), for: "b")
        let before = store.steps.reads
        let found = await scope.store.entries(under: ["a", "b", "missing"])
        #expect(found == [.success(nil), .success(entry("mine")), .success(nil)])
        #expect(store.steps.reads == before + 1)
        #expect(await scope.store.entries(under: ["", "b"]) == [.failure(.invalidKey("")), .success(entry("mine"))])
    }

    @Test("are told by a scope with its own key, where one is damaged")
    func damagedInScope() async throws {
        let scope = Scope("user", in: BatchingStore(DamagedStore(base: base, suffix: "damaged")))
        try await scope.store.insert(entry("mine"), for: "b")
        let damage = StoreError.unreadable(key: "damaged", reason: "cut")
        #expect(await scope.store.entries(under: ["damaged", "b"]) == [.failure(damage), .success(entry("mine"))])
    }

    @Test("all fail with the store around a scope")
    func failingScope() async throws {
        let scope = Scope("user", in: base)
        try await scope.store.insert(entry("mine"), for: "b")
        base.fail(.retrieve, with: .busy(path: "store"))
        #expect(
            await scope.store.entries(under: ["", "b"]) == [.failure(.invalidKey("")), .failure(.busy(path: "store"))])
    }

    @Test("An empty key is refused by the batches of a scope, as by those of its store")
    func emptyKeyInBatches() async throws {
        let batches = try #require(Scope("user", in: BatchingStore(base)).store.batches)
        await #expect(throws: StoreError.invalidKey("")) { try await batches.retrieve(["a", ""]) }
        let seen = SeenEntry(entry: entry("seen"), mark: Data())
        await #expect(throws: StoreError.invalidKey("")) {
            try await batches.change([SeenChange("", seen, replacement: nil)])
        }
    }
}

/// A store in which the entries whose keys end with a suffix are damaged.
private struct DamagedStore: ForwardingStore {
    let base: any CacheStore
    let suffix: String

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        if key.hasSuffix(suffix) { throw .unreadable(key: key, reason: "cut") }
        return try await base.retrieve(key)
    }
}
