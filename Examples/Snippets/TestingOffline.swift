import Aquifer
import AquiferTesting
import Foundation
import Testing

@Test("Offline the saved copy is shown for seven days, and not a moment longer")
func savedCopyIsShownForSevenDays() async throws {
    let server = try #require(URL(string: "https://example.org"))
    let date = ManualDate()
    let client = ScriptedHTTPClient([
        .answer(body: Data(#"[{"id":1,"name":"Ana"}]"#.utf8)),
        .failure(TransportError(.cannotConnect)),
        .failure(TransportError(.cannotConnect)),
    ])
    let resource = contacts(from: server, client: client, store: MemoryStore(), now: date.read)
    let savedAt = date.now

    let latest = try await resource.load()
    #expect(latest.source == .remote)

    date.advance(by: 7 * 86_400 - 1)
    let saved = try await resource.load()
    #expect(saved.source == .cache(savedAt: savedAt, because: .connectivity(TransportError(.cannotConnect))))
    #expect(saved.value == latest.value)

    date.advance(by: 1)
    await #expect(throws: LoadError.connectivity(TransportError(.cannotConnect))) {
        try await resource.load()
    }
}

@Test("A note is sent as it was written")
func sentAsWritten() async throws {
    let server = try #require(URL(string: "https://example.org"))
    let client = ScriptedHTTPClient([.answer(status: 201)])
    let outbox = Outbox(in: MemoryStore(), client: client)

    let note = HTTPRequest(.post, server, body: .bytes(Data("milk".utf8)))
    try await outbox.enqueue(note)
    try await outbox.drain()
    #expect(try client.requests.first?.body?.data() == Data("milk".utf8))
}

@Test("Leaving a screen ends the transfer")
func leavingEndsTheTransfer() async throws {
    let server = try #require(URL(string: "https://example.org"))
    let client = ScriptedHTTPClient()  // every request waits for the test
    let resource = contacts(from: server, client: client, store: MemoryStore())

    let loading = Task { try await resource.load() }
    let exchange = await client.exchange(0)  // the request, as soon as it is there
    exchange.start(status: 200)
    exchange.send(Data("[".utf8))
    loading.cancel()
    await exchange.waitForCancellation()

    await #expect(throws: LoadError.cancelled) { try await loading.value }
}

@Test("A disk without room does not hide the latest")
func fullDiskDoesNotHideTheLatest() async throws {
    let server = try #require(URL(string: "https://example.org"))
    let client = ScriptedHTTPClient([.answer(body: Data("[]".utf8))])
    let store = FaultyStore()
    store.fail(.save, with: .full(path: "/disk"))

    let loaded = try await contacts(from: server, client: client, store: store).load()
    #expect(loaded.source == .remote)
    #expect(loaded.saveError == .full(path: "/disk"))
}

@Test("A note that the server could not take is sent an hour later")
func anHourLater() async throws {
    let server = try #require(URL(string: "https://example.org"))
    let client = ScriptedHTTPClient([.answer(status: 503), .answer(status: 201)])
    let date = ManualDate()
    let outbox = Outbox(
        in: MemoryStore(), client: client, policy: SendPolicy(clock: ManualClock(), now: { date.now }))

    try await outbox.enqueue(HTTPRequest(.post, server, body: .bytes(Data("milk".utf8))))
    #expect(try await outbox.drain().failed == 1)
    date.advance(by: 3600)
    #expect(try await outbox.drain().sent == 1)
}
