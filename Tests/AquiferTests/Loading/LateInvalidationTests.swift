import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("An invalidation during a load", .timeLimit(.minutes(10)))
struct LateInvalidationTests {
    private let world = World(client: ScriptedHTTPClient())

    /// A resource of one process. Two of them share the store alone.
    private func resource(askAfter: Duration = .hours(1)) -> Resource<[String]> {
        let policy = CachePolicy(askAfter: askAfter)
        let cache = Cache<[String]>(key: "texts", in: world.store, policy: policy, now: world.date.read)
        return Resource(remote: world.remote(), cache: cache)
    }

    private func answer(_ number: Int, _ text: String) async {
        await world.client.exchange(number).respond(body: Data("[\"\(text)\"]".utf8))
    }

    @Test("is not lost when the value was made valid and invalid again since: no mark recurs")
    func markRecurs() async throws {
        try await world.save(["old"])
        let (slow, other) = (resource(), resource())
        try await other.invalidate()
        let load = Task { try await slow.load() }
        let exchange = await world.client.exchange(0)
        let loadOfOther = Task { try await other.load() }
        await answer(1, "between")
        #expect(try await loadOfOther.value.value == ["between"])
        try await other.invalidate()
        exchange.respond(body: Data("[\"before\"]".utf8))
        await answer(2, "after")
        #expect(try await load.value == Loaded(["after"], source: .remote, savedAt: world.date.now))
        #expect(try await world.saved()?.entry.asking == .unsaid)
    }

