import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("A policy that does not ask every time", .timeLimit(.minutes(10)))
struct AskingTests {
    private let world = World(.texts(["new"]), .texts(["newer"]))

    private func resource(maxAge: Duration = .days(7), askAfter: Duration) -> Resource<[String]> {
        let policy = CachePolicy(maxAge: maxAge, askAfter: askAfter)
        let cache = Cache<[String]>(key: "texts", in: world.store, policy: policy, now: world.date.read)
        return Resource(remote: world.remote(), cache: cache)
    }

    @Test(
        "A load with patience delivers the copy with its cause while the request goes on, and waits shorter the next time"
    )
    func patience() async throws {
        let world = World(client: ScriptedHTTPClient())
        try await world.save(["old"], age: .minutes(2))
        let clock = ManualClock()
        let cache = Cache<[String]>(
            key: "texts", in: world.store, policy: CachePolicy(patience: .seconds(8)), now: world.date.read)
        let resource = Resource(remote: world.remote(), cache: cache, clock: clock)
        for (number, wait) in [Duration.seconds(8), .seconds(1)].enumerated() {
            let load = Task { try await resource.load() }
            await clock.waitForSleepers(1)
            #expect(clock.sleepers == [wait])
            let exchange = await world.client.exchange(0)
            clock.advance(by: wait)
            let loaded = try await load.value
            #expect(loaded.value == ["old"], "load \(number)")
            guard case .cache(_, because: .connectivity(let error)?) = loaded.source else {
                Issue.record("no cause: \(loaded.source)")
                return
            }
            #expect(error.kind == .timedOut && !exchange.wasCancelled)
        }
        #expect(world.client.requests.count == 1, "the second load shares the request")
        await world.client.exchange(0).respond(body: Data("[\"new\"]".utf8))
        await resource.updateEnded()
        #expect(try await world.saved()?.texts == ["new"])
    }

