import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("What is told of a post that is still in the queue, or was taken out of it by others", .timeLimit(.minutes(10)))
struct OutboxPostingEndTests {
    private let world = OutboxWorld()

    /// The keys that the server was sent, in their order.
    private var keys: [String?] { world.server.client.requests.map { $0.headers["Idempotency-Key"] } }

    @Test("a 409 says nothing of whether the server has it: it is set aside in the queue, and told as that item")
    func conflict() async throws {
        let outbox = world.outbox()
        world.server.rule { _, _ in .status(409, [:], "this key is in use") }
        let delivery = try await outbox.post(world.note("one"))
        let refusal = Outbox.Refusal.server(status: 409, words: "this key is in use")
        #expect(delivery == .setAside(Outbox.ID(number: 1), refusal))
        #expect(try await outbox.standing() == [.refused(refusal)])
        world.server.heal()
        try await outbox.retry(Outbox.ID(number: 1))
        #expect(try await outbox.drain().sent == 1)
        #expect(keys[0] == keys[1])
    }

    @Test("what was refused and could not be taken out of the queue is told as the item that it still is")
    func refusedAndKept() async throws {
        let outbox = world.outbox()
        let store = world.store
        world.server.rule { _, _ in
            store.fail(.update, with: .full(path: "/disk"))
            return .status(422, [:], "no title")
        }
        let delivery = try await outbox.post(world.note("one"))
        #expect(delivery == .setAside(Outbox.ID(number: 1), .server(status: 422, words: "no title")))
        store.heal()
        #expect(try await world.outbox().items().count == 1)
    }

    @Test(
        "is told as still to be sent when it was cancelled and that could not be written", arguments: [true, false])
    func cancelledAndKept(isWholeOut: Bool) async throws {
        let outbox = world.outbox()
        world.server.rule { _, _ in .held }
        let posting = Task { try await outbox.post(world.note("one")) }
        let exchange = await world.server.client.exchange(0)
        if isWholeOut { exchange.takeBody() }
        world.store.fail(.update, with: .full(path: "/disk"))
        posting.cancel()
        guard case .unknown(Outbox.ID(number: 1), _) = try await posting.value else {
            Issue.record("told as paused or gone")
            return
        }
        world.store.heal()
        world.server.heal()
        world.pass(30)
        #expect(try await world.outbox().drain().sent == 1)
    }

    @Test("may have arrived when it was cancelled behind the head of an answer that did not wait for its body")
    func cancelledBehindHead() async throws {
        let outbox = world.outbox()
        world.server.rule { _, _ in .held }
        let posting = Task { try await outbox.post(world.note("one")) }
        let exchange = await world.server.client.exchange(0)
        exchange.takeBody(1)
        exchange.start(status: 201)
        exchange.send(Data("{".utf8))
        await exchange.waitUntilRead()
        posting.cancel()
        #expect(try await posting.value == .cancelled(Outbox.ID(number: 1), mayHaveArrived: true))
    }

    @Test("is told as one that goes on when it was cancelled here and another process has taken over")
    func cancelledAndTakenOver() async throws {
        let (outbox, heir) = (world.outbox(), world.outbox())
        world.server.rule { _, _ in .held }
        let posting = Task { try await outbox.post(world.note("one")) }
        let exchange = await world.server.client.exchange(0)
        exchange.takeBody()
        world.date.advance(by: 30)
        let draining = Task { try await heir.drain() }
        _ = await world.server.client.exchange(1)
        posting.cancel()
        guard case .unknown(Outbox.ID(number: 1), _) = try await posting.value else {
            Issue.record("told as paused or gone")
            return
        }
        #expect(try await heir.standing() == [.sending(sent: 0)])
        draining.cancel()
        _ = try await draining.value
    }

    @Test("that someone discarded meanwhile is told as being in the queue no more")
    func cancelledAndDiscarded() async throws {
        let outbox = world.outbox()
        world.server.rule { _, _ in .held }
        let posting = Task { try await outbox.post(world.note("one")) }
        let exchange = await world.server.client.exchange(0)
        exchange.takeBody()
        #expect(try await outbox.discard(Outbox.ID(number: 1))?.mayHaveArrived == true)
        #expect(try await posting.value == .cancelled(nil, mayHaveArrived: true))
    }

    @Test("under a number that turns out to be another item's leaves that item alone: it goes on being sent, once")
    func occupiedNumber() async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        let older = try #require(try await world.store.retrieve("counter"))
        try await outbox.enqueue(world.note("two"))
        world.server.rule { text, _ in text == "two" ? .held : nil }
        let draining = Task { try await outbox.drain() }
        #expect(try await eventually { try await outbox.standing() == [.sending(sent: 0)] })

        try await world.store.insert(older, for: "counter")
        guard case .sent = try await outbox.post(world.note("now")) else {
            Issue.record("not sent")
            return
        }
        #expect(outbox.notices == [.numberOccupied(Outbox.ID(number: 2))])
        #expect(try await outbox.standing() == [.sending(sent: 0)])
        let again = Task { try await outbox.drain() }
        try await outbox.enqueue(world.note("last"))
        #expect(await eventually { world.server.taken.contains("last") })
        let client = world.server.client
        try #require(client.exchanges.first { $0.request.text == "two" }).respond(status: 201)
        #expect(try await draining.value.sent + again.value.sent == 3)
        #expect(world.server.asked.sorted() == ["last", "now", "one", "two"])
    }
}
