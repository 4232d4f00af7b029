import Aquifer
import AquiferTesting
import Foundation
import Testing

struct Contact: Codable, Sendable, Equatable {
    let id: Int
    let name: String
}

func contacts(
    from server: URL, client: any HTTPClient, store: any CacheStore,
    now: @escaping @Sendable () -> Date = { Date() }
) -> Resource<[Contact]> {
    Resource(
        remote: RemoteLoader(
            HTTPRequest(.get, server.appending(path: "contacts")), client: client, map: JSONMapper().map),
        cache: Cache(key: "contacts:\(server.absoluteString)", in: store, policy: .maxAge(.days(7)), now: now))
}

func pictures(client: any HTTPClient, store: any CacheStore) -> DataLoader {
    DataLoader(client: client, store: EvictingStore(store, bound: 256 << 20), retry: RetryPolicy(attempts: 3))
}

@MainActor
func showContacts(_ resource: Resource<[Contact]>) async -> [String] {
    let screen = ResourceModel(resource)
    await screen.appear()
    return (screen.value ?? []).map(\.name)
}

@Suite("The snippets of Getting started")
struct GettingStartedTests {
    @Test("A screen shows the contacts that the remote delivers")
    func screen() async throws {
        let server = try #require(URL(string: "https://example.org"))
        let client = ScriptedHTTPClient([.answer(body: Data(#"[{"id":1,"name":"Ana"}]"#.utf8))])
        let names = await showContacts(contacts(from: server, client: client, store: MemoryStore()))
        #expect(names == ["Ana"])
        #expect(client.requests.map(\.url.absoluteString) == ["https://example.org/contacts"])
    }

    @Test("A picture is fetched once, and then comes from the store")
    func picture() async throws {
        let url = try #require(URL(string: "https://example.org/1.png"))
        let client = ScriptedHTTPClient([.answer(body: Data([1, 2, 3]))])
        let loader = pictures(client: client, store: MemoryStore())
        let picture = try await loader.data(for: url).value
        #expect(picture == Data([1, 2, 3]))
        let again = try await loader.data(for: url).value
        #expect(again == picture)
        #expect(client.requests.count == 1)
    }
}
