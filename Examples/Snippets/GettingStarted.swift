import Aquifer
import AquiferCurl
import AquiferSQLite
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

func contact(
    from server: URL, client: any HTTPClient, store: any CacheStore
) -> ResourceFamily<Int, Contact> {
    ResourceFamily(in: store) { id in
        let request = HTTPRequest(.get, server.appending(path: "contacts/\(id)"))
        return Resource(
            remote: RemoteLoader(request, client: client, map: JSONMapper().map),
            cache: Cache(key: "contact:\(server.absoluteString):\(id)", in: store))
    }
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
    @Test("A resource over a store on disk and a client of the system")
    func together() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }  // what a test leaves behind is not what it tests
        let server = try #require(URL(string: "https://example.org"))

        let store = try SQLiteStore(file: folder.appending(path: "app.sqlite"))
        let client = CurlHTTPClient()  // on Apple's systems, URLSessionHTTPClient()
        let resource = contacts(from: server, client: client, store: store)
        #expect(try await resource.saved() == nil)
    }

    @Test("A screen shows the contacts that the remote delivers")
    func screen() async throws {
        let server = try #require(URL(string: "https://example.org"))
        let client = ScriptedHTTPClient([.answer(body: Data(#"[{"id":1,"name":"Ana"}]"#.utf8))])
        let names = await showContacts(contacts(from: server, client: client, store: MemoryStore()))
        #expect(names == ["Ana"])
        #expect(client.requests.map(\.url.absoluteString) == ["https://example.org/contacts"])
    }

    @Test("Screens that show one contact share its request, and another contact has one of its own")
    func family() async throws {
        let server = try #require(URL(string: "https://example.org"))
        let client = ScriptedHTTPClient()
        let contacts = contact(from: server, client: client, store: MemoryStore())
        let (one, two) = (contacts[1], contacts[1])
        let loads = [one, two].map { resource in Task { try await resource.load().value.name } }
        let exchange = await client.exchange(0)
        #expect(await eventually { one.waiters == 2 })
        exchange.respond(body: Data(#"{"id":1,"name":"Ana"}"#.utf8))
        for load in loads { #expect(try await load.value == "Ana") }
        let other = Task { try await contacts[2].load().value.name }
        await client.exchange(1).respond(body: Data(#"{"id":2,"name":"Bo"}"#.utf8))
        #expect(try await other.value == "Bo")
        #expect(client.requests.map(\.url.path) == ["/contacts/1", "/contacts/2"])
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
