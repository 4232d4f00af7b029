import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPostgres

@Suite("The store in PostgreSQL, its calls alone and together", .timeLimit(.minutes(5)))
struct GatheredWritesTests {
    @Test("A call that comes alone is carried out by its caller")
    func alone() async throws {
        let store = try await PostgresStore(try PostgresServer.shared.get().address, schema: newSchema())
        try await store.insert(entry("a"), for: "a")
        #expect(
            await eventually {
                let found = try? await store.retrieve("a")  // nil is not what is expected
                return found == entry("a") && store.owner.loop.carriedOut > 0
            })
    }

    @Test("Insertions gather while the connection makes another one, and are one step of the server")
    func together() async throws {
        guard #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) else { return }
        let (server, schema) = (try PostgresServer.shared.get(), newSchema())
        let store = try await PostgresStore(server.address, schema: schema, connections: 1)
        let other = try await PostgresStore(server.address, schema: schema)
        let told = Locked<[StoreChange]>([])
        let observation = other.changes.observe { change in told.withLock { $0.append(change) } }
        defer { observation.cancel() }
        try await store.insert(entry("first"), for: "held")
        let keys = (0..<40).map { "key \($0)" } + ["", "🦊"].map { String(repeating: "long", count: 500) + $0 }
        let hold = try Hold(of: "held", server, schema)
        // Each has left its request when it is made.
        let held = Task.immediate { try await store.insert(entry("second"), for: "held") }
        #expect(await eventually { hold.isWaitedFor })
        let others = keys.map { key in Task.immediate { try await store.insert(entry(key), for: key) } }
        try hold.end()
        for task in [held] + others { try await task.value }
        for key in keys { #expect(try await other.retrieve(key) == entry(key)) }
        #expect(try await other.entries().count == keys.count + 1)
        // The first one, the one that was held up, and all others.
        #expect(try server.number("SELECT max(done) FROM \"\(schema)\".session") == 3)
        #expect(await eventually { told.withLock { $0.count } == keys.count + 2 })
    }

    @Test("Of insertions that are made together, only the one is refused that the server does not take")
    func refused() async throws {
        guard #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) else { return }
        let (server, schema) = (try PostgresServer.shared.get(), newSchema())
        let store = try await PostgresStore(server.address, schema: schema, connections: 1)
        try await store.insert(entry("first"), for: "held")
        try server.run(sql: "ALTER TABLE \"\(schema)\".entry ADD CHECK (length(bytes) <> 7)")
        let hold = try Hold(of: "held", server, schema)
        let held = Task.immediate { try await store.insert(entry("second"), for: "held") }
        #expect(await eventually { hold.isWaitedFor })
        let texts = ["good", "fine", "refused", "whole"]
        let others = texts.map { text in Task.immediate { try await store.insert(entry(text), for: text) } }
        try hold.end()
        try await held.value
        for (text, task) in zip(texts, others) {
            if text.count == 7 {
                await #expect(throws: StoreError.self) { try await task.value }
                #expect(try await store.retrieve(text) == nil)
            } else {
                try await task.value
                #expect(try await store.retrieve(text) == entry(text))
            }
        }
    }

    private func newSchema() -> String { "test_\(UUID().uuidString.prefix(13))" }
}

/// A row that another program has locked.
private struct Hold {
    private let connection: OpaquePointer
    private let server: PostgresServer

    init(of key: String, _ server: PostgresServer, _ schema: String) throws {
        self.server = server
        connection = try Connecting(server.address, Schema("none"), .seconds(30)).connect("hold")
        try Connecting.run("BEGIN", on: connection)
        let row = "SELECT 1 FROM \"\(schema)\".entry WHERE id = '\(key)'::bytea FOR UPDATE"
        _ = try Connecting.rows(row, on: connection)
    }

    /// True if somebody waits for the row.
    var isWaitedFor: Bool {
        let waiting = """
            SELECT count(*) FROM pg_stat_activity a, pg_stat_activity h
            WHERE h.application_name = 'hold' AND h.pid = \(PostgresServer.process(of: connection))
                AND h.pid = ANY (pg_blocking_pids(a.pid))
            """
        return (try? server.number(waiting)) == 1  // nil is not 1
    }

    func end() throws {
        try Connecting.run("COMMIT", on: connection)
        PostgresServer.finish(connection)
    }
}
