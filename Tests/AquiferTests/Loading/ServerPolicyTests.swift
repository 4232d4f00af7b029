import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("A policy that follows the server", .timeLimit(.minutes(10)))
struct ServerPolicyTests {
    private func resource(_ world: World, follows: CachePolicy.Guide = .server) -> Resource<[String]> {
        let policy = CachePolicy(follows: follows)
        let cache = Cache<[String]>(key: "texts", in: world.store, policy: policy, now: world.date.read)
        return Resource(remote: world.remote(), cache: cache)
    }

    private func world(_ control: String, _ more: ScriptedHTTPClient.Reply...) -> World {
        let replies = [.texts(["first"], headers: ["Cache-Control": control, "ETag": "\"1\""])] + more
        return World(client: ScriptedHTTPClient(replies))
    }

    @Test("asks from the date that the server gives, and not before")
    func maxAge() async throws {
        let world = world("max-age=60", .texts(["second"]))
        let resource = resource(world)
        #expect(try await resource.load().source == .remote)
        world.date.advance(by: 59)
        let savedAt = world.date.now - 59
        let copy = Loaded(["first"], source: .cache(savedAt: savedAt, because: nil), savedAt: savedAt)
        #expect(try await resource.load() == copy)
        #expect(try await self.resource(world).load() == copy, "also in the next process")
        world.date.advance(by: 1)
        #expect(try await resource.load().value == ["second"])
    }

    @Test(
        "delivers a copy unasked only to a request that the server would answer alike, and else sends no validators",
        arguments: [
            ("Accept-Language", "en", true), ("Accept-Language", "pt", false),
            ("X-Other, accept-language", "pt", false),
            ("Accept", "pt", true), ("*", "en", false), ("Accept, *", "en", false),
        ])
    func vary(fields: String, language: String, isDelivered: Bool) async throws {
        let client = ScriptedHTTPClient { request in
            .texts(
                [request.headers["Accept-Language"] ?? ""],
                headers: ["Cache-Control": "max-age=60, immutable", "Vary": fields, "ETag": "\"1\""])
        }
        let world = World(client: client)
        func resource(_ language: String) -> Resource<[String]> {
            let request = HTTPRequest(.get, world.url, headers: ["Accept-Language": language])
            let cache = Cache<[String]>(
                key: "texts", in: world.store, policy: CachePolicy(follows: .server), now: world.date.read)
            return Resource(
                remote: RemoteLoader(request, client: client) { try JSONDecoder().decode([String].self, from: $1) },
                cache: cache)
        }
        #expect(try await resource("en").load().value == ["en"])
        #expect(try await resource("en").saved()?.value == ["en"])
        let loaded = try await resource(language).load()
        #expect(loaded.value == [isDelivered ? "en" : language])
        #expect((loaded.source == .remote) == !isDelivered)
        #expect(client.requests.allSatisfy { $0.headers["If-None-Match"] == nil })
        _ = try await resource(language).reload()
        #expect(client.requests.count == (isDelivered ? 1 : fields.contains("*") ? 3 : 2))
    }

