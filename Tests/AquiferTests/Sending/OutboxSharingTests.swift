import Aquifer
import AquiferTesting
import Foundation
import Testing

/// Two outboxes over one store are as two processes.
@Suite("Two outboxes over one store", .timeLimit(.minutes(10)))
struct OutboxSharingTests {
    private let world = OutboxWorld()

    @Test("send each item once, in order")
    func together() async throws {
        let (one, two) = (world.outbox(), world.outbox())
        for number in 0..<200 {
            try await (number % 2 == 0 ? one : two).enqueue(world.note("\(number)"), group: "\(number % 7)")
        }
        async let first = one.drain()
        async let second = two.drain()
        let sent = try await (first.sent, second.sent)
        // An outbox that finds a group in the other's hands leaves it there, and looks again later.
        let rest = try await one.drain().sent
        #expect(sent.0 + sent.1 + rest == 200)
        #expect(world.server.asked.count == 200)
        for group in 0..<7 {
            let ours = world.server.taken.compactMap { Int($0) }.filter { $0 % 7 == group }
            #expect(ours == Array(stride(from: group, to: 200, by: 7)))
        }
    }

    @Test("keep the order of what one queued after the other")
    func orderAcross() async throws {
        let (one, two) = (world.outbox(), world.outbox())
        world.server.rule { text, _ in text == "held" ? .held : nil }
        try await one.enqueue(world.note("held"))
        let draining = Task { try await one.drain() }
        let held = await world.server.client.exchange(0)
        for number in 0..<20 {
            try await two.enqueue(world.note("\(number)a"), group: "g")
            try await one.enqueue(world.note("\(number)b"), group: "g")
        }
        #expect(await eventually { world.server.taken.count == 40 })
        held.respond(status: 201)
        _ = try await draining.value
        #expect(world.server.taken == (0..<20).flatMap { ["\($0)a", "\($0)b"] })
    }

    @Test("keep the order also when one looked while the other was just queueing")
    func orderAcrossWhileQueueing() async throws {
        let one = world.outbox()
        world.server.rule { text, _ in text == "held" ? .held : nil }
        try await one.enqueue(world.note("held"))
        let draining = Task { try await one.drain() }
        let held = await world.server.client.exchange(0)

        let slow = SlowStore(base: world.store)
        let two = Outbox(in: slow, client: world.server.client, policy: world.policy())
        let queueing = Task { try await two.enqueue(world.note("first"), group: "g") }
        #expect(await eventually { slow.arrived.withLock { $0 } })
        // This makes the sending outbox look: it sees that there is a number without an item.
        try await one.enqueue(world.note("look"))
        #expect(await eventually { world.server.taken == ["look"] })
        slow.gate.open()
        _ = try await queueing.value
        try await one.enqueue(world.note("second"), group: "g")
        #expect(await eventually { world.server.taken.contains("second") })
        held.respond(status: 201)
        _ = try await draining.value
        #expect(world.server.taken == ["look", "first", "second"])
    }

    @Test("leave an item to whoever is sending it")
    func leaveItToTheOther() async throws {
        let (one, two) = (world.outbox(), world.outbox())
        try await one.enqueue(world.note("one"), group: "g")
        try await one.enqueue(world.note("behind"), group: "g")
        world.server.rule { text, _ in text == "one" ? .held : nil }
        let draining = Task { try await one.drain() }
        let exchange = await world.server.client.exchange(0)
        #expect(try await two.drain() == Outbox.Report(nextTry: .seconds(30)))
        #expect(try await two.standing() == [.sendingElsewhere(until: world.date.now + 30), .waiting])
        exchange.respond(status: 201)
        #expect(try await draining.value.sent == 2)
        #expect(try await two.items() == [])
    }

    @Test(
        "tell of an item that the other discarded while it was being sent",
        arguments: [
            (.success(201), Outbox.Report(sent: 1)), (.success(500), Outbox.Report(gone: 1)),
            (.failure(TransportError(.timedOut)), Outbox.Report(gone: 1)),
            (.success(409), Outbox.Report(gone: 1)), (.failure(TransportError(.cannotConnect)), Outbox.Report()),
        ] as [(Result<Int, TransportError>, Outbox.Report)])
    func discardedByTheOther(answer: Result<Int, TransportError>, report: Outbox.Report) async throws {
        let (one, two) = (world.outbox(), world.outbox())
        let item = try await one.enqueue(world.note("one"))
        world.server.rule { _, _ in .held }
        let draining = Task { try await one.drain() }
        let exchange = await world.server.client.exchange(0)
        #expect(try await two.discard(item.id)?.mayHaveArrived == true)
        switch answer {
        case .success(let status): exchange.respond(status: status)
        case .failure(let error): exchange.fail(error)
        }
        #expect(try await draining.value == report)
        #expect(try await one.items() == [])
    }

    @Test("tell that there is nothing to discard when the other has sent it")
    func discardedTooLate() async throws {
        let (one, two) = (world.outbox(), world.outbox())
        let item = try await one.enqueue(world.note("one"))
        #expect(try await one.items().count == 1)
        #expect(try await two.drain().sent == 1)
        #expect(try await one.discard(item.id) == nil)
        #expect(try await one.items().isEmpty)
    }

