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

    @Test("Once a call has waited in vain, those after it fail at once, until the server is back")
    func circuit() async throws {
        let server = try PostgresServer()
        let patience = Duration.seconds(1)
        let store = try await PostgresStore.impatient(server.address, patience: patience)
        try server.kill()
        // The first calls find out; from then on a hundred take less time than ten that wait.
        let isKnown = await eventually {
            let begin = ContinuousClock.now
            for _ in 0..<100 {
                let error = await thrown { () async throws(StoreError) in _ = try await store.retrieve("key") }
                guard error != nil, ContinuousClock.now - begin < patience * 10 else { return false }
            }
            return true
        }
        #expect(isKnown)
        try server.start()
        #expect(await eventually { (try? await store.insert(entry("later"), for: "key")) != nil })
    }

    @Test("A server that refuses a password, a user or a database is told from one that is away")
    func refusals() async throws {
        let server = try PostgresServer()
        // A database is made outside of a transaction, so each statement is alone.
        for sql in [
            "CREATE ROLE shut NOLOGIN", "CREATE DATABASE closed", "REVOKE CONNECT ON DATABASE closed FROM PUBLIC",
            "CREATE ROLE stranger LOGIN",
        ] { try server.run(sql: sql) }
        let (host, port) = ("127.0.0.1", server.port)
        for refused in [
            "postgresql://nobody@\(host):\(port)/postgres", "postgresql://postgres@\(host):\(port)/none",
            "postgresql://shut@\(host):\(port)/postgres", "postgresql://stranger@\(host):\(port)/closed",
            "postgresql://nobody@\(host):1,\(host):\(port)/postgres",
            "\(server.address)?sslmode=verify_full", "\(server.address)?target_session_attrs=readwrite",
            "postgresql://\(host):70000/postgres",
        ] { #expect(await PostgresStore.isRefused(refused), "\(refused)") }
        for other in [
            server.address, "postgresql://nobody@\(host):1/postgres", "postgresql://nobody.invalid/postgres",
            "postgresql://postgres@\(host):\(port)/postgres?target_session_attrs=standby",
        ] { #expect(await !PostgresStore.isRefused(other), "\(other)") }
        try server.kill()
        #expect(await !PostgresStore.isRefused("postgresql://nobody@\(host):\(port)/postgres"))
    }

    @Test("The use of the pool is told: connections that are open, and requests that wait for one")
    func poolUse() async throws {
        let server = try PostgresServer()
        let store = try await PostgresStore(server.address, connections: 2)
        #expect(store.use == PoolUse(limit: 2))
        try await store.insert(entry("one"), for: "key")
        #expect(await eventually { store.use.idle >= 1 && store.use.busy == 0 })
        try server.run(sql: "ALTER TABLE aquifer.entry RENAME TO away")
        #expect(await thrown { () async throws(StoreError) in _ = try await store.retrieve("key") } != nil)
        #expect(store.use.limit == 2 && store.use.waiting == 0)
        try server.kill()
        let call = Task { try? await store.retrieve("key") }
        #expect(await eventually { store.use.waiting == 1 && store.use.idle == 0 })
        try server.start()
        _ = await call.value
        #expect(await eventually { store.use.waiting == 0 })
    }

    @Test("A database whose defaults end waits, and transactions that meet, is used as any other")
    func defaults() async throws {
        let server = try PostgresServer()
        try server.run(
            sql: "ALTER DATABASE postgres SET lock_timeout = '1ms';"
                + " ALTER DATABASE postgres SET default_transaction_isolation = 'serializable'")
        let store = try await PostgresStore(server.address, connections: 4)
        try await store.insert(entry("before"), for: "a")
        let other = try Connecting(server.address, Schema("none"), .seconds(30)).connect()
        try Connecting.run("BEGIN; SELECT 1 FROM aquifer.entry FOR UPDATE", on: other)
        async let error = thrown { () async throws(StoreError) in try await store.insert(entry("after"), for: "a") }
        #expect(await eventually { (try? server.number("SELECT count(*) FROM pg_locks WHERE NOT granted")) == 1 })
        PostgresServer.finish(other)
        #expect(await error == nil)
        #expect(try server.number("SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'") == 0)
        await withTaskGroup(of: StoreError?.self) { group in
            for number in 0..<32 {
                group.addTask {
                    await thrown { () async throws(StoreError) in
                        try await store.update("a") { _ in .replace(entry("\(number)")) }
                    }
                }
            }
            for await error in group { #expect(error == nil) }
        }
    }

    @Test("Where a server has room for two connections only, writes that wait leave one to the reads")
    func roomForTwo() async throws {
        let server = try PostgresServer()
        // One more listens.
        try server.run(sql: "CREATE ROLE narrow LOGIN CONNECTION LIMIT 3")
        try server.run(sql: "GRANT CREATE ON DATABASE postgres TO narrow")
        let address = "postgresql://narrow@127.0.0.1:\(server.port)/postgres"
        let store = try await PostgresStore(address, connections: 4, patience: .seconds(4))
        for key in ["a", "b", "c"] { try await store.insert(entry("before"), for: key) }
        let other = try Connecting(server.address, Schema("none"), .seconds(30)).connect()
        try Connecting.run("BEGIN; SELECT 1 FROM aquifer.entry FOR UPDATE", on: other)
        func waits(_ count: Int64) async -> Bool {
            await eventually { (try? server.number("SELECT count(*) FROM pg_locks WHERE NOT granted")) == count }
        }
        async let first = thrown { () async throws(StoreError) in try await store.insert(entry("after"), for: "a") }
        #expect(await waits(1))
        #expect(try await store.retrieve("c") == entry("before"))
        async let second = thrown { () async throws(StoreError) in try await store.insert(entry("after"), for: "b") }
        // It may wait here or there.
        #expect(await eventually { store.use.waiting + store.use.busy > 1 })
        let start = ContinuousClock.now
        _ = try? await store.retrieve("c")  // Its time is what counts.
        let time = ContinuousClock.now - start
        #expect(time < .seconds(2))
        PostgresServer.finish(other)
        _ = await (first, second)
    }

    @Test("The printed definition makes tables that a user without other rights works with")
    func definition() async throws {
        let server = try PostgresServer()
        let name = "we\"ird"
        try server.run(
            sql: "CREATE ROLE \"pl\"\"ain\" LOGIN;" + PostgresStore.definition(schema: name, role: "pl\"ain"))
        let address = server.address.replacing("postgres@", with: "pl%22ain@")
        let store = try await PostgresStore(address, schema: name)
        let large = StoredEntry(bytes: Data(count: Row.largest + 5), savedAt: Date(timeIntervalSinceReferenceDate: 0))
        try await store.insert(large, for: "key")
        try await store.update("key") { _ in .replace(entry("small")) }
        #expect(try await store.leases?.take("key", for: .seconds(60), unlessSavedSince: nil) == .granted(1))
        try await store.deleteAll(prefix: "k")
        #expect(try await store.contents().entries.isEmpty)
        let error = await thrown { () async throws(StoreError) in _ = try await PostgresStore(address, schema: "other")
        }
        #expect(error != nil)
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
