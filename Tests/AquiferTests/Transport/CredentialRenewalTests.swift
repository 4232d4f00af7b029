import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("A renewal of credentials", .timeLimit(.minutes(10)))
struct CredentialRenewalTests {
    private let world = LoginWorld()

    private func text(_ client: any HTTPClient, _ request: HTTPRequest) async throws -> String {
        String(decoding: try await client.send(request).data(upTo: 1000), as: UTF8.self)
    }

    private var get: HTTPRequest { HTTPRequest(.get, world.api) }

    @Test("happens once, however many requests wait, and each is sent once more with the new ones")
    func once() async throws {
        world.accepted = 2
        let base = world.scripted()
        let client = world.client(base)
        let all = (0..<20).map { _ in Task { try await text(client, get) } }
        await base.waitForRequests(20)
        world.gate.open()
        for task in all { #expect(try await task.value == "welcome") }
        #expect(world.renewals == 1 && base.requests.count == 40)
        #expect(base.requests.prefix(20).allSatisfy { $0.token == "Bearer token-1" })
        #expect(base.requests.suffix(20).allSatisfy { $0.token == "Bearer token-2" })
    }

    @Test("is not repeated for a request that began before it and was rejected after it")
    func late() async throws {
        let base = ScriptedHTTPClient()
        let client = world.client(base)
        world.gate.open()
        let late = Task { try await text(client, get) }
        let first = await base.exchange(0)
        let early = Task { try await text(client, get) }
        world.accepted = 2
        await base.exchange(1).respond(status: 401)
        await base.exchange(2).respond(body: Data("early".utf8))
        #expect(try await early.value == "early")
        first.respond(status: 401)
        await base.exchange(3).respond(body: Data("late".utf8))
        #expect(try await late.value == "late")
        #expect(world.renewals == 1 && base.requests[3].token == "Bearer token-2")
    }

    @Test("delivers a second 401 with its body, and renews no more for this request")
    func second401() async throws {
        world.gate.open()
        let base = ScriptedHTTPClient { _ in .answer(status: 401, body: Data("never".utf8)) }
        let response = try await world.client(base).send(get)
        #expect(response.head.status == 401 && base.requests.count == 2 && world.renewals == 1)
        #expect(try await response.data(upTo: 100) == Data("never".utf8))
    }

    @Test("goes on when one who waits leaves, and when all leave")
    func leaving() async throws {
        world.accepted = 2
        let base = world.scripted()
        let client = world.client(base)
        let (stays, leaves) = (Task { try await text(client, get) }, Task { try await text(client, get) })
        await base.waitForRequests(2)
        #expect(await eventually { world.renewals == 1 })
        leaves.cancel()
        await #expect(throws: TransportError.cancelled) { try await leaves.value }
        world.gate.open()
        #expect(try await stays.value == "welcome")
        #expect(world.renewals == 1)
    }

    @Test("ends well although all who waited have left, so that no token is lost")
    func allLeave() async throws {
        world.accepted = 2
        let base = world.scripted()
        let client = world.client(base)
        let leaves = Task { try await text(client, get) }
        #expect(await eventually { world.renewals == 1 })
        leaves.cancel()
        await #expect(throws: TransportError.cancelled) { try await leaves.value }
        world.gate.open()
        #expect(await eventually { world.token == 2 })
        #expect(try await text(client, get) == "welcome")
        #expect(world.renewals == 1)
    }

    @Test("that lasts too long is a time-out for those who wait. It goes on, and the next request waits for it")
    func patience() async throws {
        world.accepted = 2
        let base = world.scripted()
        let client = world.client(base, patience: .seconds(30))
        let waiting = Task { try await text(client, get) }
        await world.clock.waitForSleepers(1)
        world.clock.advance(by: .seconds(30))
        await #expect(throws: TransportError(.timedOut)) { try await waiting.value }
        let next = Task { try await text(client, get) }
        await base.waitForRequests(2)
        await world.clock.waitForSleepers(1)
        world.gate.open()
        #expect(try await next.value == "welcome")
        #expect(world.renewals == 1 && world.token == 2, "a server may accept the old token only once")
    }

    @Test("that times out itself is no end for those whose other credentials were rejected: they look again")
    func timedOutItself() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let renewals = CredentialRenewals(patience: .seconds(30), clock: clock) { _ in
            await gate.wait()
            throw TransportError(.timedOut)
        }
        func renewed(_ token: String) -> Task<Credentials?, any Error> {
            Task { try await renewals.renewed(.bearer(token, owner: "ada"), after: 0) }
        }
        let first = renewed("1")
        await clock.waitForSleepers(1)
        let other = renewed("2")
        await clock.waitForSleepers(2)
        gate.open()
        await #expect(throws: TransportError(.timedOut)) { try await first.value }
        #expect(try await other.value == nil)
    }

