import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("An item in the outbox", .timeLimit(.minutes(1)))
struct OutboxManagingTests {
    private let world = OutboxWorld()

    @Test("is not sent while it is paused, holds back its group, and is sent when resumed")
    func pauseAndResume() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"), group: "g")
        try await outbox.enqueue(world.note("two"), group: "g")
        try await outbox.pause(item.id)
        #expect(try await outbox.drain() == Outbox.Report())
        #expect(try await world.outbox().standing() == [.paused, .waiting])
        try await outbox.resume(item.id)
        try await outbox.drain()
        #expect(world.server.taken == ["one", "two"])
    }

    @Test("that is paused while it is sent ends its transfer, and begins anew with the same key")
    func pauseWhileSending() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .held }
        let draining = Task { try await outbox.drain() }
        let exchange = await world.server.client.exchange(0)
        try await outbox.pause(item.id)
        await exchange.waitForCancellation()
        #expect(try await draining.value == Outbox.Report())
        #expect(try await outbox.standing() == [.paused])
        world.server.heal()
        try await outbox.resume(item.id)
        #expect(try await outbox.drain().sent == 1)
        #expect(world.server.client.requests.map { $0.headers["Idempotency-Key"] } == ["key-1", "key-1"])
    }

    @Test("that is discarded while it is sent ends its transfer, is gone, and lets its group go on")
    func discardWhileSending() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"), group: "g")
        try await outbox.enqueue(world.note("two"), group: "g")
        world.server.rule { text, _ in text == "one" ? .held : nil }
        let draining = Task { try await outbox.drain() }
        let exchange = await world.server.client.exchange(0)
        try await outbox.discard(item.id)
        await exchange.waitForCancellation()
        #expect(try await draining.value.sent == 1)
        #expect(world.server.taken == ["two"])
        #expect(try await outbox.items() == [])
    }

    @Test("that waits is tried at once when told to")
    func retryWaiting() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .failure(TransportError(.cannotConnect)) }
        try await outbox.drain()
        world.server.heal()
        try await outbox.retry(item.id)
        #expect(try await outbox.drain().sent == 1)
    }

    @Test("tells how many bytes of it have gone out")
    func progress() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("0123456789"))
        world.server.rule { _, _ in .held }
        var states = outbox.states(of: item.id).makeAsyncIterator()
        #expect(await states.next() == .waiting)
        let draining = Task { try await outbox.drain() }
        #expect(await states.next() == .sending(sent: 0))
        let exchange = await world.server.client.exchange(0)
        exchange.takeBody(3)
        #expect(await states.next() == .sending(sent: 3))
        exchange.takeBody()
        #expect(await states.next() == .sending(sent: 10))
        exchange.respond(status: 201, body: Data("done".utf8))
        let answer = Outbox.Answer(
            head: HTTPResponseHead(status: 201, url: world.url), body: Data("done".utf8))
        #expect(await states.next() == .sent(answer))
        #expect(await states.next() == nil)
        _ = try await draining.value
    }

    @Test("tells of its failures and of its end")
    func statesOfOne() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .status(500) }
        var states = outbox.states(of: item.id).makeAsyncIterator()
        #expect(await states.next() == .waiting)
        try await outbox.drain()
        #expect(await states.next() == .retrying(after: .status(500), at: world.date.now + 10))
        try await outbox.discard(item.id)
        #expect(await states.next() == .gone)
        #expect(await states.next() == nil)
        var late = outbox.states(of: item.id).makeAsyncIterator()
        #expect(await late.next() == .gone)
        #expect(await late.next() == nil)
    }

    @Test("is in the list that is told after each change")
    func states() async throws {
        let outbox = world.outbox()
        var states = outbox.states().makeAsyncIterator()
        #expect(await states.next() == [])
        try await outbox.enqueue(world.note("one"))
        try await outbox.enqueue(world.note("two"))
        world.server.rule { text, _ in text == "one" ? .status(400) : .status(500) }
        try await outbox.drain()
        let refused = Outbox.State.refused(.server(status: 400, words: ""))
        let waiting = Outbox.State.retrying(after: .status(500), at: world.date.now + 10)
        #expect(await states.next()?.map(\.state) == [refused, waiting])
        try await outbox.discard(Outbox.ID(number: 1))
        #expect(await states.next()?.map(\.state) == [waiting])
    }

    @Test("whose watcher leaves is watched no longer")
    func watcherLeaves() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        let watching = Task {
            var count = 0
            for await _ in outbox.states(of: item.id) { count += 1 }
            for await _ in outbox.states() { count += 1 }
            return count
        }
        watching.cancel()
        #expect(await watching.value <= 2)
    }

    @Test("has a number that can be written and read")
    func identity() {
        let id = Outbox.ID(number: 12)
        #expect("\(id)" == "12" && Outbox.ID("12") == id && Outbox.ID("x") == nil && id < Outbox.ID(number: 13))
    }
}
