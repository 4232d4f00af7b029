import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@Suite("Posting at once", .timeLimit(.minutes(10)))
struct OutboxPostingTests {
    private let world = OutboxWorld()

    /// The keys that were sent to the server, in their order.
    private var keys: [String?] { world.server.client.requests.map { $0.headers["Idempotency-Key"] } }

    @Test("is in the queue with its key before it is sent, and leaves it when the server has it")
    func sent() async throws {
        let outbox = world.outbox()
        world.server.rule { _, _ in .held }
        let posting = Task { try await outbox.post(world.note("one"), key: "mine", label: "One") }
        let exchange = await world.server.client.exchange(0)
        let item = try #require(try await world.outbox().items().first)
        #expect(item.key == "mine" && item.label == "One")
        #expect(item.state == .sendingElsewhere(until: world.date.now + 30))
        #expect(try await outbox.standing() == [.sending(sent: 0)])
        exchange.respond(status: 201, body: Data("done".utf8))
        guard case .sent(let answer) = try await posting.value else {
            Issue.record("not sent")
            return
        }
        #expect(answer.body == Data("done".utf8) && keys == ["mine"])
        #expect(try await outbox.items() == [])
        #expect(outbox.hasSent(item.id))
    }

    @Test(
        "without a connection leaves nothing in the queue, nor of its files",
        arguments: [TransportError.Kind.offline, .cannotResolve, .cannotConnect, .insecure])
    func noConnection(kind: TransportError.Kind) async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appending(path: "sound.bin")
            try Data(repeating: 7, count: 100).write(to: file)
            var request = world.note("one")
            request.body = HTTPBody(parts: [.file(file, offset: 0, length: 100)])
            let attachments = folder.appending(path: "attachments")
            let outbox = world.outbox(attachments: attachments)
            world.server.rule { _, _ in .failure(TransportError(kind)) }
            let delivery = try await outbox.post(request)
            #expect(delivery == .notSent("no answer (\(kind.rawValue))"))
            #expect(try await outbox.items() == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: attachments.path) == [])
            world.server.heal()
            world.pass(1_000)
            #expect(try await world.outbox().drain() == Outbox.Report())
        }
    }

    @Test(
        "without an answer that is the server's own stays in the queue, under its key, and is sent once",
        arguments: [
            ScriptedHTTPClient.Reply.failure(TransportError(.timedOut)), .failure(TransportError(.interrupted)),
            .failure(TransportError(.malformed)), .answer(status: 500), .answer(status: 302),
            .answer(headers: ["Content-Type": "text/html"], body: Data("<html>".utf8)),
        ])
    func unknown(reply: ScriptedHTTPClient.Reply) async throws {
        let outbox = world.outbox()
        world.server.rule { [world] _, request in
            world.server.take(request)  // it arrived: the answer is what was lost
            return reply
        }
        guard case .unknown(let id, _) = try await outbox.post(world.note("one")) else {
            Issue.record("not unknown")
            return
        }
        #expect(try await outbox.items().map(\.id) == [id])
        world.server.heal()
        world.pass(10)
        #expect(try await outbox.drain().sent == 1)
        #expect(keys.count == 2 && keys[0] == keys[1])
        #expect(world.server.taken == ["one"])
    }

    @Test("that broke off before a connection was made, after the body had gone out before, is not known")
    func bodyWasOut() async throws {
        let client = ScriptedHTTPClient()
        let outbox = Outbox(in: world.store, client: client, policy: world.policy())
        let posting = Task { try await outbox.post(world.note("one")) }
        let exchange = await client.exchange(0)
        exchange.takeBody()  // on a connection that had died; the second one is refused
        exchange.fail(TransportError(.cannotConnect))
        guard case .unknown = try await posting.value else {
            Issue.record("not unknown")
            return
        }
        #expect(try await outbox.items().count == 1)
    }

    @Test("what the server refuses leaves the queue, with its words")
    func refused() async throws {
        let outbox = world.outbox()
        world.server.rule { _, _ in .status(422, [:], "no title") }
        #expect(
            try await outbox.post(world.note("one")) == .refused(.server(status: 422, words: "no title")))
        #expect(try await outbox.items() == [])
    }

    @Test(
        "that is cancelled before all of it has gone out has not arrived, and leaves the queue",
        arguments: [UInt64(0), 2])
    func cancelledEarly(bytes: UInt64) async throws {
        let outbox = world.outbox()
        world.server.rule { _, _ in .held }
        let posting = Task { try await outbox.post(world.note("one")) }
        let exchange = await world.server.client.exchange(0)
        if bytes > 0 { exchange.takeBody(bytes) }
        posting.cancel()
        #expect(try await posting.value == .cancelled(nil, mayHaveArrived: false))
        #expect(try await outbox.items() == [])
    }

    @Test("that is cancelled once all of it has gone out may have arrived: it stays, paused, under its key")
    func cancelledLate() async throws {
        let outbox = world.outbox()
        world.server.rule { _, _ in .held }
        let posting = Task { try await outbox.post(world.note("one")) }
        let exchange = await world.server.client.exchange(0)
        exchange.takeBody()
        world.server.take(exchange.request)
        posting.cancel()
        guard case .cancelled(let id?, mayHaveArrived: true) = try await posting.value else {
            Issue.record("not told that it may have arrived")
            return
        }
        world.server.heal()
        world.pass(1_000)
        #expect(try await outbox.drain().sent == 0)
        #expect(try await outbox.standing() == [.paused])
        try await outbox.retry(id)
        #expect(try await outbox.drain().sent == 1)
        #expect(keys[0] == keys[1] && world.server.taken == ["one"])
    }

    @Test("is left alone by what drains the queue meanwhile, here and in other processes")
    func notTakenTwice() async throws {
        let outbox = world.outbox()
        world.server.rule { text, _ in text == "now" ? .held : nil }
        let posting = Task { try await outbox.post(world.note("now")) }
        let exchange = await world.server.client.exchange(0)
        #expect(try await world.outbox().drain().sent == 0)
        let draining = Task { try await outbox.drain() }
        try await outbox.enqueue(world.note("other"))
        await #expect(eventually { world.server.taken == ["other"] })
        exchange.respond(status: 201)
        _ = try await (posting.value, draining.value)
        #expect(world.server.asked == ["now", "other"])
    }

    @Test("goes on in another process when this one is killed")
    func killed() async throws {
        let dead = world.outbox()
        world.server.rule { _, _ in .held }
        let posting = Task { try await dead.post(world.note("one"), key: "mine") }
        _ = await world.server.client.exchange(0)
        world.server.heal()
        let heir = world.outbox()
        #expect(try await heir.drain().sent == 0)
        world.date.advance(by: 30)
        #expect(try await heir.drain().sent == 1)
        #expect(keys == ["mine", "mine"])
        posting.cancel()
        _ = try await posting.value
    }

    @Test("tells the app what the server answered before the item leaves the queue")
    func whenSent() async throws {
        let seen = Locked([String]())
        let store = world.store
        let outbox = Outbox(
            in: store, client: world.server.client, policy: world.policy(),
            whenSent: { item, answer in
                // Without its own claim on the store the item could be gone by now.
                let isKept = (try? await store.retrieve("item:0000000000000000000\(item.id)")) != nil
                seen.withLock { $0.append("\(item.label) \(String(decoding: answer.body, as: UTF8.self)) \(isKept)") }
            })
        _ = try await outbox.post(world.note("one"), label: "now")
        try await outbox.enqueue(world.note("two"), label: "later")
        try await outbox.drain()
        #expect(seen.withLock { $0 } == ["now took one true", "later took two true"])
    }
}