    @Test("asks all the same when the user reloads, unless the value cannot change", arguments: [false, true])
    func reload(isImmutable: Bool) async throws {
        let world = world(isImmutable ? "max-age=60, immutable" : "max-age=60", .texts(["second"]))
        let resource = resource(world)
        _ = try await resource.load()
        #expect(try await resource.reload().value == [isImmutable ? "first" : "second"])
        world.date.advance(by: 60)
        if isImmutable { #expect(try await resource.reload().value == ["second"]) }
    }

    @Test("asks each time with no-cache, with the validators of the copy, which stands in for the latest")
    func noCache() async throws {
        let world = world("no-cache", .answer(status: 304), .refused)
        let resource = resource(world)
        _ = try await resource.load()
        #expect(try await resource.load().source == .remote)
        #expect(try await resource.load().value == ["first"])
        #expect(world.client.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\"", "\"1\""])
    }

    @Test("saves nothing with no-store, delivers the value, and keeps no older copy", arguments: [200, 304])
    func noStore(status: Int) async throws {
        let world = world(
            "max-age=60",
            .answer(status: status, headers: ["Cache-Control": "no-store"], body: Data("[\"first\"]".utf8)), .refused)
        let resource = resource(world)
        _ = try await resource.load()
        #expect(try await resource.reload() == Loaded(["first"], source: .remote))
        #expect(try await world.saved() == nil)
        await #expect(throws: LoadError.self) { try await resource.load() }
    }

    @Test("leaves what was changed here while an answer came that may not be saved")
    func noStoreAndAmended() async throws {
        let world = World(client: ScriptedHTTPClient())
        try await world.save(["old"])
        let resource = resource(world)
        let load = Task { try await resource.load() }
        let exchange = await world.client.exchange(0)
        world.date.advance(by: 1)
        try await resource.cache.amend { $0 + ["mine"] }
        let headers: HTTPHeaders = ["Cache-Control": "no-store"]
        exchange.respond(headers: headers, body: Data("[\"new\"]".utf8))
        let second = await world.client.exchange(1)
        #expect(try await world.saved()?.texts == ["old", "mine"], "the answer cannot have it: the load asks again")
        second.respond(headers: headers, body: Data("[\"new\", \"mine\"]".utf8))
        #expect(try await load.value == Loaded(["new", "mine"], source: .remote))
        #expect(try await world.saved() == nil)
    }

    @Test("delivers the copy at once while it may be stale, and updates it in the background, once")
    func staleWhileRevalidate() async throws {
        let world = World(client: ScriptedHTTPClient())
        let resource = resource(world)
        let first = Task { try await resource.load() }
        await world.client.exchange(0).respond(
            headers: ["Cache-Control": "max-age=60, stale-while-revalidate=30"], body: Data("[\"first\"]".utf8))
        _ = try await first.value
        world.date.advance(by: 89)
        for _ in 0..<3 { #expect(try await resource.load().value == ["first"]) }
        let exchange = await world.client.exchange(1)
        // A caller who waits for the latest shares the request.
        let reload = Task { try await resource.reload() }
        #expect(await eventually { resource.waiters == 2 })
        exchange.respond(headers: ["Cache-Control": "max-age=60"], body: Data("[\"second\"]".utf8))
        #expect(try await reload.value.value == ["second"])
        await resource.updateEnded()
        #expect(try await resource.load().value == ["second"])
        #expect(world.client.requests.count == 2)
    }

    @Test("waits for the answer after that time, and after an invalidation", arguments: [false, true])
    func afterStale(isInvalid: Bool) async throws {
        let world = world("max-age=60, stale-while-revalidate=30", .texts(["second"]))
        let resource = resource(world)
        _ = try await resource.load()
        world.date.advance(by: isInvalid ? 61 : 90)
        if isInvalid { try await resource.invalidate() }
        #expect(try await resource.load().value == ["second"])
    }

    @Test("asks again when the update in the background has failed, and delivers the copy until then")
    func failedUpdate() async throws {
        let second = ScriptedHTTPClient.Reply.texts(["second"], headers: ["Cache-Control": "max-age=60"])
        let world = world("max-age=60, stale-while-revalidate=30", .refused, second)
        let resource = resource(world)
        _ = try await resource.load()
        world.date.advance(by: 61)
        for _ in 0..<2 {
            #expect(try await resource.load().value == ["first"])
            await resource.updateEnded()
        }
        #expect(try await resource.load().value == ["second"])
        #expect(world.client.requests.count == 3)
    }

    @Test("ends the update in the background when it is told to, and saves nothing of it")
    func cancelled() async throws {
        let world = World(client: ScriptedHTTPClient())
        let resource = resource(world)
        let first = Task { try await resource.load() }
        await world.client.exchange(0).respond(
            headers: ["Cache-Control": "max-age=60, stale-while-revalidate=30"], body: Data("[\"first\"]".utf8))
        _ = try await first.value
        world.date.advance(by: 61)
        _ = try await resource.load()
        let exchange = await world.client.exchange(1)
        resource.cancelUpdate()
        await resource.updateEnded()
        exchange.respond(body: Data("[\"second\"]".utf8))
        #expect(try await world.saved()?.texts == ["first"])
    }

    @Test("goes on as it was after a 304 that says nothing about it")
    func renewed() async throws {
        let world = world("max-age=60", .answer(status: 304), .texts(["second"]))
        let resource = resource(world)
        _ = try await resource.load()
        world.date.advance(by: 60)
        #expect(try await resource.load().source == .remote)
        world.date.advance(by: 59)
        #expect(try await resource.load().source != .remote)
        #expect(world.client.requests.count == 2)
    }

    @Test(
        "asks each time with no-cache, also after an invalidation and a 304 that says nothing about it; without a word, as the app says",
        arguments: [("no-cache", 3), ("private", 2)])
    func invalidated(control: String, requests: Int) async throws {
        let world = world(control, .answer(status: 304), .answer(status: 304))
        let policy = CachePolicy(askAfter: .seconds(600), follows: .server)
        let cache = Cache<[String]>(key: "texts", in: world.store, policy: policy, now: world.date.read)
        let resource = Resource(remote: world.remote(), cache: cache)
        _ = try await resource.load()
        try await resource.invalidate()
        try await resource.invalidate()
        for _ in 0..<2 {
            world.date.advance(by: 1)
            #expect(try await resource.load().value == ["first"])
        }
        #expect(world.client.requests.count == requests)
    }

    @Test("is bounded by the app's: nothing expired is delivered, and no copy from the future without a request")
    func bounded() async throws {
        let world = world("max-age=99999999", .texts(["second"]), .texts(["third"]))
        let resource = resource(world)
        _ = try await resource.load()
        world.date.advance(by: 7 * 86_400)
        #expect(try await resource.load().value == ["second"])
        let other = self.world("max-age=99999999", .texts(["second"]))
        let late = self.resource(other)
        _ = try await late.load()
        other.date.advance(by: -60)
        #expect(try await late.load().value == ["second"])
    }

    @Test("is what the app chooses: by default, everything is saved and each load asks")
    func app() async throws {
        let world = world("no-store", .refused)
        let resource = resource(world, follows: .app)
        #expect(try await resource.load().savedAt == world.date.now)
        #expect(try await resource.load().value == ["first"])
        let entry = try #require(try await world.saved()?.entry)
        #expect(entry.asking == .unsaid)
    }

    @Test("follows the heads that a loader of one's own hands on")
    func ownLoader() async throws {
        let world = World(client: ScriptedHTTPClient())
        let url = world.url
        let remote = RemoteLoader<[String]>(answering: { _ in
            (.value(["own"], .none), HTTPResponseHead(status: 200, headers: ["Cache-Control": "no-store"], url: url))
        })
        let cache = Cache<[String]>(key: "texts", in: world.store, policy: CachePolicy(follows: .server))
        #expect(try await Resource(remote: remote, cache: cache).load() == Loaded(["own"], source: .remote))
        #expect(try await world.saved() == nil)
    }

    @Test("asks under the app's policy; what a server said under another policy does not count any more")
    func policyChanged() async throws {
        let world = World(.texts(["first"], headers: ["Cache-Control": "max-age=86400"]), .texts(["second"]))
        func resource(_ policy: CachePolicy) -> Resource<[String]> {
            let cache = Cache<[String]>(key: "texts", in: world.store, policy: policy, now: world.date.read)
            return Resource(remote: world.remote(), cache: cache)
        }
        #expect(try await resource(CachePolicy(follows: .server)).load().value == ["first"])
        world.date.advance(by: 59)
        #expect(try await resource(CachePolicy(askAfter: .minutes(1))).load().value == ["first"])
        world.date.advance(by: 1)
        #expect(try await resource(CachePolicy(askAfter: .minutes(1))).load().value == ["second"])
    }
}
