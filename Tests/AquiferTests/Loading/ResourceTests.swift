import Aquifer
import AquiferTesting
import AquiferWording
import Foundation
import Testing

@Suite("The composition's scenarios", .timeLimit(.minutes(10)))
struct ResourceScenarioTests {
    @Test("Given connectivity, when the customer asks, then the latest is shown and replaces the cache")
    func online() async throws {
        let world = World(.texts(["new"]))
        try await world.save(["old"], age: .days(2))
        let loaded = try await world.resource().load()
        #expect(loaded == Loaded(["new"], source: .remote, savedAt: world.date.now))
        #expect(try await world.saved()?.texts == ["new"])
        #expect(try await world.saved()?.entry.savedAt == world.date.now)
    }

    @Test("Given no connectivity and a cache less than seven days old, then the latest saved is shown, with its age")
    func offlineFresh() async throws {
        let world = World(.refused)
        let savedAt = world.date.now
        try await world.save(["old"], age: .days(7) - .seconds(1))
        let loaded = try await world.resource().load()
        #expect(
            loaded
                == Loaded(
                    ["old"], source: .cache(savedAt: savedAt, because: .connectivity(TransportError(.cannotConnect))),
                    savedAt: savedAt))
    }

    @Test("Given no connectivity and a cache of seven days or more, then an error message is shown")
    func offlineExpired() async throws {
        let world = World(.refused)
        try await world.save(["old"], age: .days(7))
        let error = await failure { () async throws(LoadError) in try await world.resource().load() }
        #expect(error == .connectivity(TransportError(.cannotConnect)))
        #expect(error?.message(in: .english).isEmpty == false)
    }

    @Test("Given no connectivity and an empty cache, then an error message is shown")
    func offlineEmpty() async {
        let world = World(.refused)
        let error = await failure { () async throws(LoadError) in try await world.resource().load() }
        #expect(error == .connectivity(TransportError(.cannotConnect)))
    }
}

@Suite("What a resource promises", .timeLimit(.minutes(10)))
struct ResourceTests {
    @Test("Invalid data falls back on the saved copy, and says why")
    func invalidData() async throws {
        let world = World(.answer(body: Data("{".utf8)))
        try await world.save(["old"], age: .hours(1))
        let loaded = try await world.resource().load()
        #expect(loaded.value == ["old"])
        guard case .cache(_, .invalidData?) = loaded.source else {
            Issue.record("came from \(loaded.source)")
            return
        }
    }

    @Test("Invalid data with nothing saved is that error")
    func invalidDataAndEmpty() async {
        let world = World(.answer(status: 500))
        let error = await failure { () async throws(LoadError) in try await world.resource().load() }
        #expect(error == .invalidData(.status(500)))
    }

    @Test("A failed save does not hide the value that arrived: it is delivered, with the save error beside it")
    func saveError() async throws {
        let world = World(.texts(["new"]))
        try await world.save(["old"])
        world.store.fail(.update, with: .full(path: "/store"))
        let loaded = try await world.resource().load()
        #expect(loaded == Loaded(["new"], source: .remote, saveError: .full(path: "/store")))
        #expect(try await world.saved()?.texts == ["old"])
    }

    @Test("A store that cannot be read does not keep the latest from being shown")
    func unreadableStoreOnline() async throws {
        let world = World(.texts(["new"]))
        world.store.fail(.retrieve, with: .notAStore(path: "/store"))
        #expect(try await world.resource().load().value == ["new"])
    }

    @Test("No connectivity and a store that cannot be read is the store's error, with the reason for asking it")
    func unreadableStoreOffline() async {
        let world = World(.refused)
        world.store.fail(.retrieve, with: .notAStore(path: "/store"))
        let error = await failure { () async throws(LoadError) in try await world.resource().load() }
        #expect(error == .store(.notAStore(path: "/store"), after: .connectivity))
    }

    @Test("A failed load deletes nothing", arguments: [Duration.zero, .days(8)])
    func deletesNothing(age: Duration) async throws {
        let world = World(.refused)
        try await world.save(["old"], age: age)
        _ = await failure { () async throws(LoadError) in try await world.resource().load() }
        #expect(try await world.saved()?.texts == ["old"])
    }

    // MARK: Revalidation

    private let validators = Validators(etag: "\"1\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT")

    @Test("The answer's validators are saved, and sent with the next load")
    func sendsValidators() async throws {
        let world = World(.texts(["a"], headers: ["ETag": "\"1\"", "Last-Modified": "then"]), .answer(status: 304))
        _ = try await world.resource().load()
        _ = try await world.resource().load()
        #expect(world.client.requests[0].headers["If-None-Match"] == nil)
        #expect(world.client.requests[1].headers["If-None-Match"] == "\"1\"")
        #expect(world.client.requests[1].headers["If-Modified-Since"] == "then")
    }

    @Test("A 304 delivers the saved value as the latest, stamped anew", arguments: [Duration.days(3), .days(30)])
    func notModified(age: Duration) async throws {
        let world = World(.answer(status: 304))
        try await world.save(["a"], validators: validators, age: age)
        let loaded = try await world.resource().load()
        #expect(loaded == Loaded(["a"], source: .remote, savedAt: world.date.now))
        #expect(try await world.saved()?.entry.savedAt == world.date.now)
        #expect(try await world.saved()?.entry.validators == validators)
    }

