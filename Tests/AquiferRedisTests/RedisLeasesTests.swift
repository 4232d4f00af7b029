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
        guard case .granted(let first) = try await leases.take("a", for: .seconds(10), unlessSavedSince: nil) else {
            Issue.record("not granted")
            return
        }
        try await store.run("FLUSHALL")
        guard case .granted(let second) = try await leases.take("a", for: .seconds(10), unlessSavedSince: nil) else {
            Issue.record("not granted")
            return
        }
        #expect(second > first)
        // The first holder has no part in it any more.
        #expect(try await leases.renew("a", first, for: .seconds(10)) == false)
        try await leases.end("a", first, isSaved: true)
        #expect(try await leases.take("a", for: .seconds(10), unlessSavedSince: first) == .held(second))
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
