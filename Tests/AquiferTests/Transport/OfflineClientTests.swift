import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("The client without a network", .timeLimit(.minutes(1)))
struct OfflineClientTests {
    private let world = World()

    @Test("refuses every request as offline, with the reason that it was given")
    func offline() async {
        let client = OfflineClient("the switch is off")
        let error = await failure { () async throws(TransportError) in
            _ = try await client.send(HTTPRequest(.get, world.url))
        }
        #expect(error == TransportError(.offline) && error?.detail == "the switch is off")
        #expect(error?.kind.precedesSending == true)
    }

    @Test("says that a cancelled task was cancelled")
    func cancelled() async {
        let task = Task { [url = world.url] in
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure { () async throws(TransportError) in
                _ = try await OfflineClient().send(HTTPRequest(.get, url))
            }
        }
        #expect(await task.value == .cancelled)
    }

    @Test("leaves what is saved to be shown, and what is to be sent in the outbox")
    func keeps() async throws {
        try await world.save(["a"])
        let remote = RemoteLoader<[String]>(
            HTTPRequest(.get, world.url), client: OfflineClient(), map: JSONMapper().map)
        let loaded = try await Resource(remote: remote, cache: world.cache).load()
        #expect(loaded.value == ["a"])
        #expect(
            loaded.source
                == .cache(savedAt: world.date.now, because: .connectivity(TransportError(.offline))))

        let outbox = Outbox(in: MemoryStore(), client: OfflineClient())
        try await outbox.enqueue(HTTPRequest(.post, world.url, body: .bytes(Data("milk".utf8))))
        try await outbox.drain()
        #expect(try await outbox.items().count == 1)
    }
}