    @Test(
        "with an address that cannot be asked refuses no item",
        arguments: [TransportError.Kind.unsupportedURL, .unreadableBody])
    func badAddress(kind: TransportError.Kind) async throws {
        for error in [TransportError(kind), LoadError.connectivity(TransportError(kind))] as [any Error] {
            let items = OutboxWorld()
            let world = LoginWorld()
            world.accepted = 2
            world.outcome = .fails(error)
            world.gate.open()
            let outbox = Outbox(in: items.store, client: world.client(world.scripted()), policy: items.policy())
            try await outbox.enqueue(HTTPRequest(.post, world.api, body: .bytes(Data("milk".utf8))))
            #expect(try await outbox.drain() == Outbox.Report(failed: 1, nextTry: try await outbox.drain().nextTry))
            world.outcome = .succeeds
            await outbox.retryAll()
            #expect(try await outbox.drain().sent == 1)
        }
    }

    @Test("counts towards the total time of a request")
    func total() async throws {
        world.accepted = 2
        let base = world.scripted()
        let client = world.client(base)
        let (short, long) = (
            Task { [world] in try await text(client, HTTPRequest(.get, world.api, limits: .init(total: .seconds(5)))) },
            Task { [world] in try await text(client, HTTPRequest(.get, world.api, limits: .init(total: .seconds(50)))) }
        )
        await base.waitForRequests(2)
        #expect(await eventually { world.renewals == 1 })
        world.clock.advance(by: .seconds(20))
        world.gate.open()
        await #expect(throws: TransportError(.timedOut)) { try await short.value }
        #expect(try await long.value == "welcome")
        #expect(base.requests.last?.limits.total == .seconds(30))
    }

    @Test("may use the same client: its requests get no credentials, and wait for nothing")
    func overTheSameClient() async throws {
        world.accepted = 2
        world.gate.open()
        let base = world.scripted()
        let holder = Holder()
        let client = AuthenticatingClient(base, origins: [world.api]) { [world] in
            try world.current()
        } renew: { [world] rejected in
            let status = try await holder.client.withLock { $0 }?.send(HTTPRequest(.post, world.api)).head.status
            return status == 401 ? try await world.renew(rejected) : nil
        }
        holder.client.withLock { $0 = client }
        #expect(try await text(client, get) == "welcome")
        #expect(base.requests.map(\.token) == ["Bearer token-1", nil, "Bearer token-2"])
        holder.client.withLock { $0 = nil }
    }

    @Test("leaves out no later request of a task that it has begun")
    func begunByIt() async throws {
        world.accepted = 2
        world.gate.open()
        let base = world.scripted()
        let (holder, hasEnded) = (Holder(), Gate())
        let begun = Locked<Task<Int?, any Error>?>(nil)
        let client = AuthenticatingClient(base, origins: [world.api]) { [world] in
            try world.current()
        } renew: { [world] rejected in
            let new = try await world.renew(rejected)
            // The user is logged in again, and so the app begins to send.
            let task = Task { () async throws -> Int? in
                await hasEnded.wait()
                let item = HTTPRequest(.post, world.api, headers: ["Idempotency-Key": "1"])
                return try await holder.client.withLock { $0 }?.send(item).head.status
            }
            begun.withLock { $0 = task }
            return new
        }
        holder.client.withLock { $0 = client }
        #expect(try await text(client, get) == "welcome")
        hasEnded.open()
        #expect(try await begun.withLock { $0 }?.value == 200)
        #expect(base.requests.map(\.token) == ["Bearer token-1", "Bearer token-2", "Bearer token-2"])
        holder.client.withLock { $0 = nil }
    }

    @Test("that ends while a request of a task that it has begun is under way lets it through after its 401")
    func endsMeanwhile() async throws {
        world.accepted = 2
        world.gate.open()
        let base = ScriptedHTTPClient()
        let holder = Holder()
        let begun = Locked<Task<String, any Error>?>(nil)
        let client = AuthenticatingClient(base, origins: [world.api]) { [world] in
            try world.current()
        } renew: { [world] rejected in
            let task = Task {
                guard let client = holder.client.withLock({ $0 }) else { return "" }
                return String(
                    decoding: try await client.send(HTTPRequest(.get, world.api)).data(upTo: 100), as: UTF8.self)
            }
            begun.withLock { $0 = task }
            await base.waitForRequests(2)
            return try await world.renew(rejected)
        }
        holder.client.withLock { $0 = client }
        let first = Task { try await text(client, get) }
        await base.exchange(0).respond(status: 401)
        let bare = await base.exchange(1)
        await base.exchange(2).respond(body: Data("first".utf8))
        #expect(try await first.value == "first")
        bare.respond(status: 401)
        await base.exchange(3).respond(body: Data("second".utf8))
        #expect(try await begun.withLock { $0 }?.value == "second")
        #expect(base.requests.map(\.token) == ["Bearer token-1", nil, "Bearer token-2", "Bearer token-2"])
        holder.client.withLock { $0 = nil }
    }

