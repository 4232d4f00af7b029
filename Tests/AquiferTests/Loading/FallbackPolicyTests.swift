import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("After which errors the saved copy stands in", .timeLimit(.minutes(10)))
struct FallbackPolicyTests {
    private static let denials = [401, 403, 404, 410]

    /// A resource of the world's texts with another rule.
    private func resource(_ world: World, _ policy: FallbackPolicy) -> Resource<[String]> {
        Resource(remote: world.remote(), cache: world.cache, fallback: policy)
    }

    @Test(
        "401, 403, 404 and 410 speak of this value: the load throws them, and the saved copy stays in the store, as denied",
        arguments: denials)
    func denied(status: Int) async throws {
        let world = World(.answer(status: status))
        try await world.save(["old"], validators: Validators(etag: "\"1\""), age: .hours(1))
        let before = try #require(try await world.saved()).entry
        let error = await failure { () async throws(LoadError) in try await world.resource().load() }
        #expect(error == .invalidData(.status(status)))
        #expect(error?.status == status)
        var after = try #require(try await world.saved(), "hidden, not deleted").entry
        #expect(after.asking.isDenied)
        after.asking = before.asking
        #expect(after == before)
    }

    @Test(
        "After no connection, a time-out or a failed server the copy stands in",
        arguments: [
            .offline, .cannotResolve, .cannotConnect, .timedOut, .interrupted, .insecure,
        ] as [TransportError.Kind])
    func unanswered(kind: TransportError.Kind) async throws {
        let world = World(.failure(TransportError(kind)))
        try await world.save(["old"], age: .hours(1))
        let loaded = try await world.resource().load()
        #expect(loaded.value == ["old"])
        guard case .cache(_, because: let error?) = loaded.source else {
            Issue.record("came from \(loaded.source)")
            return
        }
        #expect(error == .connectivity(TransportError(kind)))
        #expect(error.status == nil)
    }

    @Test(
        "After a status that says nothing about this value the copy stands in, and the status is kept",
        arguments: [400, 402, 405, 407, 408, 429, 451, 500, 502, 503, 504])
    func otherStatuses(status: Int) async throws {
        let world = World(.answer(status: status))
        try await world.save(["old"], age: .hours(1))
        let loaded = try await world.resource().load()
        guard case .cache(_, because: let error?) = loaded.source else {
            Issue.record("came from \(loaded.source)")
            return
        }
        #expect(loaded.value == ["old"] && error.status == status)
    }

    @Test("Nonsense lets the copy stand in", arguments: ["", "{", "<html>", "[1]"])
    func nonsense(body: String) async throws {
        let world = World(.answer(body: Data(body.utf8)))
        try await world.save(["old"], age: .hours(1))
        #expect(try await world.resource().load().value == ["old"])
    }

    @Test(
        "A copy that was hidden is shown again when the next load has no connection: the server may have been a portal")
    func hiddenNotDeleted() async throws {
        let world = World(.answer(status: 404), .refused)
        try await world.save(["old"], age: .hours(1))
        _ = await failure { () async throws(LoadError) in try await world.resource().load() }
        #expect(try await world.resource().load().value == ["old"])
    }

    @Test("With the policy `always`, the copy stands in after each error", arguments: denials)
    func always(status: Int) async throws {
        let world = World(.answer(status: status))
        try await world.save(["old"], age: .hours(1))
        let loaded = try await resource(world, .always).load()
        #expect(loaded.value == ["old"])
        guard case .cache(_, because: .invalidData(.status(status))?) = loaded.source else {
            Issue.record("came from \(loaded.source)")
            return
        }
    }

    @Test("An app decides by the error, and its rule is asked only about the errors of the remote")
    func ownRule() async throws {
        let world = World(.answer(status: 503), .refused)
        try await world.save(["old"], age: .hours(1))
        let onlyOffline = FallbackPolicy { error in error.reason == .connectivity }
        let resource = resource(world, onlyOffline)
        let error = await failure { () async throws(LoadError) in try await resource.load() }
        #expect(error == .invalidData(.status(503)))
        #expect(try await resource.load().value == ["old"])
    }

    @Test("A denial is the error even if the store fails: the copy is not looked for", arguments: denials)
    func deniedAndUnreadable(status: Int) async throws {
        let world = World(.answer(status: status))
        world.store.fail(.retrieve, with: .notAStore(path: "/store"))
        let error = await failure { () async throws(LoadError) in try await world.resource().load() }
        #expect(error == .invalidData(.status(status)))
    }

    @Test("Nobody's rule delivers a copy to a caller who has left")
    func cancelled() async throws {
        let world = World(client: ScriptedHTTPClient())
        try await world.save(["old"])
        let resource = resource(world, .always)
        let load = Task { await failure { () async throws(LoadError) in try await resource.load() } }
        _ = await world.client.exchange(0)
        load.cancel()
        #expect(await load.value == .cancelled)
    }

    // MARK: Gone

    /// A resource whose mapper knows an answer as its server's by a field.
    private func judging(_ world: World, _ policy: FallbackPolicy = .standard) -> Resource<[String]> {
        let remote = RemoteLoader<[String]>(HTTPRequest(.get, world.url), client: world.client) { head, body in
            if head.status != 200, head.headers["X-Server"] != nil { throw InvalidData.gone(status: head.status) }
            guard head.status == 200 else { throw InvalidData.status(head.status) }
            return try JSONDecoder().decode([String].self, from: body)
        }
        return Resource(remote: remote, cache: world.cache, fallback: policy)
    }