    @Test("tell of an item that the other has taken over and sent as of one that is gone")
    func sentByTheOther() async throws {
        let (one, two) = (world.outbox(), world.outbox())
        try await one.enqueue(world.note("one"))
        world.server.rule { _, _ in .held }
        let draining = Task { try await one.drain() }
        let exchange = await world.server.client.exchange(0)
        world.server.heal()
        // It stood still: its claim has run out.
        world.date.advance(by: 30)
        #expect(try await two.drain() == Outbox.Report(sent: 1))
        exchange.respond(status: 500)
        #expect(try await draining.value == Outbox.Report(gone: 1))
    }

    @Test("take over from one that was killed, once its claim has run out")
    func takeOver() async throws {
        let (dead, heir) = (world.outbox(), world.outbox())
        try await dead.enqueue(world.note("one"))
        world.server.rule { _, _ in .held }
        let draining = Task { try await dead.drain() }
        _ = await world.server.client.exchange(0)
        world.server.heal()
        // It is killed: as far as the store can tell, it neither renews its claim nor gives it back.
        world.date.advance(by: 29)
        #expect(try await heir.drain().sent == 0)
        world.date.advance(by: 1)
        #expect(try await heir.drain().sent == 1)
        draining.cancel()
        _ = try await draining.value
        #expect(world.server.taken == ["one"])
    }

    @Test("wait for no claim of a clock that was set back", arguments: [-86_400.0, 86_400])
    func claimAndClock(jump: Double) async throws {
        let (dead, heir) = (world.outbox(), world.outbox())
        try await dead.enqueue(world.note("one"))
        world.server.rule { _, _ in .held }
        let draining = Task { try await dead.drain() }
        _ = await world.server.client.exchange(0)
        world.server.heal()
        world.date.advance(by: jump)
        #expect(try await heir.drain().sent == 1)
        draining.cancel()
        _ = try await draining.value
    }

    @Test("keep what takes long to whoever goes on sending it")
    func renewal() async throws {
        let (one, two) = (world.outbox(), world.outbox())
        try await one.enqueue(world.note("one"))
        world.server.rule { _, _ in .held }
        let draining = Task { try await one.drain() }
        let exchange = await world.server.client.exchange(0)
        for _ in 0..<20 {
            await world.clock.waitForSleepers()
            world.store.forgetCalls()
            world.pass(10)
            #expect(await eventually { world.store.calls.contains { if case .update = $0 { true } else { false } } })
            #expect(try await two.drain().sent == 0)
        }
        exchange.respond(status: 201)
        #expect(try await draining.value.sent == 1)
    }

    @Test("do no harm when both send one item: the server has it once, and the queue is empty")
    func bothSend() async throws {
        let (slow, quick) = (world.outbox(), world.outbox())
        try await slow.enqueue(world.note("one"))
        try await slow.enqueue(world.note("two"))
        world.server.rule { text, _ in text == "one" ? .held : nil }
        let draining = Task { try await slow.drain() }
        let client = world.server.client
        #expect(await eventually { client.requests.contains { $0.text == "one" } })
        let exchange = try #require(client.exchanges.first { $0.request.text == "one" })
        world.date.advance(by: 30)
        world.server.heal()
        try await quick.drain()
        world.server.take(exchange.request)
        exchange.respond(status: 201)
        _ = try await draining.value
        #expect(world.server.taken.sorted() == ["one", "two"])
        #expect(try await slow.items() == [])
    }

    @Test("see what the other was told: paused, retried, discarded")
    func decisionsOfTheOther() async throws {
        let (one, two) = (world.outbox(), world.outbox())
        world.server.rule { _, _ in .status(400) }
        let item = try await one.enqueue(world.note("one"))
        try await one.drain()
        try await two.retry(item.id)
        try await two.pause(item.id)
        world.server.heal()
        #expect(try await one.drain().sent == 0)
        #expect(try await one.standing() == [.paused])
        try await two.resume(item.id)
        #expect(try await one.drain().sent == 1)

        let next = try await one.enqueue(world.note("next"))
        try await two.discard(next.id)
        #expect(try await one.drain().sent == 0)
        #expect(try await one.items() == [])
    }

    @Test("stop sending what the other has paused or discarded", arguments: [true, false])
    func stoppedByTheOther(pauses: Bool) async throws {
        let (one, two) = (world.outbox(), world.outbox())
        let item = try await one.enqueue(world.note("one"))
        world.server.rule { _, _ in .held }
        let draining = Task { try await one.drain() }
        let exchange = await world.server.client.exchange(0)
        if pauses { try await two.pause(item.id) } else { try await two.discard(item.id) }
        await world.clock.waitForSleepers()
        world.pass(10)
        await exchange.waitForCancellation()
        #expect(try await draining.value.sent == 0)
        #expect(try await one.standing() == (pauses ? [.paused] : []))
    }

    @Test("never give two items one number, whoever queues")
    func numbers() async throws {
        let outboxes = (0..<4).map { _ in world.outbox() }
        let numbers = try await withThrowingTaskGroup(of: Outbox.ID.self) { group in
            for number in 0..<200 {
                group.addTask { [world] in
                    try await outboxes[number % 4].enqueue(world.note("\(number)")).id
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(numbers.count == 200)
        #expect(try await outboxes[0].drain().sent == 200)
    }
}
