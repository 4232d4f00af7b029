import Aquifer
import AquiferCurl
import AquiferSQLite
import AquiferTesting
import AquiferWording
import Foundation
import Testing

func headline(for contacts: Resource<[Contact]>, now: Date) async -> String {
    do {
        let loaded = try await contacts.load()
        switch loaded.source {
        case .remote:
            return loaded.saveError == nil ? "Up to date" : "Up to date, but not saved for later"
        case .cache(let savedAt, let because):
            let age = Language.english.relative(savedAt, now: now)
            return because?.trouble == .offline ? "Offline. Saved \(age)" : "Not the latest. Saved \(age)"
        case .pendingOnly:
            return "Only your own changes"
        }
    } catch {
        return error.message(in: .english)
    }
}

func rename(_ id: Int, to name: String, in cache: Cache<[Contact]>) async throws(StoreError) {
    try await cache.amend { contacts in
        contacts.map { $0.id == id ? Contact(id: id, name: name) : $0 }
    }
}

@Suite("The snippets of Showing saved copies honestly")
struct ShowingSavedCopiesTests {
    let date = ManualDate()
    let store = FaultyStore()

    @Test("A resource that is put together as the overview shows says why it has nothing to show")
    func overview() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }  // what a test leaves behind is not what it tests
        let address = try #require(URL(string: "http://127.0.0.1:9/contacts"))  // nothing listens there

        let store = try SQLiteStore(file: folder.appending(path: "app.sqlite"))
        let client = CurlHTTPClient()  // on Apple's systems, URLSessionHTTPClient()
        let contacts = Resource(
            remote: RemoteLoader(HTTPRequest(.get, address), client: client, map: JSONMapper<[Contact]>().map),
            cache: Cache(key: address.absoluteString, in: store))
        #expect(await headline(for: contacts, now: date.now).hasPrefix("The server can’t be reached"))
    }

    @Test("A headline for each way in which a load can end")
    func headlines() async throws {
        let server = try #require(URL(string: "https://example.org"))
        let good = ScriptedHTTPClient.Reply.answer(body: Data("[]".utf8))
        let client = ScriptedHTTPClient([
            good, good, .failure(TransportError(.offline)), .answer(status: 500), .failure(TransportError(.offline)),
        ])
        let resource = contacts(from: server, client: client, store: store, now: date.read)

        store.fail(.save, with: .full(path: "/disk"))
        #expect(await headline(for: resource, now: date.now) == "Up to date, but not saved for later")
        store.heal()
        #expect(await headline(for: resource, now: date.now) == "Up to date")
        date.advance(by: 2 * 86_400)
        #expect(await headline(for: resource, now: date.now) == "Offline. Saved 2 days ago")
        #expect(await headline(for: resource, now: date.now) == "Not the latest. Saved 2 days ago")
        date.advance(by: 6 * 86_400)
        #expect(
            await headline(for: resource, now: date.now)
                == LoadError.connectivity(.init(.offline)).message(in: .english))
    }

    @Test("A recent copy is delivered without a request")
    func recent() async throws {
        let cache = Cache<[Contact]>(key: "contacts", in: store, policy: CachePolicy(askAfter: .seconds(30)))
        try await cache.save([Contact(id: 1, name: "Ana")])
        let nobody = ScriptedHTTPClient([])
        let request = HTTPRequest(.get, try #require(URL(string: "https://example.org/contacts")))
        let remote = RemoteLoader(request, client: nobody) { _, body in
            try JSONDecoder().decode([Contact].self, from: body)
        }
        #expect(try await Resource(remote: remote, cache: cache).load().value.map(\.name) == ["Ana"])
        #expect(nobody.requests.isEmpty)
    }

    @Test("A change made where the value lies keeps its age")
    func amended() async throws {
        let cache = Cache<[Contact]>(key: "contacts", in: store, now: date.read)
        let stamp = try await cache.save([Contact(id: 1, name: "Ana")])
        date.advance(by: 3600)
        try await rename(1, to: "Anna", in: cache)
        let saved = try await cache.load()
        #expect(saved?.value == [Contact(id: 1, name: "Anna")])
        #expect(saved?.savedAt == stamp)
    }
}