    @Test("has a mark of its own, each time")
    func marks() async throws {
        try await world.save(["old"])
        var marks: Set<Date> = []
        for _ in 0..<100 {
            try await resource().invalidate()
            marks.insert(try #require(try await world.saved()?.entry.asking.mark))
        }
        #expect(marks.count == 100)
    }

    @Test("of another process is not lost when it is the first load: it asks once more")
    func firstLoad() async throws {
        let load = Task { [resource = resource()] in try await resource.load() }
        let exchange = await world.client.exchange(0)
        try await resource().invalidate()
        #expect(try await resource().saved() == nil, "a mark is no copy")
        #expect(try await resource().savedEntry() == nil)
        exchange.respond(body: Data("[\"before\"]".utf8))
        await answer(1, "after")
        #expect(try await load.value == Loaded(["after"], source: .remote, savedAt: world.date.now))
        #expect(try await world.saved()?.entry.asking == .unsaid)
        #expect(try await resource().load().value == ["after"])
        #expect(world.client.requests.count == 2)
    }

    @Test("is no copy that stands in, is no damage, and stays until there is a value", arguments: [false, true])
    func noCopy(isForever: Bool) async throws {
        let policy = isForever ? CachePolicy.forever : .sevenDays
        let cache = Cache<[String]>(key: "texts", in: world.store, policy: policy, now: world.date.read)
        try await cache.invalidate()
        #expect(try await cache.load() == nil)
        #expect(try await cache.validate() == false)
        try await cache.amend { _ in ["never"] }
        let load = Task { [remote = world.remote()] in try await Resource(remote: remote, cache: cache).load() }
        await world.client.exchange(0).fail(TransportError(.offline))
        await #expect(throws: LoadError.connectivity(TransportError(.offline))) { try await load.value }
        // A value from elsewhere is asked for all the same, and one that was made here is not.
        #expect(try await cache.save(["migrated"], savedAt: world.date.now - 60))
        #expect(try await cache.load()?.value == ["migrated"])
        #expect(try await cache.entry()?.asking.mark != nil)
        try await cache.update { _ in ["mine"] }
        #expect(try await cache.entry()?.asking == .unsaid)
    }

    @Test("of a loader of data counts, whether there is a copy or not", arguments: [false, true])
    func data(isElsewhere: Bool) async throws {
        func loader() -> DataLoader { DataLoader(client: world.client, store: world.store, now: world.date.read) }
        let mine = loader()
        let other = isElsewhere ? loader() : mine
        let load = Task { [url = world.url] in try await mine.data(for: url) }
        let exchange = await world.client.exchange(0)
        try await other.invalidate(world.url)
        // Who comes now joins the load, and gets nothing from before.
        let late = Task { [url = world.url] in try await mine.data(for: url) }
        #expect(await eventually { mine.waiters(for: world.url) == 2 })
        exchange.respond(body: Data("before".utf8))
        await world.client.exchange(1).respond(body: Data("after".utf8))
        for task in [load, late] { #expect(try await task.value.value == Data("after".utf8)) }
        #expect(try await mine.data(for: world.url).value == Data("after".utf8))
        #expect(world.client.requests.count == 2)
        #expect(mine.waiters(for: world.url) == 0)
    }

    @Test("is not lost beside an answer that may not be saved", arguments: [false, true])
    func noStore(isSaved: Bool) async throws {
        if isSaved { try await world.save(["old"], age: .seconds(10)) }
        func resource() -> Resource<[String]> {
            let policy = CachePolicy(follows: .server)
            let cache = Cache<[String]>(key: "texts", in: world.store, policy: policy, now: world.date.read)
            return Resource(remote: world.remote(), cache: cache)
        }
        let load = Task { [resource = resource()] in try await resource.load() }
        let exchange = await world.client.exchange(0)
        world.date.advance(by: 1)
        try await resource().invalidate()
        let headers: HTTPHeaders = ["Cache-Control": "no-store"]
        exchange.respond(headers: headers, body: Data("[\"before\"]".utf8))
        await world.client.exchange(1).respond(headers: headers, body: Data("[\"after\"]".utf8))
        #expect(try await load.value == Loaded(["after"], source: .remote))
        #expect(try await world.store.retrieve("texts") == nil && world.client.requests.count == 2)
    }

    @Test("is not lost beside an answer that the value is gone: the next load asks, and screens do by themselves")
    func gone() async throws {
        try await world.save(["old"], age: .seconds(10))
        func resource() -> Resource<[String]> {
            let remote = RemoteLoader<[String]>(HTTPRequest(.get, world.url), client: world.client) { head, body in
                guard head.status != 410 else { throw InvalidData.gone(status: 410) }
                return try JSONDecoder().decode([String].self, from: body)
            }
            return Resource(remote: remote, cache: world.cache)
        }
        let load = Task { [resource = resource()] in try await resource.load() }
        let exchange = await world.client.exchange(0)
        world.date.advance(by: 1)
        try await resource().invalidate()
        let mark = try await world.cache.entry()?.asking.mark
        exchange.respond(status: 410)
        await #expect(throws: LoadError.invalidData(.gone(status: 410))) { try await load.value }
        let left = try #require(try await world.cache.entry())
        #expect(left.isMark && left.asking.mark == mark && mark != nil)
    }

    @Test("of a downloaded URL is asked for, and the file stands in when there is no answer")
    func download() async throws {
        try await DownloadWorld.with { files in
            let client = ScriptedHTTPClient([
                .answer(body: Data("file".utf8)), .failure(TransportError(.offline)), .answer(status: 404),
                .answer(body: Data("new".utf8)),
            ])
            let loader = DataLoader(
                client: client, store: MemoryStore(), downloads: try files.downloads(client), now: files.date.read)
            _ = try await loader.file(for: files.url)
            #expect(try await loader.data(for: files.url).value == Data("file".utf8))
            #expect(client.requests.count == 1)
            try await loader.invalidate(files.url)
            let copy = try await loader.data(for: files.url)
            let offline = LoadError.connectivity(TransportError(.offline))
            #expect(copy.value == Data("file".utf8))
            #expect(copy.source == .cache(savedAt: files.date.now, because: offline))
            await #expect(throws: LoadError.invalidData(.status(404))) { try await loader.data(for: files.url) }
            #expect(try await loader.data(for: files.url).value == Data("new".utf8))
            #expect(try await loader.data(for: files.url).value == Data("new".utf8))
            #expect(client.requests.count == 4)
        }
    }
}
