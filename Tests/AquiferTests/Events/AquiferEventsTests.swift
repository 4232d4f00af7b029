import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("Events of the engine", .timeLimit(.minutes(10)))
struct AquiferEventsTests {
    private let events = RecordedEvents()
    private let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))
    private let url = URL(string: "https://api.example/notes?token=secret")!
    private let notes = Data(#"["milk","bread"]"#.utf8)

    private func cache(in store: any CacheStore = RepeatingStore(), key: String = "notes:ada") -> Cache<[String]> {
        Cache(key: key, in: store, now: date.read, events: events)
    }

    private func resource(_ client: any HTTPClient, _ cache: Cache<[String]>) -> Resource<[String]> {
        Resource(
            remote: RemoteLoader(HTTPRequest(.get, url), client: client, map: JSONMapper().map), cache: cache)
    }

    // MARK: Loads

    @Test("A load that delivers the latest asked, was answered, and saved")
    func latest() async throws {
        let client = ScriptedHTTPClient()
        let loading = Task { try await resource(client, cache()).load() }
        let exchange = await client.exchange(0)
        date.advance(by: 0.021)
        exchange.respond(body: notes)
        _ = try await loading.value
        let notesClass = KeyClass(of: "notes:ada")
        #expect(
            events.told == [
                .asked(notesClass), .answered(notesClass, milliseconds: 21, bytes: 16, trouble: nil),
                .saved(notesClass, milliseconds: 0, bytes: 16),
            ])
    }

    @Test("A load that falls back asked, had trouble, and the copy of that age stood in")
    func fallback() async throws {
        let cache = cache()
        try await cache.save(["milk"])
        date.advance(by: 90)
        _ = try await resource(ScriptedHTTPClient([.failure(TransportError(.cannotConnect))]), cache).load()
        #expect(
            events.told.dropFirst().map(\.description) == [
                "asked notes", "answered notes: 0 ms, 0 bytes, unreachable", "stoodIn notes: 90 s old, unreachable",
            ])
    }

    @Test("A denied load has the trouble, and nothing stood in")
    func denied() async throws {
        let cache = cache()
        try await cache.save(["milk"])
        _ = try? await resource(ScriptedHTTPClient([.answer(status: 403, body: notes)]), cache).load()
        #expect(events.told.dropFirst().map(\.name) == ["asked", "answered"])
        #expect(events.told.last?.trouble == .denied && events.told.last?.bytes == 16)
    }

    @Test("A load that was left tells no answer")
    func left() async {
        let client = ScriptedHTTPClient()
        let loading = Task { try await resource(client, cache()).load() }
        await client.waitForRequests(1)
        loading.cancel()
        _ = await loading.result
        #expect(await eventually { client.exchanges[0].wasCancelled })
        #expect(events.told.map(\.name) == ["asked"])
    }

    @Test("Each way to change the saved value tells its save, and a change that keeps the entry tells none")
    func changes() async throws {
        let cache = cache()
        try await cache.save(["a"])
        try await cache.amend { $0 + ["b"] }
        try await cache.amend { _ in nil }
        try await cache.update { _ in ["c"] }
        try await cache.update { _ in nil }
        try await cache.save(["old"], savedAt: .distantPast)
        try await cache.clear()
        #expect(events.told.map(\.bytes) == [5, 9, 5])
        #expect(events.told.allSatisfy { $0.name == "saved" })
    }

    @Test("Data has the class `data`, and its address is told to nobody")
    func data() async throws {
        let loader = DataLoader(
            client: ScriptedHTTPClient([.answer(body: Data(count: 300))]), store: RepeatingStore(), now: date.read,
            events: events)
        _ = try await loader.data(for: url)
        _ = try await loader.data(for: url)
        #expect(events.told.map(\.name) == ["asked", "answered", "saved"])
        #expect(events.told.allSatisfy { $0.keyClass.name == "data" })
        #expect(events.told.map(\.bytes) == [nil, 300, 300])
    }

    @Test("A download tells its transfer and the saved file")
    func download() async throws {
        try await TemporaryFolder.with { folder in
            let downloads = try Downloads(
                directory: folder.fresh(), client: ScriptedHTTPClient([.answer(body: Data(count: 1000))]),
                now: date.read, events: events)
            _ = try await downloads.file(for: url)
            _ = try await downloads.file(for: url)
        }
        #expect(
            events.told == [
                .asked(.download), .answered(.download, milliseconds: 0, bytes: 1000, trouble: nil),
                .saved(.download, milliseconds: 0, bytes: 1000),
            ])
    }

    // MARK: Stores and the outbox

    @Test("Each entry that makes room, or is larger than the whole bound, is told as evicted")
    func evicted() async throws {
        let store = EvictingStore(RepeatingStore(), bound: 100, events: events)
        for (key, size) in [("data:a", 60), ("data:b", 60), ("large:c", 101)] {
            let entry = StoredEntry(bytes: Data(count: size), savedAt: date.now, kind: .data)
            try await store.insert(entry, for: key)
        }
        #expect(
            events.told == [.evicted(KeyClass(of: "data:a"), bytes: 60), .evicted(KeyClass(of: "large:c"), bytes: 101)])
    }

    @Test("An outbox tells what was queued, sent and refused, and nothing of an attempt that is repeated")
    func outbox() async throws {
        let world = OutboxWorld()
        let outbox = Outbox(in: RepeatingStore(), client: world.server.client, policy: world.policy(), events: events)
        try await outbox.enqueue(world.note("milk"), group: "notes/ada", label: "secret")
        try await outbox.enqueue(world.note("bad"))
        world.server.rule { text, _ in text == "bad" ? .status(422) : .silence }
        try await outbox.drain()
        world.server.heal()
        await outbox.retryAll()
        try await outbox.drain()
        #expect(
            events.told.map(\.description) == [
                "queued notes: 4 bytes", "queued other: 3 bytes", "refused other: 0 ms, status 422",
                "sent notes: 0 ms, 4 bytes",
            ])
    }

    @Test("A request that is posted tells the same")
    func posted() async throws {
        let world = OutboxWorld()
        let outbox = Outbox(in: RepeatingStore(), client: world.server.client, policy: world.policy(), events: events)
        _ = try await outbox.post(world.note("milk"))
        world.server.rule { _, _ in .status(422) }
        _ = try await outbox.post(world.note("bad"))
        #expect(events.told.map(\.name) == ["queued", "sent", "queued", "refused"])
    }

    // MARK: Secrecy

    @Test("No event has a value, a whole key, an address, a label or a token")
    func secrecy() async throws {
        let cache = cache(key: "notes:ada@example.org")
        let client = AuthenticatingClient(
            ScriptedHTTPClient([.answer(body: notes), .failure(TransportError(.offline, "secret"))]), origins: [url]
        ) {
            .bearer("secret", owner: "ann")
        } renew: { _ in
            nil
        }
        _ = try await resource(client, cache).load()
        _ = try await resource(client, cache).load()
        #expect(events.told.count == 6)
        for event in events.told {
            let text = "\(event) \(String(reflecting: event))"
            for word in ["ada", "secret", "milk", "api.example"] { #expect(!text.contains(word)) }
        }
    }

    @Test(
        "The class of a key is the part before the first separator; a key without one has none",
        arguments: [
            ("feed:1", "feed"), ("comments:a/b", "comments"), ("clip/7", "clip"), ("data:https://a.example", "data"),
            ("https://a.example/?q", "https"), ("ada@example.org", "other"), ("", "other"), (":a", "other"),
            ("scope/user%2F42/feed:1", "scope"), (String(repeating: "a", count: 41) + ":", "other"),
            ("a\u{1B}[31m:b", "a�[31m"),
        ])
    func keyClass(key: String, name: String) {
        #expect(KeyClass(of: key).name == name)
    }

    @Test("A clock that was set back, or is far ahead, gives milliseconds all the same", arguments: [-1e9, 1e300])
    func clock(seconds: Double) async throws {
        let client = ScriptedHTTPClient()
        let loading = Task { try await resource(client, cache()).load() }
        let exchange = await client.exchange(0)
        date.advance(by: seconds)
        exchange.respond(body: notes)
        _ = try await loading.value
        #expect(events.told[1].milliseconds == (seconds < 0 ? 0 : .max))
    }
}
