import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@MainActor
func follow(_ contacts: Resource<[Contact]>, show: (Loaded<[Contact]>?) -> Void) async {
    for await loaded in contacts.updates {
        show(loaded)
    }
}

@MainActor
func names(in contacts: Resource<[Contact]>, show: ([String]) -> Void) async {
    for await case let loaded? in contacts.updates {
        show(loaded.value.map(\.name))
    }
}

@MainActor
func explain(_ contacts: Resource<[Contact]>, show: (String) -> Void) async {
    for await update in contacts.updates.withCauses {
        show(update.loaded == nil ? "Nothing to show: \(update.cause)" : "\(update.cause)")
    }
}

func observe(_ store: any CacheStore, reload: @escaping @Sendable () -> Void) -> StoreObservation {
    store.changes.observe { change in
        if change.concerns("contacts") { reload() }
    }
}

@MainActor
@Suite("The snippets of Screens that agree", .timeLimit(.minutes(10)))
struct ScreensThatAgreeTests {
    let store = MemoryStore()

    private func contacts(_ client: ScriptedHTTPClient = ScriptedHTTPClient([])) throws -> Resource<[Contact]> {
        let request = HTTPRequest(.get, try #require(URL(string: "https://example.org/contacts")))
        let remote = RemoteLoader(request, client: client, map: JSONMapper<[Contact]>().map)
        return Resource(remote: remote, cache: Cache(key: "contacts", in: store))
    }

    @Test("A screen shows what another one changes, and hides what it deletes")
    func follows() async throws {
        let contacts = try contacts()
        let cache = Cache<[Contact]>(key: "contacts", in: store)
        try await cache.save([Contact(id: 1, name: "Ana")])
        var shown: [[String]?] = []
        let screen = Task { await follow(contacts) { shown.append($0?.value.map(\.name)) } }
        #expect(await eventually { shown == [["Ana"]] })
        try await rename(1, to: "Anna", in: cache)
        #expect(await eventually { shown == [["Ana"], ["Anna"]] })
        try await cache.clear()
        #expect(await eventually { shown == [["Ana"], ["Anna"], nil] })
        screen.cancel()
        await screen.value
    }

    @Test("Who needs only the values passes over the others")
    func values() async throws {
        let contacts = try contacts()
        var shown: [[String]] = []
        let screen = Task { await names(in: contacts) { shown.append($0) } }
        try await Cache<[Contact]>(key: "contacts", in: store).save([Contact(id: 1, name: "Ana")])
        #expect(await eventually { shown == [["Ana"]] })
        screen.cancel()
        await screen.value
    }

    @Test("A screen says why it shows nothing")
    func causes() async throws {
        let cache = Cache<[Contact]>(key: "contacts", in: store)
        try await cache.save([Contact(id: 1, name: "Ana")])
        let contacts = try contacts()
        var shown: [String] = []
        let screen = Task { await explain(contacts) { shown.append($0) } }
        #expect(await eventually { shown == ["found"] })
        try await cache.clear()
        #expect(await eventually { shown == ["found", "Nothing to show: deleted"] })
        screen.cancel()
        await screen.value
    }

    @Test("Two models show the same")
    func models() async throws {
        let client = ScriptedHTTPClient()
        let contacts = try contacts(client)
        let (list, badge) = (ResourceModel(contacts), ResourceModel(contacts))
        async let first: Void = list.appear()
        async let second: Void = badge.appear()
        #expect(await eventually { contacts.waiters == 2 })
        await client.exchange(0).respond(body: Data("[]".utf8))
        _ = await (first, second)
        #expect(list.value == [] && badge.value == [])
        #expect(client.requests.count == 1)
        // One that appears later makes another request.
        let late = ResourceModel(contacts)
        async let third: Void = late.appear()
        await client.exchange(1).respond(body: Data("[]".utf8))
        await third
        #expect(late.value == [] && client.requests.count == 2)
        try await Cache<[Contact]>(key: "contacts", in: store).save([Contact(id: 1, name: "Ana")])
        #expect(await eventually { list.value?.count == 1 && badge.value?.count == 1 })
    }

    @Test("A store tells its changes")
    func changes() async throws {
        let told = Locked(0)
        let observation = observe(store) { told.withLock { $0 += 1 } }
        let cache = Cache<[Contact]>(key: "contacts", in: store)
        try await cache.save([])
        try await Cache<[Contact]>(key: "others", in: store).save([])
        #expect(told.withLock { $0 } == 1)
        observation.cancel()
        try await cache.clear()
        #expect(told.withLock { $0 } == 1)
    }
}
