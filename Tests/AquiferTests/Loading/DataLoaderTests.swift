import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("Loading data", .timeLimit(.minutes(10)))
struct DataLoaderTests {
    private let url = URL(string: "http://pictures.example/1.png")!
    private let bytes = Data("picture".utf8)

    private func loader(_ world: World, retry: RetryPolicy = .never) -> DataLoader {
        DataLoader(client: world.client, store: world.store, retry: retry, now: world.date.read)
    }

    @Test(
        "Data under `Vary: *` is asked for each time, and bytes stay what they are",
        arguments: ["*", "Accept-Encoding"])
    func vary(fields: String) async throws {
        let data = Data([0xF5, 0, 1, 2, 3])
        let client = ScriptedHTTPClient { _ in
            .answer(headers: ["Cache-Control": "max-age=60", "Vary": fields], body: data)
        }
        let loader = DataLoader(client: client, store: MemoryStore(), policy: CachePolicy(follows: .server))
        let url = try #require(URL(string: "http://pictures.example/1"))
        for _ in 0..<3 { #expect(try await loader.data(for: url).value == data) }
        #expect(client.requests.count == (fields == "*" ? 3 : 1))
    }

    @Test("What is not saved is loaded from the remote and saved as data, which may be evicted")
    func loadsAndSaves() async throws {
        let world = World(.answer(headers: ["ETag": "\"1\""], body: bytes))
        #expect(try await loader(world).data(for: url) == Loaded(bytes, source: .remote, savedAt: world.date.now))
        let entry = try #require(try await world.store.retrieve(DataLoader.key(for: url)))
        #expect(entry.kind == .data && entry.bytes == bytes && entry.validators.etag == "\"1\"")
    }

    @Test("Data is asked for as it is: what comes compressed could inflate to any size, and is refused")
    func asksForIdentity() async throws {
        let world = World(.answer(headers: ["Content-Encoding": "gzip"], body: bytes))
        let error = await failure { () async throws(LoadError) in try await loader(world).data(for: url) }
        #expect(error?.reason == .invalidData)
        #expect(world.client.requests.map { $0.headers["Accept-Encoding"] } == ["identity"])
        #expect(try await world.store.entries().isEmpty)
    }

    @Test("What is saved and fresh is delivered without a request")
    func cacheFirst() async throws {
        let world = World(.answer(body: bytes))
        let loader = loader(world)
        let savedAt = try #require(try await loader.data(for: url).savedAt)
        world.date.advance(by: Duration.days(6).timeInterval)
        #expect(
            try await loader.data(for: url)
                == Loaded(bytes, source: .cache(savedAt: savedAt, because: nil), savedAt: savedAt))
        #expect(world.client.requests.count == 1)
    }

    @Test("What has expired is asked after with its validators; a 304 makes it fresh again")
    func revalidates() async throws {
        let world = World(.answer(headers: ["ETag": "\"1\""], body: bytes), .answer(status: 304))
        let loader = loader(world)
        _ = try await loader.data(for: url)
        world.date.advance(by: Duration.days(7).timeInterval)
        #expect(try await loader.data(for: url) == Loaded(bytes, source: .remote, savedAt: world.date.now))
        #expect(world.client.requests[1].headers["If-None-Match"] == "\"1\"")
    }

    @Test("What has expired is not shown when the remote cannot be reached")
    func expiredOffline() async throws {
        let world = World(.answer(body: bytes), .refused)
        let loader = loader(world)
        _ = try await loader.data(for: url)
        world.date.advance(by: Duration.days(7).timeInterval)
        let error = await failure { () async throws(LoadError) in try await loader.data(for: url) }
        #expect(error == .connectivity(TransportError(.cannotConnect)))
    }

    @Test("What the check refuses is not saved", arguments: [404, 200])
    func refused(status: Int) async throws {
        let world = World(.answer(status: status))
        let error = await failure { () async throws(LoadError) in try await loader(world).data(for: url) }
        #expect(error?.reason == .invalidData)
        #expect(try await world.store.entries().isEmpty)
    }

    @Test("A check of an app's own begins with the loader's default one")
    func ownCheck() async throws {
        let world = World(
            .answer(body: Data()), .answer(status: 404, body: bytes), .answer(body: bytes), .answer(body: bytes))
        let loader = DataLoader(
            client: world.client, store: world.store,
            check: { head, data in
                try DataLoader.defaultCheck(head, data)
                guard head.mediaType == "image/png" else { throw InvalidData.mediaType(head.mediaType) }
            })
        var errors: [LoadError?] = []
        for _ in 0..<3 {
            errors.append(await failure { () async throws(LoadError) in try await loader.data(for: url) })
        }
        #expect(
            errors == [
                .invalidData(.body("the body is empty")), .invalidData(.status(404)), .invalidData(.mediaType(nil)),
            ])
        #expect(try await DataLoader(client: world.client, store: world.store).data(for: url).value == bytes)
    }

    @Test("A saved copy that cannot be read is replaced by a new one")
    func repairs() async throws {
        let world = World(.answer(body: bytes))
        world.store.fail(.retrieve, with: .unreadable(key: "k", reason: "torn"))
        #expect(try await loader(world).data(for: url).value == bytes)
        world.store.heal()
        #expect(try await world.store.retrieve(DataLoader.key(for: url))?.bytes == bytes)
    }

    @Test("Concurrent callers of one URL share a transfer, those of others have their own")
    func coalesces() async throws {
        let world = World(client: ScriptedHTTPClient())
        let loader = loader(world)
        let other = try #require(URL(string: "http://pictures.example/2.png"))
        let loads = [url, url, url, other].map { url in Task { try await loader.data(for: url).value } }
        await world.client.waitForRequests(2)
        #expect(await eventually { loader.waiters(for: url) == 3 })
        for exchange in world.client.exchanges { exchange.respond(body: bytes) }
        for load in loads { #expect(try await load.value == bytes) }
        #expect(world.client.requests.count == 2)
    }

    @Test("Cancelling the only caller cancels the transfer")
    func cancels() async throws {
        let world = World(client: ScriptedHTTPClient())
        let loader = loader(world)
        let load = Task { await failure { () async throws(LoadError) in try await loader.data(for: url) } }
        let exchange = await world.client.exchange(0)
        load.cancel()
        await exchange.waitForCancellation()
        #expect(await load.value == .cancelled)
    }

    @Test("A preload that is cancelled goes on for who has come to wait for it")
    func preload() async throws {
        let world = World(client: ScriptedHTTPClient())
        let loader = loader(world)
        let preload = Task { await loader.preload(url) }
        let exchange = await world.client.exchange(0)
        let load = Task { try await loader.data(for: url).value }
        #expect(await eventually { loader.waiters(for: url) == 2 })
        preload.cancel()
        await preload.value
        exchange.respond(body: bytes)
        #expect(try await load.value == bytes)
        #expect(world.client.requests.count == 1)
    }

    @Test("A failed transfer is tried again with backoff")
    func retries() async throws {
        let clock = ManualClock()
        let world = World(.refused, .answer(body: bytes))
        let loader = loader(world, retry: RetryPolicy(attempts: 2, base: .seconds(1), clock: clock, random: { 1 }))
        let load = Task { try await loader.data(for: url).value }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(try await load.value == bytes)
    }
}
