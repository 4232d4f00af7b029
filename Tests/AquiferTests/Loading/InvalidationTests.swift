import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("A value that was made invalid", .timeLimit(.minutes(10)))
struct InvalidationTests {
    private let world = World(.texts(["new"]), .texts(["newer"]))

    private func resource(_ world: World, askAfter: Duration = .hours(1)) -> Resource<[String]> {
        let policy = CachePolicy(askAfter: askAfter)
        let cache = Cache<[String]>(key: "texts", in: world.store, policy: policy, now: world.date.read)
        return Resource(remote: world.remote(), cache: cache)
    }

    @Test("is asked for by the next load, once, however young its copy is; and by the next process")
    func asked() async throws {
        try await world.save(["old"])
        let resource = resource(world)
        #expect(try await resource.load().value == ["old"])
        try await resource.invalidate()
        #expect(world.client.requests.isEmpty)
        // Another instance, as after a restart.
        #expect(try await self.resource(world).load().value == ["new"])
        #expect(try await resource.load().value == ["new"])
        #expect(world.client.requests.count == 1)
    }

    @Test("is asked for also when the server had given it time")
    func askAt() async throws {
        try await world.save(["old"])
        try await world.store.update("texts") { [world] found throws(StoreError) in
            guard var entry = try found.get() else { return .keep }
            entry.asking = .init(
                askAt: world.date.now + 60, staleUntil: world.date.now + 600, isImmutable: true)
            return .replace(entry)
        }
        let resource = resource(world)
        #expect(try await resource.load().value == ["old"])
        try await resource.invalidate()
        let asking = try #require(try await world.saved()?.entry.asking)
        #expect(asking.mark != nil && asking == .init(askAt: asking.mark), "and nothing else is said")
        #expect(try await resource.load().value == ["new"])
        #expect(try await world.saved()?.entry.asking == .unsaid)
    }

    @Test("stays as the copy that stands in for the latest, with its age, and is asked for again")
    func fallback() async throws {
        let world = World(.refused, .texts(["new"]))
        try await world.save(["old"], age: .days(1))
        let savedAt = world.date.now - 86_400
        let resource = resource(world, askAfter: .days(2))
        try await resource.invalidate()
        let loaded = try await resource.load()
        #expect(loaded.value == ["old"] && loaded.savedAt == savedAt)
        #expect(try await resource.saved()?.savedAt == savedAt)
        #expect(try await resource.load().value == ["new"])
    }

    @Test("keeps its validators, so that a 304 makes it valid again")
    func renewed() async throws {
        let world = World(.answer(status: 304))
        try await world.save(["old"], validators: Validators(etag: "\"1\""))
        let resource = resource(world)
        try await resource.invalidate()
        #expect(try await resource.load() == Loaded(["old"], source: .remote, savedAt: world.date.now))
        #expect(world.client.requests.map { $0.headers["If-None-Match"] } == ["\"1\""])
        #expect(try await resource.load().value == ["old"])
        #expect(world.client.requests.count == 1)
    }

    @Test("is asked for once more by a load that was under way", arguments: [false, true])
    func overtaken(isSaved: Bool) async throws {
        let world = World(client: ScriptedHTTPClient())
        if isSaved { try await world.save(["old"]) }
        let resource = resource(world, askAfter: .zero)
        let load = Task { try await resource.load() }
        let first = await world.client.exchange(0)
        try await resource.invalidate()
        first.respond(body: Data("[\"before\"]".utf8))
        let second = await world.client.exchange(1)
        #expect(try await world.saved()?.texts == ["before"], "it is newer than the copy before")
        #expect(try await world.saved()?.entry.asking.mark != nil, "and stays invalid")
        second.respond(body: Data("[\"after\"]".utf8))
        #expect(try await load.value == Loaded(["after"], source: .remote, savedAt: world.date.now))
        #expect(try await world.saved()?.texts == ["after"])
        #expect(try await world.saved()?.entry.asking == .unsaid)
    }

    @Test("is asked for once more by a load of another process, each time")
    func overtakenElsewhere() async throws {
        let world = World(client: ScriptedHTTPClient())
        try await world.save(["old"])
        let (resource, other) = (resource(world, askAfter: .zero), resource(world))
        let load = Task { try await resource.load() }
        for number in 0..<2 {
            let exchange = await world.client.exchange(number)
            try await other.invalidate()
            exchange.respond(body: Data("[\"before\"]".utf8))
        }
        await world.client.exchange(2).respond(body: Data("[\"after\"]".utf8))
        #expect(try await load.value.value == ["after"])
        #expect(try await other.load().value == ["after"])
        #expect(world.client.requests.count == 3)
    }

    @Test("again and again during a load is delivered as a copy, and asked for by the next load")
    func overtakenAlways() async throws {
        let world = World(client: ScriptedHTTPClient())
        try await world.save(["old"])
        let resource = resource(world)
        try await resource.invalidate()
        let load = Task { try await resource.load() }
        for number in 0..<3 {
            let exchange = await world.client.exchange(number)
            try await resource.invalidate()
            exchange.respond(body: Data("[\"\(number)\"]".utf8))
        }
        let (loaded, now) = (try await load.value, world.date.now)
        #expect(loaded == Loaded(["2"], source: .cache(savedAt: now, because: nil), savedAt: now))
        let next = Task { try await resource.load() }
        await world.client.exchange(3).respond(body: Data("[\"after\"]".utf8))
        #expect(try await next.value.value == ["after"])
    }

