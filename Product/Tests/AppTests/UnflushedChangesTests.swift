import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import App

@Suite("A change whose flush is left to the next one")
struct UnflushedChangesTests {
    @Test("is left to it through all the stores of the app")
    func through() async throws {
        let base = FlushingStore()
        let metrics = StoreMetrics()
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let lazy = LazyStore { () throws(StoreError) in base }
        let quota = UserQuota(bound: 5_000, lazy, folder: folder)
        let store = FamilyStore(QuotaStore(CountedStore(lazy, .outbox, metrics), quota)) { _ in true }
        let entry = StoredEntry(bytes: Data("1".utf8), savedAt: .distantPast)
        try await store.insert(entry, for: "key")
        #expect(base.flushes == 1)
        try await store.updateUnflushed("key") { _ in .replace(entry) }
        #expect(base.flushes == 1)
        #expect(try await store.retrieve("key") == entry)
    }

    @Test("is refused where a user's bound is reached")
    func bound() async throws {
        let base = FlushingStore()
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let store = QuotaStore(base, UserQuota(bound: 10, base, folder: folder))
        await #expect(throws: StoreError.self) {
            try await store.updateUnflushed("key") { _ in
                .replace(StoredEntry(bytes: Data(count: 11), savedAt: .distantPast))
            }
        }
        #expect(try await base.retrieve("key") == nil)
    }
}

/// Counts the changes that it flushes.
private final class FlushingStore: ForwardingStore, UnflushedChanges {
    let base: any CacheStore = MemoryStore()
    private let count = Locked(0)

    var flushes: Int { count.withLock { $0 } }

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try await update(key) { _ in .replace(entry) }
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        count.withLock { $0 += 1 }
        try await base.update(key, decide)
    }
}
