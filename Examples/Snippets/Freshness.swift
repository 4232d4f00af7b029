import Aquifer
import AquiferTesting
import Foundation
import Testing

func prices(from remote: RemoteLoader<[Contact]>, keptIn store: any CacheStore) -> Resource<[Contact]> {
    let policy = CachePolicy(maxAge: .days(1), follows: .server)
    return Resource(remote: remote, cache: Cache(key: "prices", in: store, policy: policy))
}

func add(_ name: String, to contacts: Resource<[Contact]>, sending send: () async throws -> Void) async throws {
    try await send()
    try await contacts.invalidate()
}

func teams(at server: URL, client: any HTTPClient, store: any CacheStore) -> ResourceFamily<Int, [Contact]> {
    ResourceFamily(in: store, tags: { $0.hasPrefix("team:") ? ["contacts"] : [] }) { team in
        let request = HTTPRequest(.get, server.appendingPathComponent("teams/\(team)"))
        let remote = RemoteLoader(request, client: client, map: JSONMapper<[Contact]>().map)
        let policy = CachePolicy(askAfter: .minutes(5))
        return Resource(remote: remote, cache: Cache(key: "team:\(team)", in: store, policy: policy))
    }
}

func show(_ team: Int, of teams: ResourceFamily<Int, [Contact]>) async throws -> [Contact] {
    let loaded = try await teams[team].load()
    await teams.prefetch([team + 1, team + 2])
    return loaded.value
}

func everybodyHasChanged(_ teams: ResourceFamily<Int, [Contact]>) async throws {
    try await teams.invalidate(tag: "contacts")
}

@Suite("The snippets of Fresh enough, and when to ask")
struct FreshnessTests {
    private let store = MemoryStore()
    private let server = URL(string: "https://example.org")!

    @Test("The server's word: nothing is asked for an hour, and nothing is kept of what may not be")
    func following() async throws {
        let client = ScriptedHTTPClient([
            .answer(headers: ["Cache-Control": "max-age=3600"], body: Data("[]".utf8)),
            .answer(headers: ["Cache-Control": "no-store"], body: Data("[]".utf8)),
        ])
        let remote = RemoteLoader(HTTPRequest(.get, server), client: client, map: JSONMapper<[Contact]>().map)
        let resource = prices(from: remote, keptIn: store)
        #expect(try await resource.load().source == .remote)
        #expect(try await resource.load().source != .remote)
        #expect(client.requests.count == 1)
        #expect(try await resource.reload().savedAt == nil)
        #expect(try await store.entries().isEmpty)
    }

    @Test("Teams: one request each, ahead of need; a change of everybody asks again")
    func families() async throws {
        let client = ScriptedHTTPClient(Array(repeating: .answer(body: Data("[]".utf8)), count: 4))
        let teams = teams(at: server, client: client, store: store)
        _ = try await show(1, of: teams)
        #expect(client.requests.count == 3)
        #expect(try await teams[2].load().source != .remote)
        try await everybodyHasChanged(teams)
        #expect(try await teams[2].load().source == .remote)
        var isSent = false
        try await add("Ana", to: teams[2]) { isSent = true }
        #expect(isSent)
        #expect(try #require(await store.retrieve("team:2")?.askAt) < Date(timeIntervalSince1970: 0))
    }
}