    @Test("holds up no load of another key")
    func otherKey() async throws {
        let world = World(client: ScriptedHTTPClient())
        let other = Resource(
            remote: world.remote(), cache: Cache<[String]>(key: "others", in: world.store, now: world.date.read))
        let resource = resource(world)
        let load = Task { try await resource.load() }
        let exchange = await world.client.exchange(0)
        let otherLoad = Task { try await other.load() }
        let otherExchange = await world.client.exchange(1)
        try await resource.invalidate()
        otherExchange.respond(body: Data("[\"other\"]".utf8))
        #expect(try await otherLoad.value.value == ["other"])
        exchange.respond(body: Data("[]".utf8))
        await world.client.exchange(2).respond(body: Data("[\"after\"]".utf8))
        #expect(try await load.value.value == ["after"])
        #expect(world.client.requests.count == 3)
    }

    @Test("stays invalid when it is amended, and when an item is added to it")
    func amended() async throws {
        try await world.save(["old"])
        let resource = resource(world)
        try await resource.invalidate()
        try await resource.cache.amend { $0 + ["mine"] }
        try await resource.cache.update(restamping: { saved in ((saved?.value ?? []) + ["too"], world.date.now) })
        #expect(try await resource.saved()?.value == ["old", "mine", "too"])
        #expect(try await resource.load().value == ["new"])
    }

    @Test("is asked for by this instance also when the store could not keep the invalidation")
    func failingStore() async throws {
        try await world.save(["old"])
        let resource = resource(world)
        world.store.fail(.update, with: .full(path: "/none"))
        await #expect(throws: StoreError.full(path: "/none")) { try await resource.invalidate() }
        var updates = resource.updates.makeAsyncIterator()
        #expect(await updates.next()??.value == ["old"], "the remote has not denied it")
        #expect(try await resource.load().value == ["new"])
    }

    @Test("is nothing new where nothing is saved, or what is saved is damaged")
    func nothing() async throws {
        let resource = resource(world)
        try await resource.invalidate()
        #expect(try await world.saved() == nil)
        #expect(try await resource.load().value == ["new"])
    }

    @Test("by prefix: each entry whose key begins so, byte by byte, and no other")
    func prefix() async throws {
        let keys = ["user/4", "user/42", "us\u{E9}r", "use\u{301}r", "other", "user/"]
        for key in keys { try await world.store.insert(StoredEntry(bytes: Data([1]), savedAt: .distantPast), for: key) }
        try await world.store.invalidate(prefix: "user/4")
        for key in keys {
            let entry = try await world.store.retrieve(key)
            #expect((entry?.asking.mark != nil) == key.hasPrefix("user/4"), "\(key)")
            #expect(entry?.bytes == Data([1]) && entry?.savedAt == .distantPast)
        }
        try await world.store.invalidate(prefix: "us\u{E9}")
        #expect(try await world.store.retrieve("us\u{E9}r")?.asking.mark != nil)
        #expect(try await world.store.retrieve("use\u{301}r")?.askAt == nil)
    }
}

extension InvalidationTests {
    @Test("of a loader of data is asked for, and its copy stands in for the latest")
    func data() async throws {
        let world = World(.answer(body: Data("old".utf8)), .refused, .answer(body: Data("new".utf8)))
        let loader = DataLoader(client: world.client, store: world.store, now: world.date.read)
        _ = try await loader.data(for: world.url)
        #expect(try await loader.data(for: world.url).value == Data("old".utf8))
        try await loader.invalidate(world.url)
        #expect(try await loader.data(for: world.url).value == Data("old".utf8))
        #expect(world.client.requests.count == 2)
        #expect(try await loader.data(for: world.url).value == Data("new".utf8))
    }

    @Test("of one scope is no other's: two loaders of one URL never deliver each other's data")
    func scopes() async throws {
        let world = World(
            .answer(body: Data("none".utf8)), .answer(body: Data("ana".utf8)), .answer(body: Data("bob".utf8)))
        func loader(_ scope: String?) -> DataLoader {
            DataLoader(client: world.client, store: world.store, scope: scope, now: world.date.read)
        }
        let scopes = [nil, "user/4", "user/42"]
        for (scope, text) in zip(scopes, ["none", "ana", "bob"]) {
            #expect(try await loader(scope).data(for: world.url).value == Data(text.utf8))
        }
        for (scope, text) in zip(scopes, ["none", "ana", "bob"]) {
            #expect(try await loader(scope).data(for: world.url).value == Data(text.utf8))
        }
        #expect(world.client.requests.count == 3)
        #expect(DataLoader.key(for: world.url) == "data:http://feed.example/v1/texts")
        #expect(DataLoader.key(for: world.url, scope: "user/4") == "data:@user%2F4@http://feed.example/v1/texts")
        #expect(!DataLoader.keyPrefix(ofScope: "user/42").hasPrefix(DataLoader.keyPrefix(ofScope: "user/4")))
    }
}
