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

    @Test("are those that can be read, where one is damaged or has no key")
    func damaged() async throws {
        let store = try await filled()
        #expect(await store.entries(under: ["", "b"]) == [.failure(.invalidKey("")), .success(entry("b"))])
        base.fail(.retrieve, with: .unreadable(key: "a", reason: "cut"))
        #expect(
            await store.entries(under: ["a", "a"])
                == Array(repeating: .failure(.unreadable(key: "a", reason: "cut")), count: 2))
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

    @Test("are told by a scope with its own keys if they are damaged, and all fail with its store")
    func failingScope() async throws {
        let scope = Scope("user", in: base)
        try await scope.store.insert(entry("mine"), for: "b")
        base.fail(.retrieve, with: .busy(path: "store"))
        #expect(
            await scope.store.entries(under: ["", "b"]) == [.failure(.invalidKey("")), .failure(.busy(path: "store"))])
    }
}
