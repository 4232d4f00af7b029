import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("The end of a sender that is told in time", .timeLimit(.minutes(10)))
struct OutboxFinishTests {
    private let world = OutboxWorld()

    @Test("The item that is being sent is sent to its end, and none is begun after it")
    func finishesTheOneUnderWay() async throws {
        let outbox = world.outbox(width: 1)
        world.server.rule { text, _ in text == "one" ? .held : nil }
        try await outbox.enqueue(world.note("one"))
        try await outbox.enqueue(world.note("two"))
        let running = Task { await outbox.run() }
        let exchange = await world.server.client.exchange(0)
        await outbox.finish()
        exchange.takeBody()
        exchange.respond(status: 200)
        await running.value
        #expect(world.server.client.requests.count == 1)
        let left = try await world.outbox().items()
        #expect(left.map(\.id.number) == [2])
        // Another sender, or the same one after a restart, goes on.
        world.server.heal()
        #expect(try await world.outbox().drain().sent == 1)
    }

    @Test("A sender that rests between two items returns at once, and begins anew when it is told to")
    func endsItsRest() async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        let resting = Task { await outbox.run() }
        #expect(await eventually { world.server.taken == ["one"] })
        await outbox.finish()
        await resting.value
        try await outbox.enqueue(world.note("two"))
        let again = Task { await outbox.run() }
        #expect(await eventually { world.server.taken == ["one", "two"] })
        await outbox.finish()
        await again.value
    }
}
