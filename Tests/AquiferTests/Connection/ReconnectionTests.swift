import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@MainActor
@Suite("A connection that comes back", .timeLimit(.minutes(10)))
struct ReconnectionTests {
    private let monitor = ManualConnectionMonitor(.notConnected)
    private let clock = ManualClock()

    /// A model that has appeared, without a connection, and follows the monitor.
    private func model(_ world: World) async -> ResourceModel<[String]> {
        let model = ResourceModel(world.resource())
        await model.appear()
        model.follow(monitor, clock: clock)
        #expect(await eventually { monitor.readers == 1 })
        return model
    }

    private func sleeps(_ seconds: Double) async -> Bool {
        await eventually { clock.sleepers == [.seconds(seconds)] }
    }

    // MARK: The moment

    @Test(
        "is one that was away: the first state, another network and an unknown state are none",
        arguments: [
            ([.connected], 0), ([.unknown, .connected], 0), ([.connected, .unknown, .connected], 0),
            ([.notConnected], 0), ([.notConnected, .unknown], 0), ([.notConnected, .connected], 1),
            ([.notConnected, .unknown, .connected, .unknown, .connected], 1),
            ([.notConnected, .connected, .notConnected, .connected, .notConnected], 2),
        ] as [([ConnectionState], UInt64)])
    func returns(states: [ConnectionState], count: UInt64) {
        var seen = Reconnections.Seen()
        for state in states { seen.note(state) }
        #expect(seen.returns == count)
    }

    @Test("counts when it has stayed: a link that comes and goes loads nothing")
    func settles() async {
        let world = World(.refused, .texts(["a"]), .texts(["b"]))
        let model = await model(world)
        for _ in 0..<5 {
            monitor.state = .connected
            #expect(await sleeps(1))
            clock.advance(by: .milliseconds(900))
            monitor.state = .notConnected
            #expect(await eventually { clock.sleepers.isEmpty })
        }
        #expect(world.client.requests.count == 1)
        monitor.state = .connected
        #expect(await sleeps(1))
        clock.advance(by: .seconds(1))
        #expect(await eventually { model.value == ["a"] })
        #expect(world.client.requests.count == 2)
    }

    @Test("counts once in ten seconds at most")
    func apart() async {
        let world = World(.refused, .texts(["a"]), .texts(["b"]))
        let model = await model(world)
        monitor.state = .connected
        #expect(await sleeps(1))
        clock.advance(by: .seconds(1))
        #expect(await sleeps(10))
        #expect(model.value == ["a"])
        monitor.state = .notConnected
        monitor.state = .connected
        clock.advance(by: .seconds(10))
        #expect(await sleeps(1))
        #expect(world.client.requests.count == 2)
        clock.advance(by: .seconds(1))
        #expect(await eventually { model.value == ["b"] })
    }

    // MARK: The outbox

    @Test("sends what the outbox holds, and a wait that a server asked for continues")
    func outbox() async throws {
        let world = OutboxWorld()
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("silent"))
        try await outbox.enqueue(world.elsewhere("busy"))
        world.server.rule { text, _ in
            text == "busy" ? .status(503, ["Retry-After": "60"]) : .failure(TransportError(.offline))
        }
        try await outbox.drain()
        world.server.heal()
        outbox.follow(monitor)
        #expect(await eventually { monitor.readers == 1 })
        #expect(try await outbox.drain().sent == 0)

        monitor.state = .connected
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(1))
        #expect(try await eventually { try await outbox.drain().sent == 1 })
        #expect(world.server.taken == ["silent"])
    }

    // MARK: The screen

    @Test("loads nothing for a screen that has not appeared")
    func notAppeared() async {
        let world = World(.texts(["a"]))
        let model = ResourceModel(world.resource())
        await model.connectionRestored()
        #expect(world.client.requests.isEmpty && model.phase == .idle)
    }

    @Test("repeats a load under way that then fails, and no other one", arguments: [true, false])
    func loadUnderWay(fails: Bool) async {
        let world = World(client: ScriptedHTTPClient())
        let model = ResourceModel(world.resource())
        let loading = Task { await model.appear() }
        let first = await world.client.exchange(0)
        let restoring = Task { await model.connectionRestored() }
        #expect(await eventually { model.turn.waiters == 1 })
        if fails {
            first.fail(TransportError(.timedOut))
            await world.client.exchange(1).respond(body: Data(#"["new"]"#.utf8))
        } else {
            first.respond(body: Data(#"["new"]"#.utf8))
        }
        await loading.value
        await restoring.value
        #expect(model.value == ["new"] && model.error == nil && !model.isLoading)
        #expect(world.client.requests.count == (fails ? 2 : 1))
    }

    @Test("asks no server for a copy that is young enough")
    func askAfter() async throws {
        let world = World(.texts(["a"]))
        let cache = Cache<[String]>(
            key: "texts", in: world.store, policy: CachePolicy(askAfter: .minutes(1)), now: world.date.read)
        let model = ResourceModel(Resource(remote: world.remote(), cache: cache))
        await model.appear()
        await model.connectionRestored()
        #expect(world.client.requests.count == 1 && model.value == ["a"])
    }

    // MARK: Ends

    @Test("is followed until its owner is gone, or follows another monitor")
    func ends() async {
        let other = ManualConnectionMonitor()
        var model: ResourceModel? = ResourceModel(World().resource())
        var outbox: Outbox? = OutboxWorld().outbox()
        model?.follow(monitor)
        outbox?.follow(monitor)
        #expect(await eventually { monitor.readers == 2 })
        model?.follow(other)
        outbox?.follow(other)
        #expect(await eventually { monitor.readers == 0 && other.readers == 2 })
        (model, outbox) = (nil, nil)
        #expect(await eventually { other.readers == 0 })
    }
}
