import Aquifer
import AquiferTesting
import Foundation
import Testing

// Document 001, "Feed Store implementation Inbox": a test for each of its lines, in its order. `CacheStoreContract` says
// the same in greater detail, and is run over every store by its own tests.

@Suite("Feed Store implementation Inbox", .timeLimit(.minutes(10)))
struct FeedStoreInboxTests {
    private let store: any CacheStore
    private let folder: TestFolder?
    private let old = FeedStoreInboxTests.entry("old")
    private let new = FeedStoreInboxTests.entry("new")

    init() throws {
        let folder = TestFolder()
        store = try FileStore(directory: folder.url)
        self.folder = folder
    }

    private static func entry(_ text: String) -> StoredEntry {
        StoredEntry(bytes: Data(text.utf8), savedAt: Date(timeIntervalSince1970: 1_780_000_000))
    }

    @Test("Insert: to empty cache works")
    func insertToEmpty() async throws {
        try await store.insert(new, for: "feed")
        #expect(try await store.retrieve("feed") == new)
    }

    @Test("Insert: to non-empty cache overrides previous value")
    func insertOverrides() async throws {
        try await store.insert(old, for: "feed")
        try await store.insert(new, for: "feed")
        #expect(try await store.retrieve("feed") == new)
        #expect(try await store.entries().count == 1)
    }

    @Test("Insert: error, and the previous value is still there")
    func insertError() async throws {
        try await store.insert(old, for: "feed")
        let failing = FaultyStore(store)
        failing.fail(.insert, with: .full(path: "/s"))
        await #expect(throws: StoreError.full(path: "/s")) { try await failing.insert(new, for: "feed") }
        #expect(try await store.retrieve("feed") == old)
    }

    @Test("Retrieve: empty cache works, before something is inserted")
    func retrieveEmpty() async throws {
        #expect(try await store.retrieve("feed") == nil)
    }

    @Test("Retrieve: empty cache twice returns empty cache")
    func retrieveEmptyTwice() async throws {
        #expect(try await store.retrieve("feed") == nil)
        #expect(try await store.retrieve("feed") == nil)
    }

    @Test("Retrieve: non-empty cache returns data")
    func retrieve() async throws {
        try await store.insert(new, for: "feed")
        #expect(try await store.retrieve("feed") == new)
    }

    @Test("Retrieve: non-empty cache twice returns same data")
    func retrieveTwice() async throws {
        try await store.insert(new, for: "feed")
        #expect(try await store.retrieve("feed") == new)
        #expect(try await store.retrieve("feed") == new)
    }

    @Test("Retrieve: error returns error, and twice the same error")
    func retrieveError() async throws {
        try await store.insert(new, for: "feed")
        try folder?.damageFiles()
        var errors: [StoreError] = []
        for _ in 0..<2 {
            do throws(StoreError) { _ = try await store.retrieve("feed") } catch { errors.append(error) }
        }
        #expect(errors.count == 2 && errors.first == errors.last)
        guard case .unreadable("feed", _)? = errors.first else {
            Issue.record("\(errors)")
            return
        }
    }

    @Test("Delete: empty cache does nothing: it stays empty and does not fail")
    func deleteEmpty() async throws {
        try await store.delete("feed")
        #expect(try await store.retrieve("feed") == nil)
    }

    @Test("Delete: inserted data leaves cache empty")
    func delete() async throws {
        try await store.insert(new, for: "feed")
        try await store.delete("feed")
        #expect(try await store.retrieve("feed") == nil)
        #expect(try await store.entries().isEmpty)
    }

    @Test("Delete: error, and the data is still there")
    func deleteError() async throws {
        try await store.insert(old, for: "feed")
        let failing = FaultyStore(store)
        failing.fail(.delete, with: .failed(operation: "delete", reason: "read-only"))
        await #expect(throws: StoreError.self) { try await failing.delete("feed") }
        #expect(try await store.retrieve("feed") == old)
    }

    @Test("Side-effects run serially, to avoid race conditions")
    func serial() async throws {
        // Each adds one to the number that it finds: any two that overlapped would lose one.
        try await store.insert(StoredEntry(bytes: Data(), savedAt: new.savedAt), for: "feed")
        let savedAt = new.savedAt
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { [store] in
                    try await store.update("feed") { found throws(StoreError) in
                        let bytes = try found.get()?.bytes ?? Data()
                        return .replace(StoredEntry(bytes: bytes + [1], savedAt: savedAt))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.retrieve("feed")?.bytes.count == 50)
    }
}

/// A folder for one test, gone with its owner.
private final class TestFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "aquifer-inbox-\(UUID().uuidString)")

    /// Changes the last byte of every file that holds an entry.
    func damageFiles() throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: url.path).map { url.appending(path: $0) }
        for file in files {
            guard var bytes = FileManager.default.contents(atPath: file.path), !bytes.isEmpty else { continue }
            bytes[bytes.count - 1] ^= 0x10
            try bytes.write(to: file)
        }
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
