import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("Trying again", .timeLimit(.minutes(10)))
struct OutboxRetryTests {
    private let world = OutboxWorld()

    @Test(
        "408, 425, 429 and 5xx are tried again, however often it takes",
        arguments: [408, 425, 429, 500, 502, 503, 504, 599])
    func statusesThatPass(status: Int) async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .status(status) }
        for attempt in 1...50 {
            #expect(try await outbox.drain().failed == 1)
            let item = try #require(try await outbox.items().first)
            #expect(item.attempts == attempt)
            world.pass(100)
        }
        world.server.heal()
        #expect(try await outbox.drain().sent == 1)
    }

    @Test(
        "no answer is tried again",
        arguments: [
            TransportError.Kind.offline, .cannotResolve, .cannotConnect, .timedOut, .interrupted, .insecure, .malformed,
            .tooManyRedirects,
        ])
    func noAnswer(kind: TransportError.Kind) async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .failure(TransportError(kind)) }
        #expect(try await outbox.drain() == Outbox.Report(failed: 1, nextTry: .seconds(10)))
        #expect(
            try await outbox.standing() == [.retrying(after: .noAnswer(kind.rawValue), at: world.date.now + 10)])
        world.server.heal()
        world.pass(10)
        #expect(try await outbox.drain().sent == 1)
    }

    @Test("a server that answers 500 for an hour loses no item")
    func hourOf500() async throws {
        let outbox = world.outbox(random: 0.5)
        let texts = (0..<20).map { "\($0)" }
        for text in texts { try await outbox.enqueue(world.note(text), group: "g") }
        world.server.rule { _, _ in .status(500) }
        let running = Task { await outbox.run() }
        for _ in 0..<120 {
            await world.clock.waitForSleepers()
            world.pass(30)
        }
        #expect(world.server.taken == [])
        world.server.heal()
        #expect(
            await eventually {
                await world.clock.waitForSleepers()
                world.pass(100)
                return world.server.taken.count == texts.count
            })
        running.cancel()
        await running.value
        #expect(world.server.taken == texts)
    }

    @Test("the longest wait doubles up to its bound, and half of it is chance")
    func backoff() async throws {
        for (random, waits) in [(1.0, [10.0, 20, 40, 80, 100, 100]), (0, [5, 10, 20, 40, 50, 50])] {
            let outbox = world.outbox(random: random)
            let item = try await outbox.enqueue(world.note("one"))
            world.server.rule { _, _ in .status(500) }
            for wait in waits {
                #expect(try await outbox.drain().nextTry == .seconds(wait))
                world.pass(wait - 0.01)
                #expect(try await outbox.drain().failed == 0)
                world.pass(0.01)
            }
            try await outbox.discard(item.id)
        }
    }

    @Test("a Retry-After in seconds or as a date is the least that is waited, up to the policy's patience")
    func retryAfter() async throws {
        world.date.now = Date(timeIntervalSince1970: 784_111_767)  // ten seconds before the date below
        for (field, wait) in [("60", 60.0), ("1", 10), ("Sun, 06 Nov 1994 08:50:37 GMT", 70), ("99999999", 7200)] {
            world.date.now = Date(timeIntervalSince1970: 784_111_767)
            let outbox = world.outbox()
            let item = try await outbox.enqueue(world.note("one"))
            world.server.rule { _, _ in .status(503, ["Retry-After": field]) }
            #expect(try await outbox.drain().nextTry == .seconds(wait))
            try await outbox.discard(item.id)
        }
    }

    @Test("a host that asks to be left alone is, by all items")
    func retryAfterHoldsTheHost() async throws {
        let outbox = world.outbox(width: 1)
        for text in ["one", "two"] { try await outbox.enqueue(world.note(text)) }
        try await outbox.enqueue(world.elsewhere("elsewhere"))
        world.server.rule { text, _ in text == "one" ? .status(429, ["Retry-After": "60"]) : nil }
        #expect(try await outbox.drain() == Outbox.Report(sent: 1, failed: 1, nextTry: .seconds(60)))
        #expect(world.server.asked == ["one", "elsewhere"])
    }

    @Test("an answer brings forward what waited for its host to answer, once")
    func answerBringsForward() async throws {
        let outbox = world.outbox(width: 1)
        try await outbox.enqueue(world.note("one"))
        world.server.rule { text, _ in text == "one" ? .silence : nil }
        try await outbox.drain()
        for text in ["two", "three"] { try await outbox.enqueue(world.note(text)) }
        try await outbox.drain()
        #expect(
            world.server.asked == ["one", "two", "three", "one"]
                || world.server.asked == ["one", "two", "one", "three"])
    }

    @Test("a restored connection brings forward what had no answer, and not what the server asked to wait for")
    func connectionRestored() async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("silent"))
        try await outbox.enqueue(world.elsewhere("busy"))
        world.server.rule { text, _ in
            text == "busy" ? .status(503, ["Retry-After": "60"]) : .failure(TransportError(.offline))
        }
        try await outbox.drain()
        world.server.heal()
        #expect(try await outbox.drain().sent == 0)
        await outbox.connectionRestored()
        #expect(try await outbox.drain().sent == 1)
        #expect(world.server.taken == ["silent"])
    }

    @Test("run sends what is queued, waits its waits out, and is woken by a restored connection")
    func run() async throws {
        let outbox = world.outbox()
        let running = Task { await outbox.run() }
        try await outbox.enqueue(world.note("one"))
        #expect(await eventually { world.server.taken == ["one"] })
        // An answer brings forward the items that wait for its host. It has to be dealt with before the next one fails.
        #expect(try await eventually { try await outbox.items().isEmpty })

        world.server.rule { _, _ in .silence }
        try await outbox.enqueue(world.note("two"))
        #expect(await eventually { world.server.asked.count == 2 })
        world.server.heal()
        #expect(
            await eventually {
                (try? await outbox.standing())?.first.map { if case .retrying = $0 { true } else { false } } == true
            })
        await outbox.connectionRestored()
        #expect(await eventually { world.server.taken == ["one", "two"] })
        #expect(try await eventually { try await outbox.items().isEmpty })

        world.server.rule { _, _ in .silence }
        try await outbox.enqueue(world.note("three"))
        #expect(await eventually { world.server.asked.count == 4 })
        world.server.heal()
        #expect(
            await eventually {
                world.pass(1)
                return world.server.taken.count == 3
            })
        running.cancel()
        await running.value
    }

    @Test("run finds what another process has queued, though the store does not tell")
    func runPolls() async throws {
        let outbox = Outbox(
            in: SilentStore(base: world.store), client: world.server.client, policy: world.policy())
        let running = Task { await outbox.run() }
        await world.clock.waitForSleepers()
        try await world.outbox().enqueue(world.note("theirs"))
        #expect(world.server.asked == [])
        world.pass(30)
        #expect(await eventually { world.server.taken == ["theirs"] })
        running.cancel()
        await running.value
    }

    @Test("run goes on when the store works again")
    func runSurvivesTheStore() async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        world.store.fail(.contents, with: .busy(path: "/store"))
        let running = Task { await outbox.run() }
        await world.clock.waitForSleepers()
        world.store.heal()
        world.pass(10)
        #expect(await eventually { world.server.taken == ["one"] })
        running.cancel()
        await running.value
    }

    @Test("clocks that jump make nothing wait for longer than twice its wait", arguments: [-86_400.0, -5, 5, 86_400])
    func clockJumps(jump: Double) async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .status(500) }
        try await outbox.drain()
        world.server.heal()
        world.date.advance(by: jump)
        let wait = try await outbox.drain().nextTry ?? .zero
        #expect(wait <= .seconds(10))
        world.date.advance(by: wait.timeInterval)
        if world.server.taken.isEmpty, let more = try await outbox.drain().nextTry {
            #expect(wait + more <= .seconds(20))
            world.date.advance(by: more.timeInterval)
            try await outbox.drain()
        }
        #expect(world.server.taken == ["one"])
    }
}
