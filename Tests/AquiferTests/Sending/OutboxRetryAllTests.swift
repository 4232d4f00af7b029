import Aquifer
import AquiferHTTP
import AquiferTesting
import Foundation
import Testing

@Suite("What someone wants to be sent now", .timeLimit(.minutes(10)))
struct OutboxRetryAllTests {
    private let world = OutboxWorld()

    @Test(
        "is tried at once, whatever it waits for by the outbox's own reckoning",
        arguments: [
            ScriptedHTTPClient.Reply.status(500), .status(503, ["Retry-After": "0"]), .status(429), .status(302),
            .silence, .failure(TransportError(.cannotConnect)),
        ])
    func outranksOurWaits(reply: ScriptedHTTPClient.Reply) async throws {
        try await world.outbox().enqueue(world.note("one"))
        world.server.rule { _, _ in reply }
        // Each time another process, as the command line is.
        for count in 1...4 {
            let outbox = world.outbox()
            await outbox.retryAll()
            #expect(try await outbox.drain().failed == 1)
            #expect(world.server.asked.count == count)
        }
        world.server.heal()
        let outbox = world.outbox()
        await outbox.retryAll()
        #expect(try await outbox.drain().sent == 1)
    }

    @Test("is tried at once, though another process queued and tried it since this one looked")
    func ofAnotherProcess() async throws {
        let outbox = world.outbox()
        try await outbox.drain()
        let other = world.outbox()
        try await other.enqueue(world.note("one"))
        world.server.rule { _, _ in .status(500) }
        #expect(try await other.drain().failed == 1)
        world.server.heal()
        await outbox.retryAll()
        #expect(try await outbox.drain().sent == 1)
    }

    @Test("is tried at once, though a list that began to read the queue before has not ended")
    func whileAnotherLookIsUnderWay() async throws {
        try await world.outbox().enqueue(world.note("one"))
        world.server.rule { _, _ in .status(500) }
        #expect(try await world.outbox().drain().failed == 1)
        world.server.heal()
        let store = SlowListStore(base: world.store)
        let outbox = Outbox(in: store, client: world.server.client, policy: world.policy())
        await outbox.retryAll()
        let listing = Task { try await outbox.items() }
        await #expect(eventually { store.arrived.withLock { $0 } })
        #expect(try await outbox.drain().sent == 1)
        store.gate.open()
        _ = try await listing.value
    }

