import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPostgres

/// Calls in the middle of which the server or its connections end.
@Suite("The store in PostgreSQL, its server broken", .timeLimit(.minutes(5)), .serialized)
struct BrokenServerTests {
    @Test("Counters lose and double no step while connections are cut")
    func cutConnections() async throws {
        let server = try PostgresServer()
        let counters = Counters([try await PostgresStore(server.address), try await PostgresStore(server.address)])
        let cut = Locked<Int64>(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await counters.count(times: 100) }
            group.addTask {
                for _ in 0..<20 {
                    let before = counters.made
                    #expect(await eventually { counters.made >= before + 10 || !counters.isBusy })
                    let count = try server.cutConnections(named: "aquifer")
                    cut.withLock { $0 += count }
                }
            }
            try await group.waitForAll()
        }
        try await counters.judge()
        #expect(cut.withLock { $0 } > 0)
    }

    @Test("Counters lose and double no step while the server is killed")
    func killedServer() async throws {
        let server = try PostgresServer()
        let store = try await PostgresStore(server.address)
        let counters = Counters([store, try await PostgresStore(server.address)])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await counters.count(times: 400) }
            group.addTask {
                for _ in 0..<3 {
                    // Killed in the middle of the work, whatever it is doing.
                    let before = counters.made
                    #expect(await eventually { counters.made >= before + 40 || !counters.isBusy })
                    try server.kill()
                    #expect(counters.made < Counters.tasks * 400)
                    try server.start()
                }
            }
            try await group.waitForAll()
        }
        try await counters.judge()
    }

    @Test("An observer is told that everything may have changed while its connection was broken")
    func lostNotices() async throws {
        let server = try PostgresServer()
        let store = try await PostgresStore(server.address)
        let (told, continuation) = AsyncStream<StoreChange>.makeStream()
        let observation = store.changes.observe { continuation.yield($0) }
        #expect(try server.cutConnections(named: "aquifer-changes") == 1)
        var changes = told.makeAsyncIterator()
        #expect(await changes.next() == .everything)
        // It listens again: what another store changes is told by its key.
        try await PostgresStore(server.address).insert(entry("new"), for: "key")
        #expect(await changes.next() == .entry("key"))
        observation.cancel()
    }

    @Test("Without a server, calls throw in time, say so, and changed nothing")
    func noServer() async throws {
        let server = try PostgresServer()
        try await PostgresStore(server.address).insert(entry("saved"), for: "key")
        let store = try await PostgresStore.impatient(server.address, patience: .milliseconds(200))
        try server.kill()
        let error = await thrown { () async throws(StoreError) in try await store.insert(entry("other"), for: "key") }
        #expect("\(try #require(error))".contains("127.0.0.1:\(server.port)"))
        #expect(await thrown { () async throws(StoreError) in _ = try await store.retrieve("key") } != nil)
        try server.start()
        // The first call may still meet the pause after the last failure.
        #expect(await eventually { (try? await store.retrieve("key")) == entry("saved") })
    }

    @Test("A password is in no error")
    func password() async throws {
        let error = await thrown { () async throws(StoreError) in
            _ = try await PostgresStore("postgresql://me:secret@127.0.0.1:1/db", patience: .milliseconds(100))
        }
        let text = "\(try #require(error))"
        #expect(text.contains("postgresql://127.0.0.1:1/db") && !text.contains("secret"))
    }
}

func entry(_ text: String) -> StoredEntry {
    StoredEntry(bytes: Data(text.utf8), savedAt: Date(timeIntervalSinceReferenceDate: 0))
}

func thrown(_ body: () async throws(StoreError) -> Void) async -> StoreError? {
    do throws(StoreError) { try await body() } catch { return error }
    return nil
}
