import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPostgres

/// Leases that the server forgets: their table is not logged, and a crash or a promotion empties it.
@Suite("The leases in PostgreSQL, forgotten", .timeLimit(.minutes(3)), .serialized)
struct LostLeasesTests {
    @Test("have greater numbers afterwards, and their holders no part in those of others", arguments: [false, true])
    func numbers(isPromoted: Bool) async throws {
        let server = try PostgresServer()
        let replica = isPromoted ? try PostgresServer(replicaOf: server) : nil
        let address = replica.map { server.address(or: $0) } ?? server.address
        let machines = [try await PostgresStore(address), try await PostgresStore(address)]
        let leases = try machines.map { try #require($0.leases) }
        var last: UInt64 = 0
        for key in ["a", "b", "c"] {
            let answer = try await leases[0].take(key, for: .seconds(600), unlessSavedSince: nil)
            guard case .granted(let number) = answer, number > last else {
                Issue.record("\(answer)")
                return
            }
            last = number
        }
        #expect(try await leases[1].take("a", for: .seconds(600), unlessSavedSince: nil) == .held(last - 2))
        try server.kill()
        if let replica { try replica.promote() } else { try server.start() }
        let answer = try await leases[1].take("c", for: .seconds(600), unlessSavedSince: nil)
        guard case .granted(let next) = answer, next > last else {
            Issue.record("\(answer)")
            return
        }
        #expect(try await leases[0].renew("c", last, for: .seconds(600)) == false)
        try await leases[0].end("c", last, isSaved: true)
        #expect(try await leases[0].take("c", for: .seconds(600), unlessSavedSince: last) == .held(next))
    }

    @Test("let loads end that were under way, and load once afterwards")
    func load() async throws {
        let (server, client) = (try PostgresServer(), ScriptedHTTPClient())
        var machines: [Resource<[String]>] = []
        for _ in 0..<2 {
            let remote = RemoteLoader<[String]>(
                HTTPRequest(.get, URL(string: "http://feed.example/")!), client: client
            ) { _, body in try JSONDecoder().decode([String].self, from: body) }
            machines.append(
                Resource(
                    remote: remote, cache: Cache(key: "texts", in: try await PostgresStore(server.address)),
                    leasing: LeasePolicy(span: .seconds(600), look: .milliseconds(20), answer: .minutes(2))))
        }
        let both = machines
        let first = Task { try await both[0].load() }
        let slow = await client.exchange(0)
        try server.kill()
        try server.start()
        let second = Task { try await both[1].load() }
        let fast = await client.exchange(1)
        fast.respond(body: Data("[\"second\"]".utf8))
        #expect(try await second.value.value == ["second"])
        slow.respond(body: Data("[\"first\"]".utf8))
        #expect(try await first.value.value == ["first"])
        let third = Task { try await both[1].load() }
        await client.exchange(2).respond(body: Data("[\"third\"]".utf8))
        #expect(try await third.value.value == ["third"])
        #expect(client.requests.count == 3)
    }
}
