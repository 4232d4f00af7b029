import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer
@testable import AquiferRedis

@Suite("The leases in Redis", .timeLimit(.minutes(5)))
struct RedisLeasesTests {
    @Test("keep the contract", arguments: LoadLeasesContract.checks(for: .redis))
    func contract(_ check: LoadLeasesContract.Check) async throws { try await check.run(.redis) }

    @Test("let three machines with 300 callers each ask the remote once")
    func herd() async throws {
        let (prefix, client) = ("lease-\(UUID().uuidString.prefix(13))", ScriptedHTTPClient())
        let request = HTTPRequest(.get, try #require(URL(string: "http://feed.example/")))
        var machines: [Resource<[String]>] = []
        var looks: [WatchedLeases] = []
        for _ in 0..<3 {
            let base = try PlacedStore(prefix: prefix)
            looks.append(WatchedLeases(try #require(base.leases)))
            let store = LeasingStore(base, leases: looks[looks.count - 1])
            let remote = RemoteLoader(request, client: client, map: JSONMapper<[String]>().map)
            machines.append(
                Resource(
                    remote: remote, cache: Cache(key: "texts", in: store), leasing: LeasePolicy(answer: .minutes(2))))
        }
        let loads = machines.flatMap { machine in (0..<300).map { _ in Task { try await machine.load() } } }
        let exchange = await client.exchange(0)
        let (all, watched) = (machines, looks)
        #expect(await eventually { all.allSatisfy { $0.waiters == 300 } && watched.allSatisfy { $0.answers > 0 } })
        exchange.respond(body: Data("[\"shared\"]".utf8))
        for load in loads { #expect(try await load.value.value == ["shared"]) }
        #expect(client.requests.count == 1)
    }

    @Test("have greater numbers also after the server has forgotten all of them")
    func flushed() async throws {
        let store = try PlacedStore(server: try RedisServer.make())
        let leases = try #require(store.redis.leases)
        guard case .granted(let first) = try await leases.take("a", for: .seconds(600), unlessSavedSince: nil) else {
            Issue.record("not granted")
            return
        }
        try await store.run("FLUSHALL")
        guard case .granted(let second) = try await leases.take("a", for: .seconds(600), unlessSavedSince: nil) else {
            Issue.record("not granted")
            return
        }
        #expect(second > first)
        // The first holder has no part in it any more.
        #expect(try await leases.renew("a", first, for: .seconds(600)) == false)
        try await leases.end("a", first, isSaved: true)
        #expect(try await leases.take("a", for: .seconds(600), unlessSavedSince: first) == .held(second))
    }

    @Test("let a load go on while the server is flushed in the middle of it, and are free afterwards")
    func flushedLoad() async throws {
        let (prefix, client, server) = ("lease", ScriptedHTTPClient(), try RedisServer.make())
        let request = HTTPRequest(.get, try #require(URL(string: "http://feed.example/")))
        let machines = try (0..<2).map { _ in
            Resource(
                remote: RemoteLoader(request, client: client, map: JSONMapper<[String]>().map),
                cache: Cache(key: "texts", in: try PlacedStore(prefix: prefix, server: server)),
                leasing: LeasePolicy(span: .seconds(60), look: .milliseconds(20), answer: .minutes(2)))
        }
        let first = Task { try await machines[0].load() }
        let slow = await client.exchange(0)
        try await PlacedStore(prefix: prefix, server: server).run("FLUSHALL")
        let second = Task { try await machines[1].load() }
        // Nobody knows of the first load any more.
        let fast = await client.exchange(1)
        slow.respond(body: Data("[\"first\"]".utf8))
        #expect(try await first.value.value == ["first"])
        fast.respond(body: Data("[\"second\"]".utf8))
        #expect(try await second.value.value == ["second"])
        let third = Task { try await machines[0].load() }
        await client.exchange(2).respond(body: Data("[\"third\"]".utf8))
        #expect(try await third.value.value == ["third"])
        #expect(client.requests.count == 3)
    }

    @Test(
        "do not last for longer than they were given for, if the server's clock is set back", arguments: [false, true])
    func clockSetBack(isRenewed: Bool) async throws {
        let store = try PlacedStore()
        let leases = try #require(store.redis.leases)
        guard case .granted(let first) = try await leases.take("a", for: .seconds(60), unlessSavedSince: nil) else {
            Issue.record("not granted")
            return
        }
        if isRenewed { #expect(try await leases.renew("a", first, for: .seconds(60))) }
        #expect(try await leases.take("a", for: .seconds(60), unlessSavedSince: nil) == .held(first))
        // A lease of a minute that was given tomorrow.
        let name = store.redis.names.lease("a")
        let value = try #require(await store.run([Data("GET".utf8), name]).data)
        var parts = String(decoding: value, as: UTF8.self).split(separator: " ").map(String.init)
        parts[1] = "\(try #require(Int(parts[1])) + 86_400_000_000)"
        try await store.run([Data("SET".utf8), name, Data(parts.joined(separator: " ").utf8)])
        guard case .granted(let second) = try await leases.take("a", for: .seconds(60), unlessSavedSince: nil) else {
            Issue.record("not granted")
            return
        }
        #expect(second > first)
        #expect(try await leases.renew("a", first, for: .seconds(60)) == false)
    }

    @Test("of a holder that was paused for longer than they lasted keep nobody waiting, and it ends no other's")
    func pausedHolder() async throws {
        let store = try PlacedStore()
        let leases = try #require(store.redis.leases)
        guard case .granted(let first) = try await leases.take("a", for: .milliseconds(1), unlessSavedSince: nil)
        else {
            Issue.record("not granted")
            return
        }
        let other = try #require(try PlacedStore(prefix: store.prefix).redis.leases)
        let second = Locked<UInt64?>(nil)
        #expect(
            await eventually {
                guard case .granted(let number)? = try? await other.take("a", for: .seconds(60), unlessSavedSince: nil)
                else { return false }
                second.withLock { $0 = number }
                return true
            })
        let number = try #require(second.withLock { $0 })
        #expect(number > first)
        // It wakes up, and goes on as if it held the lease. It also holds another one, of which nothing changes.
        guard case .granted(let mine) = try await leases.take("b", for: .seconds(60), unlessSavedSince: nil) else {
            Issue.record("not granted")
            return
        }
        #expect(try await leases.renew("a", first, for: .seconds(60)) == false)
        try await leases.end("a", first, isSaved: true)
        #expect(try await leases.take("a", for: .seconds(60), unlessSavedSince: first) == .held(number))
        #expect(try await other.renew("a", number, for: .seconds(60)))
        #expect(try await other.take("b", for: .seconds(60), unlessSavedSince: nil) == .held(mine))
    }

    @Test("leave one key for all of them on the server, and each other key goes in time")
    func keys() async throws {
        let store = try PlacedStore(server: try RedisServer.make())
        let leases = try #require(store.redis.leases)
        for key in ["a", "b", "c"] {
            guard case .granted(let number) = try await leases.take(key, for: .seconds(60), unlessSavedSince: nil)
            else {
                Issue.record("not granted")
                continue
            }
            if key != "c" { try await leases.end(key, number, isSaved: true) }
        }
        var lasting: [Data] = []
        for case .bytes(let name) in try await store.run("KEYS", "*").list
        where try await store.run([Data("PTTL".utf8), name]).integer == -1 {
            lasting.append(name)
        }
        #expect(lasting == [store.redis.names.lastLease])
    }
}

extension LoadLeasesContract.Subject {
    fileprivate static var redis: Self {
        Self(
            make: {
                let prefix = "lease-\(UUID().uuidString.prefix(13))"
                return try (0..<2).map { _ in try #require(PlacedStore(prefix: prefix).redis.leases) }
            },
            expire: { machine in
                let store = try #require(machine as? RedisLeases).store
                let found = try await store.ask([Command("KEYS", "\(store.names.prefix):l:*")], to: "find").replies[0]
                for name in found.list.compactMap(\.data) {
                    let value = try await store.ask([Command([Data("GET".utf8), name])], to: "read").replies[0].text
                    var parts = value.split(separator: " ")
                    parts[1] = "1"
                    let past = Data(parts.joined(separator: " ").utf8)
                    _ = try await store.ask([Command([Data("SET".utf8), name, past])], to: "expire")
                }
            })
    }
}
