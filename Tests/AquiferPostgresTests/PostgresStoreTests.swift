import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPostgres

@Suite("The store in PostgreSQL, its tables and its changes", .timeLimit(.minutes(5)))
struct PostgresStoreTests {
    @Test("Entries of more than a megabyte come back whole, are replaced, listed and deleted")
    func pieces() async throws {
        let store = try await PlacedStore()
        for size in [Row.largest, Row.largest + 1, 3 * Row.largest, 5_000_001] {
            let large = StoredEntry(
                bytes: Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }),
                savedAt: Date(timeIntervalSinceReferenceDate: Double(size)))
            try await store.insert(large, for: "large")
            #expect(try await store.retrieve("large") == large)
            #expect(try await store.entries().map(\.size) == [size])
        }
        try store.run("DELETE FROM piece WHERE number = 2")
        await #expect(throws: StoreError.self) { _ = try await store.retrieve("large") }
        #expect(try await store.contents().damaged.map(\.key) == ["large"])
        try await store.insert(entry("small"), for: "large")
        #expect(try await store.retrieve("large") == entry("small"))
        #expect(try await count("piece", store) == 0)
    }

    @Test("A call may wait for ever")
    func forEver() async throws {
        let store = try await PostgresStore(PostgresServer.shared.get().address, patience: .seconds(Int64.max))
        try await store.insert(entry("a"), for: "for ever")
        #expect(try await store.retrieve("for ever") == entry("a"))
        try await store.delete("for ever")
    }

    @Test("A list longer than a page has each entry once")
    func pages() async throws {
        let store = try await PlacedStore()
        // A call waits only so long for its turn: not all of them are made at once.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in 0..<100 {
                group.addTask {
                    for number in stride(from: first, through: 2 * Statement.page, by: 100) {
                        try await store.insert(entry("\(number)"), for: "key \(number)")
                    }
                }
            }
            try await group.waitForAll()
        }
        let keys = try await store.entries().map(\.key)
        #expect(keys.count == 2 * Statement.page + 1 && Set(keys).count == keys.count)
        #expect(try await store.contents(prefix: "key 99").entries.count == 111)
        try await store.deleteAll(prefix: "key 1")
        #expect(try await store.contents().entries.count == 2 * Statement.page + 1 - 1 - 10 - 100 - 1000 - 1)
    }

    @Test("Changes of one machine are told on another, by key and by prefix, and by nobody twice")
    func changes() async throws {
        let store = try await PlacedStore()
        let other = try await PlacedStore(schema: store.schema)
        let (told, continuation) = AsyncStream<StoreChange>.makeStream()
        let observation = other.changes.observe { continuation.yield($0) }
        let long = String(repeating: "🦊", count: 1000)
        try await store.insert(entry("a"), for: "user/4/a")
        try await store.update("user/4/b\u{0}") { _ in .replace(entry("b")) }
        try await store.delete("user/4/a")
        try await store.delete("user/4/none")
        try await store.deleteAll(prefix: "user/4/")
        try await store.deleteAll(prefix: "user/4/")
        try await store.insert(entry("long"), for: long)
        let expected: [StoreChange] = [
            .entry("user/4/a"), .entry("user/4/b\u{0}"), .entry("user/4/a"), .prefix("user/4/"), .everything,
        ]
        var found: [StoreChange] = []
        for await change in told {
            found.append(change)
            if found.count == expected.count { break }
        }
        #expect(found == expected)
        observation.cancel()
    }

    @Test("Tables that are made by hand are used, by a user who may only read and write")
    func handmade() async throws {
        let server = try PostgresServer.shared.get()
        let (schema, user) = ("hand \(UUID().uuidString.prefix(8))", "user_\(UUID().uuidString.prefix(8))".lowercased())
        try server.run(sql: PostgresStore.definition(schema: schema))
        try server.run(
            sql: """
                CREATE ROLE \(user) LOGIN; GRANT USAGE ON SCHEMA "\(schema)" TO \(user);
                GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "\(schema)" TO \(user)
                """)
        let address = server.address.replacing("postgres@", with: "\(user)@")
        let store = try await PostgresStore(address, schema: schema)
        try await store.insert(entry("a"), for: "a")
        #expect(try await store.retrieve("a") == entry("a"))
        try server.run(sql: "REVOKE INSERT, UPDATE ON ALL TABLES IN SCHEMA \"\(schema)\" FROM \(user)")
        let error = await thrown { () async throws(StoreError) in try await store.insert(entry("b"), for: "b") }
        #expect(error == .readOnly(path: store.place))
        // A new connection cannot even begin a session, and says the same.
        let other = try await PostgresStore(address, schema: schema)
        let again = await thrown { () async throws(StoreError) in try await other.insert(entry("b"), for: "b") }
        #expect(again == .readOnly(path: store.place))
        #expect(try await other.retrieve("a") == entry("a"))
    }

    @Test(
        "Tables of another version, newer or before the first release, are left alone, and who has them open goes on",
        arguments: [2, 9])
    func otherVersion(version: Int) async throws {
        let server = try PostgresServer.shared.get()
        let schema = "of_\(version)_\(UUID().uuidString.prefix(8))"
        let store = try await PostgresStore(server.address, schema: schema)
        try await store.insert(entry("a"), for: "a")
        try server.run(sql: "UPDATE \"\(schema)\".version SET number = \(version)")
        let error = await thrown { () async throws(StoreError) in
            _ = try await PostgresStore(server.address, schema: schema)
        }
        let place = "postgresql://127.0.0.1:\(server.port)/postgres"
        #expect(error == .otherVersion(path: place, found: version, supported: 3))
        #expect(try await store.retrieve("a") == entry("a"))
    }

    @Test("A store that has lost a table is not opened, and says which", arguments: Schema.parts.dropFirst())
    func lostTable(name: String) async throws {
        let (server, store) = (try PostgresServer.shared.get(), try await PlacedStore())
        let kind = name == "lease_number" ? "SEQUENCE" : "TABLE"
        try server.run(sql: "DROP \(kind) \"\(store.schema)\".\(name)")
        let error = await thrown { () async throws(StoreError) in
            _ = try await PostgresStore(server.address, schema: store.schema)
        }
        guard case .damaged(_, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.hasSuffix("has lost \(name)"))
    }

    @Test("Whatever a database sets for its sessions, and warns of, the store works and prints nothing")
    func warnings() async throws {
        let server = try PostgresServer.shared.get()
        let name = "warned_\(UUID().uuidString.prefix(8).lowercased())"
        try server.run(sql: "CREATE DATABASE \(name)")
        try server.run(sql: "ALTER DATABASE \(name) SET standard_conforming_strings = off")
        // Its sessions begin with a warning.
        try server.run(sql: "UPDATE pg_database SET datcollversion = '1' WHERE datname = '\(name)'")
        let address = "postgresql://postgres@127.0.0.1:\(server.port)/\(name)"
        let ended = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [address = address as String] in
            do {
                let store = try await PostgresStore(address, schema: "o'ne")
                try await store.insert(entry("a"), for: "a")
                #expect(try await store.retrieve("a") == entry("a"))
            } catch { Issue.record(error) }
        }
        #expect(ended.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } == "")
    }

    @Test("Tables of somebody else are left alone")
    func foreign() async throws {
        let server = try PostgresServer.shared.get()
        let store = try await PlacedStore()
        try server.run(
            sql:
                "CREATE SCHEMA theirs_\(store.schema.suffix(4)); CREATE TABLE theirs_\(store.schema.suffix(4)).version_of (a int)"
        )
        let foreign = await thrown { () async throws(StoreError) in
            _ = try await PostgresStore(server.address, schema: "theirs_\(store.schema.suffix(4))".lowercased())
        }
        guard case .notAStore = foreign else {
            Issue.record("\(String(describing: foreign))")
            return
        }
    }

    @Test("Many processes that begin at once make the tables once")
    func beginAtOnce() async throws {
        let address = try PostgresServer.shared.get().address
        let schema = "many_\(UUID().uuidString.prefix(8))"
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await PostgresStore(address, schema: schema).insert(entry("\(number)"), for: "\(number)")
                }
            }
            try await group.waitForAll()
        }
        #expect(try await PostgresStore(address, schema: schema).entries().count == 8)
    }

    @Test(
        "Sessions that were not used for a week go with the beginning of another one; their owners write all the same")
    func oldSessions() async throws {
        let store = try await PlacedStore()
        try await store.insert(entry("a"), for: "a")
        try PostgresServer.shared.get().run(
            sql: "UPDATE \"\(store.schema)\".session SET used_at = now() - interval '8 days'")
        let other = try await PlacedStore(schema: store.schema)
        try await other.insert(entry("b"), for: "b")
        #expect(try await count("session", store) == 1)
        try await store.insert(entry("c"), for: "a")
        #expect(try await other.retrieve("a") == entry("c"))
    }

    private func count(_ table: String, _ store: PlacedStore) async throws -> Int64? {
        let connection = try Connecting(PostgresServer.shared.get().address, Schema("none"), .seconds(30)).connect()
        defer { PostgresServer.finish(connection) }
        return try Connecting.rows("SELECT count(*) FROM \"\(store.schema)\".\(table)", on: connection).integer(0, 0)
    }
}

@Suite("The turns of keys")
struct KeyTurnsTests {
    @Test("A call for everything comes after all earlier calls and before all later ones")
    func barrier() async throws {
        guard #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) else { return }
        let (turns, order) = (KeyTurns(), Order())
        let (gate, open) = AsyncStream<Void>.makeStream()
        let first = Task.immediate {
            try await turns.run(StoreKey("a")) { () async throws(StoreError) in
                for await _ in gate { break }
                await order.add("a")
            }
        }
        let alone = Task.immediate {
            try await turns.runAlone { () async throws(StoreError) in await order.add("all") }
        }
        let later = Task.immediate {
            try await turns.run(StoreKey("b")) { () async throws(StoreError) in await order.add("b") }
        }
        open.yield()
        for task in [first, alone, later] { try await task.value }
        #expect(await order.names == ["a", "all", "b"])
    }

    private actor Order {
        var names: [String] = []
        func add(_ name: String) { names.append(name) }
    }
}