    @Test("sends no request of one user again as another one, whoever is logged in by then")
    func otherUser() async throws {
        let base = ScriptedHTTPClient()
        let client = world.client(base)
        let sending = Task { try await text(client, get) }
        let exchange = await base.exchange(0)
        world.owner = "bob"
        world.token = 7
        exchange.respond(status: 401)
        await #expect(throws: TransportError(.unauthorized)) { try await sending.value }
        #expect(base.requests.count == 1 && world.renewals == 0)
    }

    @Test("is not begun for a user who has logged out meanwhile")
    func loggedOut() async throws {
        let base = ScriptedHTTPClient()
        let client = world.client(base)
        let sending = Task { try await text(client, get) }
        let exchange = await base.exchange(0)
        world.token = nil
        exchange.respond(status: 401)
        await #expect(throws: TransportError(.unauthorized)) { try await sending.value }
        #expect(world.renewals == 0)
    }

    // MARK: Failures, and the saved copy

    @Test(
        "that fails for want of a connection fails the request in the same way",
        arguments: [TransportError.Kind.offline, .cannotConnect, .timedOut, .interrupted])
    func noConnection(kind: TransportError.Kind) async throws {
        for error in [TransportError(kind, "why"), LoadError.connectivity(TransportError(kind, "why"))] as [any Error] {
            world.accepted = 2
            world.outcome = .fails(error)
            world.gate.open()
            let told = await failure { () async throws(TransportError) in
                try await world.client(world.scripted()).send(get)
            }
            #expect(told?.kind == kind && told?.detail == "no credentials: why" && told?.isConnectivity == true)
        }
    }

    @Test("that is cancelled from within counts as interrupted, because nobody here has left")
    func cancelledWithin() async throws {
        for error in [TransportError.cancelled, CancellationError(), LoadError.cancelled] as [any Error] {
            world.accepted = 2
            world.outcome = .fails(error)
            world.gate.open()
            await #expect(throws: TransportError(.interrupted)) { try await world.client(world.scripted()).send(get) }
        }
    }

    @Test("that finds no connection lets the saved copy stand in; one that is denied does not")
    func savedCopy() async throws {
        let saved = World()
        try await saved.save(["old"], age: .hours(1))
        world.accepted = 2
        world.gate.open()
        let remote = RemoteLoader<[String]>(get, client: world.client(world.scripted()), map: JSONMapper().map)
        let resource = Resource(remote: remote, cache: saved.cache)

        world.outcome = .fails(TransportError(.cannotConnect))
        let loaded = try await resource.load()
        #expect(loaded.value == ["old"])
        #expect(
            loaded.source
                == .cache(savedAt: try #require(loaded.savedAt), because: .connectivity(TransportError(.cannotConnect)))
        )

        for outcome in [LoginWorld.Renewal.isDenied, .fails(LoadError.invalidData(.status(403)))] {
            world.outcome = outcome
            let error = await failure { () async throws(LoadError) in try await resource.load() }
            #expect(error == .invalidData(.unusable(TransportError(.unauthorized))))
            #expect(error?.trouble == .denied && error?.reason == .invalidData)
        }
        #expect(try await saved.saved()?.texts == ["old"], "hidden, not deleted")
    }

    // MARK: The outbox

    @Test("lets an item of the outbox through under the same key, and no token is in the store")
    func outbox() async throws {
        let items = OutboxWorld()
        world.accepted = 2
        let base = world.scripted()
        let outbox = Outbox(in: items.store, client: world.client(base), policy: items.policy())
        try await outbox.enqueue(HTTPRequest(.post, world.api, body: .bytes(Data("milk".utf8))))
        let draining = Task { try await outbox.drain() }
        #expect(await eventually { world.renewals == 1 })
        for entry in try await items.store.entries() {
            let stored = try #require(try await items.store.retrieve(entry.key))
            #expect(!String(decoding: stored.bytes, as: UTF8.self).contains("token"))
        }
        world.gate.open()
        #expect(try await draining.value == Outbox.Report(sent: 1))
        #expect(base.requests.map { $0.headers["Idempotency-Key"] } == ["key-1", "key-1"])
    }

    @Test("that is denied keeps the items: they wait, none is refused, and a new login sends them")
    func outboxWaits() async throws {
        let items = OutboxWorld()
        world.accepted = 2
        world.outcome = .isDenied
        world.gate.open()
        let base = world.scripted()
        let outbox = Outbox(in: items.store, client: world.client(base), policy: items.policy(width: 1))
        for text in ["milk", "bread"] {
            try await outbox.enqueue(HTTPRequest(.post, world.api, body: .bytes(Data(text.utf8))))
        }
        #expect(try await outbox.drain().failed == 1)
        #expect(try await outbox.items().count == 2)
        #expect(base.requests.count == 1, "the other item waits for its host")
        world.token = 2
        await outbox.retryAll()
        #expect(try await outbox.drain().sent == 2)
    }
}

private final class Holder: Sendable {
    let client = Locked<AuthenticatingClient?>(nil)
}
