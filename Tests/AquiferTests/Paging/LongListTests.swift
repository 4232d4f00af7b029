import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("The look whether the pages of a list are the saved ones", .timeLimit(.minutes(10)))
struct LongListTests {
    /// Lists that end before, at and after the place where a read of several pages ends; the last one needs three reads.
    private static let lengths = [1, 2, 3, 9, 10, 11, 19]

    @Test("finds a change of each page, in a store that reads several entries together", arguments: lengths)
    func eachPage(pages: Int) async throws {
        let world = PagedWorld(.cursor, down(100, 1))
        let store = SeveralReadsStore(world.store)
        _ = try await world.loaded(pages: pages)
        let decoded = Locked(0)
        let reader = world.resource(in: store, decoding: { decoded.withLock { $0 += 1 } })
        _ = try await reader.saved()
        let keys = try await store.contents().entries.map(\.key)
        #expect(keys.count == pages && decoded.withLock { $0 } == pages)
        for key in keys {
            _ = try await reader.saved()
            #expect(decoded.withLock { $0 } == pages, "nothing has changed")
            var entry = try #require(try await store.retrieve(key))
            entry.savedAt += 0.5
            try await store.insert(entry, for: key)
            #expect(try await reader.saved()?.value.shape == down(100, 101 - 5 * pages))
            #expect(decoded.withLock { $0 } == 2 * pages, "\(key) has changed")
            decoded.withLock { $0 = pages }
        }
        #expect(store.reads.withLock { $0 } > pages)
    }

    @Test("finds a page that somebody else has appended, and a page that cannot be read", arguments: lengths)
    func further(pages: Int) async throws {
        let world = PagedWorld(.cursor, down(100, 1))
        let store = SeveralReadsStore(world.store)
        let other = try await world.loaded(pages: pages)
        let reader = world.resource(in: store)
        _ = try await reader.saved()
        #expect(try await reader.saved()?.value.shape.count == 5 * pages)
        _ = try await other.loadMore()
        #expect(try await reader.saved()?.value.shape.count == 5 * pages + 5)
        world.store.fail(.retrieve, with: .busy(path: "store"))
        await #expect(throws: StoreError.self) { try await reader.saved() }
    }
}

@Suite("The pages of a server that passes over the position", .timeLimit(.minutes(10)))
struct RepeatedPageTests {
    @Test("move the items once, with work that grows as the page does")
    func work() {
        let looks = Locked(0)
        var assembly = PageAssembly<Int>(joining: .ends) { item in
            looks.withLock { $0 += 1 }
            return ItemID(item)
        }
        let count = 1000
        for page in 0..<3 {
            let next = "\(page + 1)"
            let record = PageRecord(items: Array(0..<count), start: nil, next: next, link: next)
            let savedAt = Date(timeIntervalSince1970: Double(page))
            assembly.append(PageEntry(name: page == 0 ? nil : "\(page)", record: record, savedAt: savedAt))
        }
        #expect(assembly.list.pages.map(\.items) == [[], [], Array(0..<count)])
        #expect(looks.withLock { $0 } < 20 * count)
    }
}

/// A store that reads several entries together.
private final class SeveralReadsStore: SeveralReads {
    private let base: any CacheStore
    let reads = Locked(0)

    init(_ base: any CacheStore) { self.base = base }

    func retrieve(several keys: [String]) async -> [Result<StoredEntry?, StoreError>] {
        reads.withLock { $0 += 1 }
        return await base.entries(under: keys)
    }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? { try await base.retrieve(key) }
    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try await base.insert(entry, for: key)
    }
    func delete(_ key: String) async throws(StoreError) { try await base.delete(key) }
    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) { try await base.update(key, decide) }
    func contents() async throws(StoreError) -> StoreContents { try await base.contents() }
    func contents(prefix: String) async throws(StoreError) -> StoreContents { try await base.contents(prefix: prefix) }
    func deleteAll(prefix: String) async throws(StoreError) { try await base.deleteAll(prefix: prefix) }
    func remove(_ damaged: DamagedEntry) async throws(StoreError) { try await base.remove(damaged) }
    var changes: StoreChanges { base.changes }
}