    @Test("waits for what the server asked for, here and in other processes, and no longer")
    func retryAfterHolds() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .status(503, ["Retry-After": "60"]) }
        try await outbox.drain()
        world.server.heal()
        for process in [outbox, world.outbox()] {
            _ = try await process.items()
            await process.retryAll()
            await process.connectionRestored()
            try await process.retry(item.id)
            #expect(try await process.drain() == Outbox.Report(nextTry: .seconds(60)))
            #expect(
                try await process.standing() == [.retrying(after: .status(503), at: world.date.now + 60)])
        }
        world.date.advance(by: 60)
        #expect(try await outbox.drain().sent == 1)
        #expect(world.server.asked.count == 2)
    }

    @Test(
        "waits no longer by a date that only our own clock could measure, which may be hours behind",
        arguments: [429, 503])
    func waitOfAWrongClock(status: Int) async throws {
        let outbox = world.outbox(width: 1)
        for text in ["one", "two"] { try await outbox.enqueue(world.note(text)) }
        // Five seconds after the answer, for a server whose clock is right.
        let (due, sent) = (HTTPDate.format(world.date.now + 7205), HTTPDate.format(world.date.now + 7200))
        world.server.rule { _, _ in .status(status, ["Retry-After": due]) }
        #expect(try await outbox.drain() == Outbox.Report(failed: 1, nextTry: .hours(2)))
        world.server.heal()
        await outbox.retryAll()
        #expect(try await outbox.drain().sent == 2)
        world.server.rule { _, _ in .status(status, ["Retry-After": due, "Date": sent]) }
        try await outbox.enqueue(world.note("three"))
        #expect(try await outbox.drain().failed == 1)
        await outbox.retryAll()
        #expect(try await outbox.drain() == Outbox.Report(nextTry: .seconds(5)))
    }

    @Test("is let go when the server's wait is over, though our own is longer")
    func ownWaitIsLonger() async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .status(503, ["Retry-After": "4"]) }
        #expect(try await outbox.drain().nextTry == .seconds(10))
        world.server.heal()
        world.date.advance(by: 4)
        await outbox.retryAll()
        #expect(try await outbox.drain().sent == 1)
    }

    @Test("holds back no other item of the host once someone wants it sent")
    func hostIsOpened() async throws {
        let outbox = world.outbox(width: 1)
        for text in ["one", "two"] { try await outbox.enqueue(world.note(text)) }
        world.server.rule { _, _ in .status(503, ["Retry-After": "0"]) }
        #expect(try await outbox.drain().failed == 1)
        world.server.heal()
        await outbox.retryAll()
        #expect(try await outbox.drain().sent == 2)
    }

    @Test("goes to no host before the wait is over that the host asked for, whoever wants it sent")
    func hostIsLeftAlone() async throws {
        let outbox = world.outbox(width: 1)
        for text in ["busy", "other"] { try await outbox.enqueue(world.note(text)) }
        world.server.rule { text, _ in text == "busy" ? .status(503, ["Retry-After": "60"]) : nil }
        #expect(try await outbox.drain().failed == 1)
        world.server.heal()
        await outbox.connectionRestored()
        #expect(try await outbox.drain() == Outbox.Report(nextTry: .seconds(60)))
        await outbox.retryAll()
        #expect(try await outbox.drain() == Outbox.Report(nextTry: .seconds(60)))
        world.pass(60)
        #expect(try await outbox.drain().sent == 2)
    }

    @Test(
        "waits for the longer of two waits that a host asked for, in whatever order the answers come",
        arguments: [["60", "5"], ["5", "60"], ["60", "0"]])
    func longestAsk(waits: [String]) async throws {
        let outbox = world.outbox(width: 2)
        for text in ["first", "second", "other"] { try await outbox.enqueue(world.note(text)) }
        world.server.rule { _, _ in .held }
        let draining = Task { try await outbox.drain() }
        let exchanges = [await world.server.client.exchange(0), await world.server.client.exchange(1)]
        for (exchange, wait) in zip(exchanges, waits) {
            let before = try await outbox.items().reduce(0) { $0 + $1.attempts }
            exchange.respond(status: 503, headers: ["Retry-After": wait])
            #expect(try await eventually { try await outbox.items().reduce(0) { $0 + $1.attempts } == before + 1 })
        }
        #expect(try await draining.value.failed == 2)
        world.server.heal()
        world.pass(20)
        await outbox.retryAll()
        #expect(try await outbox.drain() == Outbox.Report(nextTry: .seconds(40)))
        world.pass(40)
        #expect(try await outbox.drain().sent == 3)
    }

    @Test("waits for what a host asked for though another answer of it came after", arguments: [201, 400])
    func askOutlastsAnswers(status: Int) async throws {
        let outbox = world.outbox(width: 2)
        for text in ["busy", "slow", "other"] { try await outbox.enqueue(world.note(text)) }
        world.server.rule { _, _ in .held }
        let draining = Task { try await outbox.drain() }
        _ = await (world.server.client.exchange(0), world.server.client.exchange(1))
        let client = world.server.client
        let busy = try #require(client.exchanges.first { $0.request.text == "busy" })
        let slow = try #require(client.exchanges.first { $0.request.text == "slow" })
        busy.respond(status: 429, headers: ["Retry-After": "60"])
        #expect(try await eventually { try await outbox.items().contains { $0.attempts == 1 } })
        slow.respond(status: status)
        _ = try await draining.value
        #expect(world.server.asked.sorted() == ["busy", "slow"])
    }

    // MARK: To the end

    @Test("is sent to the end: waits are waited out, until everything was sent or refused")
    func toTheEnd() async throws {
        let outbox = world.outbox()
        for text in ["slow", "bad", "good"] { try await outbox.enqueue(world.note(text)) }
        world.server.rule { text, _ in
            switch text {
            case "slow": .status(503, ["Retry-After": "0"])
            case "bad": .status(400)
            default: nil
            }
        }
        let sending = Task { try await outbox.drainToEnd() }
        await #expect(
            eventually {
                world.pass(100)
                return world.server.asked.count { $0 == "slow" } >= 3
            })
        world.server.rule { text, _ in text == "bad" ? .status(400) : nil }
        await #expect(
            eventually {
                world.pass(100)
                return world.server.taken.contains("slow")
            })
        let report = try await sending.value
        #expect(report.sent == 2 && report.refused == 1 && report.failed >= 3)
        #expect(world.server.taken == ["good", "slow"])
    }

    @Test("ends where time alone brings nothing forward: behind what was refused or is paused")
    func endsBehindARefusal() async throws {
        let outbox = world.outbox()
        for text in ["bad", "behind"] { try await outbox.enqueue(world.note(text), group: "g") }
        let item = try await outbox.enqueue(world.note("paused"))
        try await outbox.pause(item.id)
        world.server.rule { _, _ in .status(400) }
        #expect(try await outbox.drainToEnd() == Outbox.Report(refused: 1))
    }

    @Test("stops waiting when it is cancelled, and says that the store fails")
    func endsEarly() async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .status(500) }
        let sending = Task { try await outbox.drainToEnd() }
        // While the request is on its way, its claim sleeps, too.
        #expect(try await eventually { try await outbox.items().first?.attempts == 1 })
        await world.clock.waitForSleepers()
        sending.cancel()
        #expect(try await sending.value.failed == 1)
        world.store.fail(.contents, with: .busy(path: "/store"))
        await #expect(throws: StoreError.busy(path: "/store")) { try await outbox.drainToEnd() }
    }
}