    @Test(
        "What the mapper knows as gone is deleted, under each policy, and is told as missing",
        arguments: [404, 410], [true, false])
    func gone(status: Int, always: Bool) async throws {
        let world = World(.answer(status: status, headers: ["X-Server": "1"]), .refused)
        try await world.save(["old"], age: .hours(1))
        let resource = judging(world, always ? .always : .standard)
        let error = await failure { () async throws(LoadError) in try await resource.load() }
        #expect(error == .invalidData(.gone(status: status)))
        #expect(error?.status == status && error?.trouble == .missing)
        #expect(try await world.saved() == nil)
        #expect(await failure { () async throws(LoadError) in try await resource.load() }?.reason == .connectivity)
    }

    @Test("The same status of somebody else's deletes nothing")
    func goneByAnother() async throws {
        let world = World(.answer(status: 404))
        try await world.save(["old"], age: .hours(1))
        #expect(await failure { () async throws(LoadError) in try await judging(world).load() }?.status == 404)
        #expect(try await world.saved() != nil)
    }

    @Test("A damaged copy of what is gone is deleted, too")
    func goneAndDamaged() async throws {
        let world = World(.answer(status: 410, headers: ["X-Server": "1"]))
        try await world.store.insert(StoredEntry(bytes: Data("{".utf8), savedAt: world.date.now), for: world.cache.key)
        #expect(await failure { () async throws(LoadError) in try await judging(world).load() }?.status == 410)
        #expect(try await world.saved() == nil)
    }

    @Test("What was changed or saved after the request was sent stays: the answer says nothing about it")
    func goneAndChanged() async throws {
        let world = World(client: ScriptedHTTPClient())
        try await world.save(["old"], age: .hours(1))
        let resource = judging(world)
        let loading = Task { await failure { () async throws(LoadError) in try await resource.load() } }
        let exchange = await world.client.exchange(0)
        try await world.cache.amend { $0 + ["mine"] }
        exchange.respond(status: 404, headers: ["X-Server": "1"], body: Data())
        #expect(await loading.value == .invalidData(.gone(status: 404)))
        #expect(try await world.cache.load()?.value == ["old", "mine"])
    }

    @Test("A copy that cannot be deleted is not delivered, and the next load that is told so deletes it")
    func goneAndFailing() async throws {
        let gone = ScriptedHTTPClient.Reply.answer(status: 404, headers: ["X-Server": "1"])
        let world = World(gone, gone)
        try await world.save(["old"], age: .hours(1))
        let resource = judging(world, .always)
        world.store.fail(.update, with: .busy(path: "/store"))
        #expect(await failure { () async throws(LoadError) in try await resource.load() }?.status == 404)
        #expect(try await world.saved() != nil)
        world.store.heal()
        #expect(await failure { () async throws(LoadError) in try await resource.load() }?.status == 404)
        #expect(try await world.saved() == nil)
    }

    // MARK: The status

    @Test(
        "A status is told even if the mapper reads the body or its type first",
        arguments: [401, 403, 404, 410, 422, 500, 503])
    func mapperOfBodies(status: Int) async throws {
        let world = World(.answer(status: status, body: Data("{}".utf8)), .answer(status: status))
        let decoding = RemoteLoader<[String]>(HTTPRequest(.get, world.url), client: world.client) { _, body in
            try JSONDecoder().decode([String].self, from: body)
        }
        let typing = RemoteLoader<[String]>(HTTPRequest(.get, world.url), client: world.client) { head, _ in
            throw InvalidData.mediaType(head.headers["Content-Type"])
        }
        for loader in [decoding, typing] {
            let error = await failure { () async throws(LoadError) in try await loader.load() }
            #expect(error == .invalidData(.status(status)))
        }
    }

    @Test("What a mapper says in its own words about an answer is kept, as is a mistake in a success")
    func mapperOfWords() async throws {
        let world = World(.answer(status: 429), .answer(body: Data("{".utf8)), .answer(status: 204))
        func error(_ map: @escaping RemoteLoader<[String]>.Map) async -> LoadError? {
            let loader = RemoteLoader(HTTPRequest(.get, world.url), client: world.client, map: map)
            return await failure { () async throws(LoadError) in try await loader.load() }
        }
        #expect(await error { _, _ in throw InvalidData.body("the quota") } == .invalidData(.body("the quota")))
        #expect(await error { _, body in try JSONDecoder().decode([String].self, from: body) }?.status == nil)
        #expect(await error { _, _ in throw InvalidData.mediaType(nil) } == .invalidData(.mediaType(nil)))
    }

    @Test("Only an answer has a status")
    func statuses() {
        #expect(LoadError.invalidData(.status(418)).status == 418)
        #expect(LoadError.invalidData(.body("no")).status == nil)
        #expect(LoadError.connectivity(TransportError(.offline)).status == nil)
        #expect(LoadError.store(.notAStore(path: "/"), after: .invalidData).status == nil)
        #expect(LoadError.cancelled.status == nil)
    }

    // MARK: Data

    @Test("Data that is saved while the server denies it does not stand in for it", arguments: denials)
    func data(status: Int) async throws {
        let world = World(client: ScriptedHTTPClient())
        let loader = DataLoader(client: world.client, store: world.store, now: world.date.read)
        let url = world.url
        let loading = Task { await failure { () async throws(LoadError) in try await loader.data(for: url) } }
        let exchange = await world.client.exchange(0)
        let theirs = StoredEntry(bytes: Data("theirs".utf8), savedAt: world.date.now, kind: .data)
        try await world.store.insert(theirs, for: DataLoader.key(for: url))
        exchange.respond(status: status)
        #expect(await loading.value == .invalidData(.status(status)))
        #expect(try await world.store.retrieve(DataLoader.key(for: url)) == theirs)
    }
}