    @Test("A 304 is not mapped: there is no body to decode")
    func notModifiedIsNotMapped() async throws {
        let world = World(.answer(status: 304))
        try await world.save(["a"], validators: validators)
        let remote = RemoteLoader<[String]>(HTTPRequest(.get, world.url), client: world.client) { _, _ in
            throw InvalidData.body("mapped")
        }
        #expect(try await Resource(remote: remote, cache: world.cache).load().value == ["a"])
    }

    @Test("A 304 for a copy that cannot be decoded fetches it anew, without validators")
    func notModifiedButUndecodable() async throws {
        let world = World(.answer(status: 304), .texts(["new"]))
        let entry = StoredEntry(bytes: Data("torn".utf8), savedAt: world.date.now, validators: validators)
        try await world.store.insert(entry, for: "texts")
        #expect(try await world.resource().load().value == ["new"])
        #expect(world.client.requests[1].headers["If-None-Match"] == nil)
    }

    @Test("A 304 does not stamp a copy that someone else saved meanwhile")
    func notModifiedMeanwhileReplaced() async throws {
        let world = World(client: ScriptedHTTPClient())
        try await world.save(["a"], validators: validators, age: .days(3))
        let loading = Task { try await world.resource().load() }
        let exchange = await world.client.exchange(0)
        world.date.advance(by: 60)
        try await world.save(["theirs"], age: .seconds(60))
        exchange.respond(status: 304)
        #expect(try await loading.value.value == ["theirs"])
        #expect(try await world.saved()?.texts == ["theirs"])
        #expect(try await world.saved()?.entry.savedAt == world.date.now.addingTimeInterval(-60))
    }

    @Test("A 304 whose stamp cannot be saved is delivered, with the save error beside it")
    func notModifiedAndReadOnly() async throws {
        let world = World(.answer(status: 304))
        try await world.save(["a"], validators: validators)
        world.store.fail(.update, with: .readOnly(path: "/store"))
        #expect(
            try await world.resource().load() == Loaded(["a"], source: .remote, saveError: .readOnly(path: "/store")))
    }

    // MARK: Many at once

    @Test("A hundred concurrent loads are one request and one save")
    func coalesces() async throws {
        let world = World(client: ScriptedHTTPClient())
        let resource = world.resource()
        let loads = (0..<100).map { _ in Task { try await resource.load() } }
        let exchange = await world.client.exchange(0)
        #expect(await eventually { resource.waiters == 100 })
        exchange.respond(body: Data("[\"a\"]".utf8))
        for load in loads { #expect(try await load.value.value == ["a"]) }
        #expect(world.client.requests.count == 1)
        #expect(world.store.calls.count { if case .update(_, .replace) = $0 { true } else { false } } == 1)
    }

    @Test("One who leaves does not cancel the others; the last one to leave cancels the transfer and saves nothing")
    func leaving() async throws {
        let world = World(client: ScriptedHTTPClient())
        let resource = world.resource()
        func load() -> Task<LoadError?, Never> {
            Task { await failure { () async throws(LoadError) in try await resource.load() } }
        }
        let first = load()
        let second = load()
        let exchange = await world.client.exchange(0)
        #expect(await eventually { resource.waiters == 2 })
        first.cancel()
        #expect(await first.value == .cancelled)
        #expect(!exchange.wasCancelled)
        second.cancel()
        #expect(await second.value == .cancelled)
        await exchange.waitForCancellation()
        #expect(try await world.saved() == nil)
    }

    @Test("A load that is cancelled while its answer is decoded saves nothing: a later load may have saved already")
    func cancelledWhileDecoding() async throws {
        let world = World(.texts(["late"]))
        let remote = RemoteLoader<[String]>(HTTPRequest(.get, world.url), client: world.client) { _, body in
            withUnsafeCurrentTask { $0?.cancel() }
            return try JSONDecoder().decode([String].self, from: body)
        }
        let resource = Resource(remote: remote, cache: world.cache)
        #expect(await failure { () async throws(LoadError) in try await resource.load() } == .cancelled)
        #expect(try await world.saved() == nil)
    }

    @Test("Leaving delivers nothing, not even the saved copy")
    func leavingWithCopy() async throws {
        let world = World(client: ScriptedHTTPClient())
        try await world.save(["old"])
        let resource = world.resource()
        let load = Task { await failure { () async throws(LoadError) in try await resource.load() } }
        _ = await world.client.exchange(0)
        load.cancel()
        #expect(await load.value == .cancelled)
    }

    @Test("A load after another has ended is a request of its own")
    func sequential() async throws {
        let world = World(.texts(["a"]), .texts(["b"]))
        let resource = world.resource()
        #expect(try await resource.load().value == ["a"])
        #expect(try await resource.load().value == ["b"])
    }

    // MARK: Without the remote

    @Test("The saved copy alone is delivered fresh, without a request")
    func savedAlone() async throws {
        let world = World()
        let savedAt = world.date.now
        try await world.save(["a"], age: .days(1))
        #expect(
            try await world.resource().saved()
                == Loaded(["a"], source: .cache(savedAt: savedAt, because: nil), savedAt: savedAt))
        world.date.advance(by: Duration.days(6).timeInterval)
        #expect(try await world.resource().saved() == nil)
        #expect(try await world.resource().savedEntry() == nil)
        #expect(world.client.requests.isEmpty)
    }
}
