import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPostgres

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// Loads by several machines over one server.
@Suite("The leases in PostgreSQL", .timeLimit(.minutes(5)))
struct PostgresLeasesTests {
    private let schema = "lease_\(UUID().uuidString.prefix(13))"
    private let client = ScriptedHTTPClient()

    @Test("keep the contract", arguments: LoadLeasesContract.checks(for: .postgres))
    func contract(_ check: LoadLeasesContract.Check) async throws { try await check.run(.postgres) }

    private func store(_ server: PostgresServer? = nil, patience: Duration = .seconds(30)) async throws -> PostgresStore
    {
        try await PostgresStore(
            (try server ?? PostgresServer.shared.get()).address, schema: schema, patience: patience)
    }

    private func machine(
        _ store: any CacheStore, _ leasing: LeasePolicy = LeasePolicy(answer: .minutes(2)),
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Resource<[String]> {
        let request = HTTPRequest(.get, URL(string: "http://feed.example/")!)
        let remote = RemoteLoader<[String]>(request, client: client) { head, body in
            guard head.status == 200 else { throw InvalidData.status(head.status) }
            return try JSONDecoder().decode([String].self, from: body)
        }
        return Resource(remote: remote, cache: Cache(key: "texts", in: store), clock: clock, leasing: leasing)
    }

    private func answer(_ exchange: ScriptedExchange, _ text: String) {
        exchange.respond(body: Data("[\"\(text)\"]".utf8))
    }

    @Test("let three machines with 300 callers each ask the remote once")
    func herd() async throws {
        var machines: [Resource<[String]>] = []
        var looks: [WatchedLeases] = []
        for _ in 0..<3 {
            let store = try await store()
            looks.append(WatchedLeases(try #require(store.leases)))
            machines.append(machine(LeasingStore(store, leases: looks[looks.count - 1])))
        }
        let loads = machines.flatMap { machine in (0..<300).map { _ in Task { try await machine.load() } } }
        let exchange = await client.exchange(0)
        let (all, watched) = (machines, looks)
        #expect(await eventually { all.allSatisfy { $0.waiters == 300 } && watched.allSatisfy { $0.answers > 0 } })
        answer(exchange, "shared")
        for load in loads {
            let loaded = try await load.value
            #expect(loaded.value == ["shared"] && loaded.source == .remote)
        }
        #expect(client.requests.count == 1)
    }

    @Test("are free as soon as the process of their holder was killed")
    func killedProcess() async throws {
        let (address, schema) = (try PostgresServer.shared.get().address, schema)
        let store = try await store()
        await #expect(processExitsWith: .signal(SIGKILL)) { [address = address as String, schema = schema as String] in
            let leases = try await PostgresStore(address, schema: schema).leases
            let answer = try await leases?.take("texts", for: .seconds(600), unlessSavedSince: nil)
            guard case .granted = answer else { return }
            _ = kill(getpid(), SIGKILL)
        }
        // The lease would last ten minutes, which is longer than this suite may take; and nobody asks without one.
        let policy = LeasePolicy(patience: .minutes(20), answer: .minutes(2))
        let load = Task { [one = machine(store, policy)] in try await one.load() }
        answer(await client.exchange(0), "own")
        #expect(try await load.value.value == ["own"])
    }

    @Test("are free as soon as the server has lost the connection of their holder")
    func cutConnection() async throws {
        let server = try PostgresServer()
        let leases = WatchedLeases(try #require(try await store(server).leases))
        try server.run(sql: "CREATE ROLE holder LOGIN SUPERUSER")
        let holder = try await PostgresStore(
            server.address.replacing("postgres@", with: "holder@"), schema: schema, patience: .seconds(1))
        let first = Task { [one = machine(holder)] in try await one.load() }
        let exchange = await client.exchange(0)
        let second = Task { [two = machine(LeasingStore(try await store(server), leases: leases))] in
            try await two.load()
        }
        #expect(await eventually { leases.answers > 0 })
        #expect(client.requests.count == 1)
        // The holder does not come back.
        try server.run(sql: "ALTER ROLE holder NOLOGIN")
        try server.run(
            sql: "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'holder'")
        answer(await client.exchange(1), "own")
        #expect(try await second.value.value == ["own"])
        answer(exchange, "unsaved")
        let loaded = try await first.value
        #expect(loaded.value == ["unsaved"] && loaded.saveError != nil)
    }

    @Test("are waited for while their holder is slow, however short they are")
    func slowHolder() async throws {
        let clock = ManualClock()
        let policy = LeasePolicy(
            span: .seconds(60), look: .milliseconds(20), patience: .minutes(20), answer: .minutes(2))
        let first = Task { [one = machine(try await store(), policy, clock: clock)] in try await one.load() }
        let exchange = await client.exchange(0)
        let other = try await store()
        let leases = WatchedLeases(try #require(other.leases))
        let second = Task { [two = machine(LeasingStore(other, leases: leases), policy)] in try await two.load() }
        let number = try #require(try await held(other))
        for _ in 0..<2 {
            let until = try await other.until()
            #expect(await eventually { clock.sleepers.contains(.seconds(20)) })
            clock.advance(by: .seconds(20))
            // The server's own clock goes on, too.
            #expect(await eventually { (try? await other.until()) ?? 0 > until })
        }
        #expect(try #require(try await held(other)) == number)
        #expect(await eventually { leases.answers > 0 })
        #expect(client.requests.count == 1)
        answer(exchange, "shared")
        #expect(try await second.value.value == ["shared"])
        _ = try await first.value
        #expect(client.requests.count == 1)
    }

    private func held(_ store: PostgresStore) async throws -> UInt64? {
        let answer = try await store.leases?.take("texts", for: .seconds(1), unlessSavedSince: nil)
        if case .held(let number)? = answer { return number }
        return nil
    }

    @Test("are found to have ended without a notice, by looking")
    func lostNotice() async throws {
        let server = try PostgresServer()
        let first = Task { [one = machine(try await store(server))] in try await one.load() }
        let exchange = await client.exchange(0)
        let deaf = DeafStore(base: try await store(server))
        let two = machine(deaf, LeasePolicy(look: .milliseconds(20), answer: .minutes(2)))
        let second = Task { try await two.load() }
        #expect(await eventually { deaf.asked.withLock { $0 } > 1 })
        answer(exchange, "shared")
        #expect(try await second.value.value == ["shared"])
        #expect(client.requests.count == 1)
        _ = try await first.value
    }

    @Test("do not stop a load when the server is out of reach, and the copy is as before")
    func outOfReach() async throws {
        let server = try PostgresServer()
        let store = try await PostgresStore.impatient(
            server.address, schema: schema, patience: .milliseconds(300))
        let one = machine(store, LeasePolicy(answer: .milliseconds(100)))
        try server.kill()
        let load = Task { try await one.load() }
        answer(await client.exchange(0), "unsaved")
        let loaded = try await load.value
        #expect(loaded.value == ["unsaved"] && loaded.saveError != nil)
    }
}

extension LoadLeasesContract.Subject {
    fileprivate static var postgres: Self {
        Self(
            make: {
                let schema = "lease_\(UUID().uuidString.prefix(13))"
                var machines: [any LoadLeases] = []
                for _ in 0..<2 {
                    let store = try await PostgresStore(PostgresServer.shared.get().address, schema: schema)
                    machines.append(try #require(store.leases))
                }
                return machines
            },
            expire: { machine in
                let name = try #require(machine as? PostgresLeases).store.schemaName
                try PostgresServer.shared.get().run(
                    sql: "UPDATE \(name).lease SET until = now() - interval '1 s' WHERE until > '-infinity'")
            },
            kill: { machine in
                let store = try #require(machine as? PostgresLeases).store
                store.owner.loop.stop()
                let locks = """
                    SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
                        AND classid::bigint << 32 | objid::bigint = \(store.presenceOfThis.number)
                    """
                let server = try PostgresServer.shared.get()
                #expect(await eventually { (try? server.number(locks)) == 0 })  // a failing question is no answer
            })
    }
}

extension PostgresStore {
    /// The moment at which the only lease ends, in seconds of the server's clock.
    fileprivate func until() async throws -> Double {
        let sql = "SELECT (extract(epoch FROM until) * 1000)::bigint FROM \(schemaName).lease"
        return Double(try PostgresServer.shared.get().number(sql)) / 1000
    }
}

/// A store and leases whose changes and ends nobody is told.
private struct DeafStore: ForwardingStore, LoadLeases {
    let base: any CacheStore
    let changes = StoreChanges()
    let ends = StoreChanges()
    let asked = Locked(0)
    var leases: (any LoadLeases)? { self }

    private func leasesOfBase() throws(StoreError) -> any LoadLeases {
        guard let leases = base.leases else { throw .failed(operation: "lease", reason: "there are none") }
        return leases
    }

    func take(
        _ key: String, for span: Duration, unlessSavedSince number: UInt64?
    ) async throws(StoreError) -> LeaseAnswer {
        asked.withLock { $0 += 1 }
        return try await leasesOfBase().take(key, for: span, unlessSavedSince: number)
    }

    func renew(_ key: String, _ number: UInt64, for span: Duration) async throws(StoreError) -> Bool {
        try await leasesOfBase().renew(key, number, for: span)
    }

    func end(_ key: String, _ number: UInt64, isSaved: Bool) async throws(StoreError) {
        try await leasesOfBase().end(key, number, isSaved: isSaved)
    }
}