    @Test(
        "A server that was silent just now is not waited for in full by another resource, until it has answered",
        arguments: [200, 304, 403, 500])
    func patienceWithAServer(status: Int) async throws {
        let (world, clock) = (World(client: ScriptedHTTPClient()), ManualClock())
        let policy = CachePolicy(patience: .seconds(8))
        func resource(_ address: String) async throws -> Resource<[String]> {
            let cache = Cache<[String]>(key: address, in: world.store, policy: policy, now: world.date.read)
            try await cache.save(["old"])
            let request = HTTPRequest(.get, try #require(URL(string: address)))
            let remote = RemoteLoader(request, client: world.client) { _, body in
                try JSONDecoder().decode([String].self, from: body)
            }
            return Resource(remote: remote, cache: cache, clock: clock)
        }
        let one = try await resource("http://feed.example/one")
        let waits: [(String, Duration)] = [
            ("http://feed.example/two", .seconds(1)), ("http://feed.example:81/two", .seconds(8)),
        ]
        func load(_ resource: Resource<[String]>, waiting wait: Duration) async throws {
            let load = Task { try await resource.load() }
            await clock.waitForSleepers(1)
            #expect(clock.sleepers == [wait])
            clock.advance(by: wait)
            #expect(try await load.value.value == ["old"])
        }
        try await load(one, waiting: .seconds(8))
        for (address, wait) in waits { try await load(try await resource(address), waiting: wait) }
        await world.client.exchange(0).respond(status: status, body: Data("[\"new\"]".utf8))
        await one.updateEnded()
        try await load(try await resource("http://feed.example/three"), waiting: .seconds(8))
        try await load(try await resource("http://feed.example/four"), waiting: .seconds(1))
        world.date.advance(by: 60)
        try await load(try await resource("http://feed.example/five"), waiting: .seconds(8))
    }

    @Test("A screen shows the copy with its cause when patience ends, and the answer when it comes")
    @MainActor
    func patienceOfAScreen() async throws {
        let world = World(client: ScriptedHTTPClient())
        try await world.save(["old"], age: .minutes(2))
        let clock = ManualClock()
        let cache = Cache<[String]>(
            key: "texts", in: world.store, policy: CachePolicy(patience: .seconds(8)), now: world.date.read)
        let model = ResourceModel(Resource(remote: world.remote(), cache: cache, clock: clock))
        let appearing = Task { await model.appear() }
        let exchange = await world.client.exchange(0)
        #expect(await eventually { clock.sleepers.contains(.seconds(8)) })
        clock.advance(by: .seconds(8))
        await appearing.value
        guard case .cache(_, because: .connectivity(let error)?)? = model.source else {
            return #expect(Bool(false), "no cause: \(String(describing: model.source))")
        }
        #expect(model.value == ["old"] && error.kind == .timedOut)
        exchange.respond(body: Data("[\"new\"]".utf8))
        #expect(await eventually { model.value == ["new"] && model.source == .remote })
    }

    @Test("A load with patience waits on without a copy, delivers an answer in time, and leaves with its caller")
    func patienceWithoutNeed() async throws {
        let world = World(client: ScriptedHTTPClient())
        let clock = ManualClock()
        let resource = Resource(remote: world.remote(), cache: world.cache, clock: clock)
        let load = Task { try await resource.load(patience: .seconds(8)) }
        await clock.waitForSleepers(1)
        let first = await world.client.exchange(0)
        clock.advance(by: .seconds(8))
        first.respond(body: Data("[\"new\"]".utf8))
        #expect(try await load.value.value == ["new"])
        // The answer may have been saved before the copy was looked for: then the load goes on, and the next one would join it.
        await resource.updateEnded()
        let left = Task { try await resource.load(patience: .seconds(8)) }
        let second = await world.client.exchange(1)
        left.cancel()
        await #expect(throws: LoadError.cancelled) { try await left.value }
        await second.waitForCancellation()
    }

    @Test("A load with patience delivers no copy that the server has denied to another instance")
    func patienceWithADeniedCopy() async throws {
        let world = World(client: ScriptedHTTPClient())
        try await world.save(["old"], age: .minutes(2))
        let denied = Task { try await Resource(remote: world.remote(), cache: world.cache).load() }
        await world.client.exchange(0).respond(status: 403)
        await #expect(throws: LoadError.self) { try await denied.value }
        let clock = ManualClock()
        let resource = Resource(remote: world.remote(), cache: world.cache, clock: clock)
        let load = Task { try await resource.load(patience: .seconds(8)) }
        await clock.waitForSleepers(1)
        let exchange = await world.client.exchange(1)
        clock.advance(by: .seconds(8))
        exchange.respond(body: Data("[\"new\"]".utf8))
        #expect(try await load.value.value == ["new"])
    }

    @Test("An update that was left by two callers is cancelled for both")
    func patienceOfTwo() async throws {
        let world = World(client: ScriptedHTTPClient())
        try await world.save(["old"], age: .minutes(2))
        let clock = ManualClock()
        let resource = Resource(remote: world.remote(), cache: world.cache, clock: clock)
        let loads = (0..<2).map { _ in Task { try await resource.load(patience: .seconds(8)) } }
        await clock.waitForSleepers(2)
        let exchange = await world.client.exchange(0)
        clock.advance(by: .seconds(8))
        for load in loads { #expect(try await load.value.value == ["old"]) }
        resource.cancelUpdate()
        await exchange.waitForCancellation()
        #expect(world.client.requests.count == 1)
    }

    @Test("The longest patience there is can be waited for")
    func forEver() async throws {
        let ever = Duration.seconds(Int64.max)
        let world = World(.texts(["a"]))
        let resource = Resource(remote: world.remote(), cache: world.cache)
        #expect(try await resource.load(patience: ever).value == ["a"])
        // A server may ask for just as long.
        let client = ScriptedHTTPClient([.answer(status: 503, headers: ["Retry-After": "9223372036854775807"])])
        let other = World(client: client)
        let loading = Task { try await other.resource(retry: RetryPolicy(patience: ever)).load() }
        _ = await client.exchange(0)
        for _ in 0..<100 { await Task.yield() }
        loading.cancel()
        await #expect(throws: LoadError.cancelled) { try await loading.value }
    }

    private struct Note: Codable, Equatable {
        var text: String
        var color: String?
    }

    @Test(
        "A copy of an earlier version of the codec is asked for whatever its age, without validators, and stands in for the latest",
        arguments: [false, true])
    func earlierVersion(isVersioned: Bool) async throws {
        let client = ScriptedHTTPClient { request in
            if request.headers["If-None-Match"] != nil { return .answer(status: 304) }
            return .answer(headers: ["ETag": "\"1\""], body: Data("{\"text\":\"Milk\",\"color\":\"red\"}".utf8))
        }
        let store = MemoryStore()
        func resource(_ codec: CacheCodec<Note>, _ client: ScriptedHTTPClient) throws -> Resource<Note> {
            let url = try #require(URL(string: "http://notes.example/1"))
            return Resource(
                remote: RemoteLoader(HTTPRequest(.get, url), client: client) { _, body in
                    try JSONDecoder().decode(Note.self, from: body)
                }, cache: Cache(key: "note", in: store, policy: CachePolicy(askAfter: .days(1)), codec: codec))
        }
        let old = isVersioned ? CacheCodec<Note>.json.versioned(1) : .json
        // The app of before knew no colors.
        try await Cache(key: "note", in: store, codec: old).save(
            Note(text: "Milk"), validators: Validators(etag: "\"1\""))
        let offline = ScriptedHTTPClient { _ in .failure(TransportError(.offline)) }
        #expect(try await resource(.json.versioned(2), offline).load().value == Note(text: "Milk"))
        let new = try resource(.json.versioned(2), client)
        #expect(try await new.load().value == Note(text: "Milk", color: "red"))
        #expect(try await new.load().source != .remote, "the new copy is of this version")
        #expect(try await new.reload().value.color == "red")
        #expect(client.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\""])
    }

    @Test("delivers a younger copy without a request, as what it is")
    func recent() async throws {
        try await world.save(["old"], age: .seconds(29))
        let loaded = try await resource(askAfter: .seconds(30)).load()
        let savedAt = world.date.now - 29
        #expect(loaded == Loaded(["old"], source: .cache(savedAt: savedAt, because: nil), savedAt: savedAt))
        #expect(world.client.requests.isEmpty)
    }

    @Test(
        "asks when the copy is as old as it says, older, or from the future",
        arguments: [Duration.seconds(30), .seconds(31), .seconds(-1)])
    func old(age: Duration) async throws {
        try await world.save(["old"], age: age)
        #expect(try await resource(askAfter: .seconds(30)).load().value == ["new"])
    }

    @Test("asks when there is no copy, or one that cannot be read")
    func nothing() async throws {
        #expect(try await resource(askAfter: .seconds(30)).load().value == ["new"])
        try await world.store.insert(StoredEntry(bytes: Data("torn".utf8), savedAt: world.date.now), for: "texts")
        #expect(try await resource(askAfter: .seconds(30)).load().value == ["newer"])
    }

    @Test("delivers nothing expired, however long it does not ask")
    func expired() async throws {
        try await world.save(["old"], age: .hours(1))
        #expect(try await resource(maxAge: .hours(1), askAfter: .days(1)).load().value == ["new"])
    }

    @Test("asks all the same when the user reloads")
    func reload() async throws {
        try await world.save(["old"])
        #expect(try await resource(askAfter: .seconds(30)).reload().value == ["new"])
    }

    @Test("shows a screen that appears the recent copy, and the latest when its user refreshes")
    @MainActor
    func screen() async throws {
        try await world.save(["old"])
        let model = ResourceModel(resource(askAfter: .seconds(30)))
        await model.appear()
        #expect(model.value == ["old"] && model.phase == .loaded && world.client.requests.isEmpty)
        await model.refresh()
        #expect(model.value == ["new"] && model.source == .remote)
    }

    @Test("tells a caller who has left nothing")
    func left() async throws {
        try await world.save(["old"])
        let resource = resource(askAfter: .seconds(30))
        let load = Task {
            _ = await #expect(throws: LoadError.cancelled) {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await resource.load()
            }
        }
        await load.value
    }

    @Test("asks after a denial, until an answer is not one", arguments: [401, 404])
    func denied(status: Int) async throws {
        let world = World(.answer(status: status), .refused, .texts(["new"]))
        try await world.save(["old"])
        let policy = CachePolicy(maxAge: .days(7), askAfter: .seconds(30))
        let cache = Cache<[String]>(key: "texts", in: world.store, policy: policy, now: world.date.read)
        let resource = Resource(remote: world.remote(), cache: cache)
        await #expect(throws: LoadError.invalidData(.status(status))) { try await resource.reload() }
        #expect(try await resource.load().value == ["old"], "it asked, and there was no connection")
        #expect(try await resource.load().value == ["new"])
        #expect(try await resource.load().value == ["new"])
        #expect(world.client.requests.count == 3)
    }

    @Test("Without such a time every load asks")
    func always() async throws {
        try await world.save(["old"])
        #expect(try await world.resource().load().value == ["new"])
    }
}
