import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPostgres

/// Faults of the server and of machines, on a real server.
@Suite("The store in PostgreSQL, and faults around it", .timeLimit(.minutes(5)))
struct FaultsOfPostgresTests {
    private let schema = "fault_\(UUID().uuidString.prefix(13))"

    @Test("Calls wait for a server without a free connection, and are carried out when there is one")
    func exhaustedPool() async throws {
        let server = try PostgresServer()
        let store = try await PostgresStore(server.address, schema: schema, connections: 2)
        let impatient = try await PostgresStore.impatient(
            server.address, schema: schema, patience: .milliseconds(200))
        var taken: [OpaquePointer] = []
        let connecting = Connecting(server.address, Schema("none"), .seconds(30))
        while let connection = try? connecting.connect("other"), taken.count < 300 { taken.append(connection) }
        #expect(taken.count > 100 && taken.count < 300)
        // A slow machine may not come as far as to the server's words in time.
        let isRefused = await eventually {
            let error = await thrown { () async throws(StoreError) in _ = try await impatient.retrieve("key") }
            return "\(String(describing: error))".contains("too many clients")
        }
        #expect(isRefused)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 { group.addTask { try await store.insert(entry("\(number)"), for: "key \(number)") } }
            for connection in taken { PostgresServer.finish(connection) }
            try await group.waitForAll()
        }
        #expect(try await store.contents().entries.count == 50)
    }

    @Test("More calls than connections take turns, and each is carried out")
    func fewConnections() async throws {
        let address = try PostgresServer.shared.get().address
        let store = try await PostgresStore(address, schema: schema, connections: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    try await store.update("key \(number % 7)") { found throws(StoreError) in
                        let known = try found.get().map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
                        return .replace(entry(known + " \(number)"))
                    }
                }
            }
            try await group.waitForAll()
        }
        var steps = 0
        for number in 0..<7 {
            let found = try #require(try await store.retrieve("key \(number)"))
            steps += String(decoding: found.bytes, as: UTF8.self).split(separator: " ").count
        }
        #expect(steps == 500)
    }

    @Test("A query that hangs ends within the store's patience, changes nothing, and holds up no later one")
    func hangingQuery() async throws {
        let server = try PostgresServer.shared.get()
        let patient = try await PostgresStore(server.address, schema: schema)
        try await patient.insert(entry("saved"), for: "key")
        let store = try await PostgresStore.impatient(
            server.address, schema: schema, patience: .milliseconds(300))
        let blocker = try Connecting(server.address, Schema("none"), .seconds(30)).connect("blocker")
        defer { PostgresServer.finish(blocker) }
        try Connecting.run("BEGIN; LOCK TABLE \"\(schema)\".entry IN ACCESS EXCLUSIVE MODE", on: blocker)
        // A slow machine may not come as far as to the lock in time.
        func isBusy(_ call: () async throws(StoreError) -> Void) async -> Bool {
            if case .busy? = await thrown(call) { true } else { false }
        }
        let read = await eventually {
            await isBusy { () async throws(StoreError) in _ = try await store.retrieve("key") }
        }
        let write = await eventually {
            await isBusy { () async throws(StoreError) in try await store.insert(entry("lost"), for: "key") }
        }
        #expect(read && write)
        try Connecting.run("ROLLBACK", on: blocker)
        #expect(try await patient.retrieve("key") == entry("saved"))
        let isFree = await eventually {
            await thrown { () async throws(StoreError) in try await store.insert(entry("later"), for: "key") } == nil
        }
        #expect(isFree)
        #expect(try await patient.retrieve("key") == entry("later"))
    }

    @Test("Reads do not wait for writes that wait for a locked row", arguments: [false, true])
    func lockedRow(isSmall: Bool) async throws {
        let server = try PostgresServer.shared.get()
        let store = try await PostgresStore(server.address, schema: schema, connections: 2)
        for key in ["locked", "free"] { try await store.insert(entry("saved"), for: key) }
        let blocker = try Connecting(server.address, Schema("none"), .seconds(30)).connect("blocker")
        defer { PostgresServer.finish(blocker) }
        try Connecting.run("BEGIN; SELECT FROM \"\(schema)\".entry WHERE id = 'locked' FOR UPDATE", on: blocker)
        let made = Locked(0)
        let large = StoredEntry(bytes: Data(count: 100_000), savedAt: Date(timeIntervalSinceReferenceDate: 0))
        let writes = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let key = number == 0 ? "locked" : "other \(number)"
                        try await store.insert(isSmall ? entry("new") : large, for: key)
                        made.withLock { $0 += 1 }
                    }
                }
                try await group.waitForAll()
            }
        }
        let waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%\(schema)%'"
        #expect(await eventually { (try? server.number(waits)) == 1 })
        for _ in 0..<20 {
            #expect(try await store.retrieve("free") == entry("saved"))
            #expect(try await store.contents(prefix: "locked").entries.count == 1)
        }
        #expect(made.withLock { $0 } < 100)
        try Connecting.run("ROLLBACK", on: blocker)
        try await writes.value
        #expect(try await store.contents().entries.count == 101)
    }

    @Test("What was changed while nobody listened is found after the break")
    func missedNotices() async throws {
        let server = try PostgresServer()
        try server.run(sql: "CREATE ROLE listener LOGIN SUPERUSER")
        let store = try await PostgresStore(
            server.address.replacing("postgres@", with: "listener@"), schema: schema)
        let other = try await PostgresStore(server.address, schema: schema)
        let resource = Resource(
            remote: RemoteLoader<[String]> { (_: Validators) async throws(LoadError) -> RemoteAnswer<[String]> in
                throw .cancelled
            },
            cache: Cache<[String]>(key: "texts", in: store))
        var states = resource.updates.makeAsyncIterator()
        _ = await states.next()
        // It does not come back before the change was made.
        try server.run(sql: "ALTER ROLE listener NOLOGIN")
        let mine = "FROM pg_stat_activity WHERE usename = 'listener'"
        #expect(try server.number("SELECT count(pg_terminate_backend(pid)) \(mine)") > 0)
        // A failing question is no answer.
        #expect(await eventually { (try? server.number("SELECT count(*) \(mine)")) == 0 })
        try await Cache<[String]>(key: "texts", in: other).save(["missed"])
        try server.run(sql: "ALTER ROLE listener LOGIN")
        while let state = await states.next() {
            if state?.value == ["missed"] { break }
        }
        #expect(try await store.retrieve("texts") != nil)
    }

    @Test("A machine whose clock is a day off shares loads with others", arguments: [-86_400.0, 86_400.0])
    func clockOfLoads(offset: Double) async throws {
        let client = ScriptedHTTPClient()
        var machines: [Resource<[String]>] = []
        var looks: [WatchedLeases] = []
        for shift in [offset, 0, offset] {
            let store = try await PostgresStore(PostgresServer.shared.get().address, schema: schema)
            looks.append(WatchedLeases(try #require(store.leases)))
            let shared = LeasingStore(store, leases: looks[looks.count - 1])
            let cache = Cache<[String]>(key: "texts", in: shared, now: { Date() + shift })
            let remote = RemoteLoader<[String]>(
                HTTPRequest(.get, URL(string: "http://feed.example/")!), client: client
            ) { _, body in try JSONDecoder().decode([String].self, from: body) }
            machines.append(Resource(remote: remote, cache: cache))
        }
        let loads = machines.map { machine in Task { try await machine.load() } }
        let exchange = await client.exchange(0)
        let all = looks
        #expect(await eventually { all.allSatisfy { $0.answers > 0 } })
        exchange.respond(body: Data("[\"shared\"]".utf8))
        for load in loads { #expect(try await load.value.value == ["shared"]) }
        #expect(client.requests.count == 1)
    }

    @Test("A sender whose clock is a day off loses, doubles and reorders nothing", arguments: [-86_400.0, 86_400.0])
    func clockOfSenders(offset: Double) async throws {
        let remote = MemoryRemote()
        var outboxes: [Outbox] = []
        for shift in [0, offset, 0] {
            let store = try await PostgresStore(PostgresServer.shared.get().address, schema: schema)
            let policy = SendPolicy(poll: .milliseconds(100), now: { Date() + shift })
            outboxes.append(Outbox(in: store, client: remote.client, policy: policy))
        }
        for number in 0..<120 {
            let group = "g\(number % 6)"
            try await outboxes[number % 3].enqueue(.post("\(group) \(number)"), group: group)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for outbox in outboxes { group.addTask { _ = try await outbox.drainToEnd() } }
            try await group.waitForAll()
        }
        #expect(remote.taken.count == 120)
        for (_, all) in Dictionary(grouping: remote.taken.map({ $0.split(separator: " ") }), by: { $0[0] }) {
            let numbers = all.compactMap { Int($0[1]) }
            #expect(numbers == numbers.sorted() && numbers.count == 20)
        }
    }

    @Test("A schema's name may have quotes, dollars and letters of any language")
    func strangeName() async throws {
        let name = "we\"ird 'schéma' $$ ; 🦊"
        let server = try PostgresServer()
        let store = try await PostgresStore(server.address, schema: name)
        let other = try await PostgresStore(server.address, schema: name)
        let (told, continuation) = AsyncStream<StoreChange>.makeStream()
        let observation = other.changes.observe { continuation.yield($0) }
        let large = StoredEntry(
            bytes: Data(count: Row.largest + 5), savedAt: Date(timeIntervalSinceReferenceDate: 0))
        try await store.insert(large, for: "a/large")
        try await store.update("a/b") { _ in .replace(entry("b")) }
        #expect(try await other.retrieve("a/large") == large)
        #expect(try await other.contents(prefix: "a/").entries.count == 2)
        try await other.deleteAll(prefix: "a/")
        #expect(try await store.contents().entries.isEmpty)
        var changes = told.makeAsyncIterator()
        #expect(await changes.next() == .entry("a/large"))
        let leases = try #require(store.leases)
        let answer = try await leases.take("key", for: .seconds(60), unlessSavedSince: nil)
        #expect(answer == .granted(1))
        try await leases.end("key", 1, isSaved: true)
        #expect(try await other.leases?.take("key", for: .seconds(60), unlessSavedSince: 1) == .saved(1))
        observation.cancel()
    }
}
