import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPostgres

@Suite("The steps of the store in PostgreSQL for many entries", .timeLimit(.minutes(5)), .serialized)
struct PostgresBatchesTests {
    private let schema = "batch_\(UUID().uuidString.prefix(13))"

    private func store() async throws -> PostgresStore {
        try await PostgresStore(PostgresServer.shared.get().address, schema: schema)
    }

    private func seen(_ keys: [String], _ batches: any EntryBatches) async throws -> [SeenEntry] {
        try await batches.retrieve(keys).compactMap { try $0.get() }
    }

    @Test(
        "Many entries are read in the order of their keys: missing, damaged, large ones and those with long keys among them"
    )
    func reading() async throws {
        let store = try await store()
        let batches = try #require(store.batches)
        let long = String(repeating: "🦊", count: 1000)
        let large = StoredEntry(bytes: Data(repeating: 7, count: 2 * Row.largest), savedAt: entry("").savedAt)
        for key in ["a", "b", "damaged", long] { try await store.insert(entry(key), for: key) }
        try await store.insert(large, for: "large")
        try PostgresServer.shared.get().run(
            sql: "UPDATE \(store.schemaName).entry SET bytes = bytes || '\\x00' WHERE id = 'damaged'")
        let found = try await batches.retrieve(["b", "none", "a", "damaged", long, "large"])
        #expect(found.count == 6)
        for (place, expected) in [0: entry("b"), 1: nil, 2: entry("a"), 4: entry(long), 5: large] {
            #expect(try found[place].get()?.entry == expected)
        }
        #expect(throws: StoreError.self) { _ = try found[3].get() }
        let many = (0..<1200).map { "\($0)" }
        #expect(try await batches.retrieve(many + ["a"]).last?.get()?.entry == entry("a"))
        #expect(try await batches.retrieve([]).isEmpty)
    }

    @Test("Only entries that are as they were seen are replaced and deleted, and others are told of them")
    func changing() async throws {
        let (store, other) = (try await store(), try await store())
        let batches = try #require(store.batches)
        for key in ["a", "b", "c", "d"] { try await store.insert(entry(key), for: key) }
        let seen = try await seen(["a", "b", "c", "d"], batches)
        try await other.insert(entry("of another"), for: "b")
        try await other.delete("d")
        let (told, continuation) = AsyncStream<StoreChange>.makeStream()
        let observation = other.changes.observe { continuation.yield($0) }
        let made = try await batches.change([
            SeenChange("a", seen[0], replacement: entry("new")), SeenChange("b", seen[1], replacement: entry("late")),
            SeenChange("c", seen[2], replacement: nil), SeenChange("d", seen[3], replacement: entry("late")),
        ])
        #expect(made.map { $0 != nil } == [true, false, true, false])
        #expect(try await store.retrieve("a") == entry("new"))
        #expect(try await store.retrieve("b") == entry("of another"))
        for key in ["c", "d"] { #expect(try await store.retrieve(key) == nil) }
        // A message names all that one step has changed.
        var found: Set<StoreChange> = []
        for await change in told {
            found.insert(change)
            if found.isSuperset(of: [.entry("a"), .entry("c")]) { break }
        }
        #expect(!found.contains(.everything))
        // What was made can be changed again from there.
        let next = try #require(made[0])
        let again = try await batches.change([SeenChange("a", next, replacement: nil)])
        #expect(again[0] != nil)
        #expect(try await store.retrieve("a") == nil)
        // A step that only deletes is told as well.
        for await change in told where change == .entry("a") { break }
        observation.cancel()
    }

    @Test("An entry that becomes larger than a row, and back, keeps no piece")
    func pieces() async throws {
        let store = try await store()
        let batches = try #require(store.batches)
        try await store.insert(entry("a"), for: "a")
        let large = StoredEntry(bytes: Data(repeating: 7, count: 2 * Row.largest), savedAt: entry("").savedAt)
        let made = try await batches.change([SeenChange("a", seen(["a"], batches)[0], replacement: large)])
        #expect(try await store.retrieve("a") == large)
        let now = try #require(made[0])
        _ = try await batches.change([SeenChange("a", now, replacement: entry("small"))])
        #expect(try await store.retrieve("a") == entry("small"))
        #expect(try PostgresServer.shared.get().number("SELECT count(*) FROM \(store.schemaName).piece") == 0)
    }

    @Test("Nobody waits for a row that somebody else is changing: it is left to him")
    func lockedRow() async throws {
        let store = try await store()
        let batches = try #require(store.batches)
        for key in ["a", "b"] { try await store.insert(entry(key), for: key) }
        let seen = try await seen(["a", "b"], batches)
        let server = try PostgresServer.shared.get()
        let holder = try Connecting(server.address, Schema("none"), .seconds(30)).connect()
        defer { PostgresServer.finish(holder) }
        try Connecting.run("BEGIN", on: holder)
        try Connecting.run("SELECT FROM \(store.schemaName).entry WHERE id = 'a' FOR UPDATE", on: holder)
        // It would wait for as long as this test.
        let made = try await batches.change([
            SeenChange("a", seen[0], replacement: nil), SeenChange("b", seen[1], replacement: nil),
        ])
        #expect(made.map { $0 != nil } == [false, true])
        try Connecting.run("ROLLBACK", on: holder)
        #expect(try await store.retrieve("a") == entry("a"))
    }

    @Test("Many are changed, though one message to others has no room for all their keys")
    func many() async throws {
        let store = try await store()
        let batches = try #require(store.batches)
        let keys = (0..<120).map { "\($0) " + String(repeating: "k", count: 100) }
        for key in keys { try await store.insert(entry(key), for: key) }
        let changes = zip(keys, try await seen(keys, batches)).map { SeenChange($0, $1, replacement: nil) }
        #expect(try await batches.change(changes).allSatisfy { $0 != nil })
        #expect(try await store.contents().entries.isEmpty)
    }

    @Test("A scope's steps reach its own entries, and none after its end")
    func scopes() async throws {
        let store = try await store()
        let (scope, other) = (Scope("user/4", in: store), Scope("user/5", in: store))
        let batches = try #require(scope.store.batches)
        try await scope.store.insert(entry("mine"), for: "a")
        try await other.store.insert(entry("another's"), for: "a")
        let seen = try await seen(["a"], batches)
        #expect(seen.map(\.entry) == [entry("mine")])
        #expect(try await batches.change([SeenChange("a", seen[0], replacement: entry("new"))])[0] != nil)
        #expect(try await scope.store.retrieve("a") == entry("new"))
        #expect(try await other.store.retrieve("a") == entry("another's"))
        try await scope.end()
        await #expect(throws: StoreError.self) { _ = try await batches.retrieve(["a"]) }
        await #expect(throws: StoreError.self) {
            _ = try await batches.change([SeenChange("a", seen[0], replacement: entry("late"))])
        }
    }
}
