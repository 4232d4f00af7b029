import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

/// Two outboxes over one store are as those of two processes.
@Suite("An outbox that somebody follows", .timeLimit(.minutes(10)))
struct OutboxOthersTests {
    private let world = OutboxWorld()

    /// Follows an outbox until the returned task is cancelled.
    private func follow(_ outbox: Outbox) -> (shown: Shown<[Outbox.Item]>, task: Task<Void, Never>) {
        let shown = Shown<[Outbox.Item]>()
        return (shown, Task { for await items in outbox.states() { shown.show(items) } })
    }

    @Test("shows what another queues, pauses and discards, though nobody reads the queue again")
    func told() async throws {
        let other = world.outbox()
        let early = try await other.enqueue(world.note("early"), label: "early")
        let (shown, task) = follow(world.outbox())
        #expect(await shown.next { $0.map(\.label) == ["early"] })
        let late = try await other.enqueue(world.note("late"), label: "late")
        #expect(await shown.next { $0.map(\.label) == ["early", "late"] })
        try await other.pause(late.id)
        #expect(await shown.next { $0.map(\.state) == [.waiting, .paused] })
        try await other.discard(early.id)
        #expect(await shown.next { $0.map(\.label) == ["late"] })
        try await other.discard(late.id)
        #expect(await shown.next { $0.isEmpty })
        task.cancel()
        await task.value
    }

    @Test("shows that everything may have changed")
    func everything() async throws {
        let (shown, task) = follow(world.outbox())
        #expect(await shown.next { $0.isEmpty })
        try await world.outbox().enqueue(world.note("one"), label: "one")
        #expect(await shown.next { $0.map(\.label) == ["one"] })
        try await world.store.deleteAll(prefix: "item:")
        #expect(await shown.next { $0.isEmpty })
        task.cancel()
        await task.value
    }

    @Test("sends what another queues at once, and does not wait for its next look")
    func sentAtOnce() async throws {
        let outbox = world.outbox()
        let (shown, task) = follow(outbox)
        let running = Task { await outbox.run() }
        #expect(await shown.next { $0.isEmpty })
        await world.clock.waitForSleepers(1)
        try await world.outbox().enqueue(world.note("one"))
        #expect(await eventually { world.server.taken == ["one"] })
        for task in [running, task] {
            task.cancel()
            await task.value
        }
    }

    @Test("reads again what it could not read, a second later")
    func failingStore() async throws {
        let base = RepeatingStore()
        let world = OutboxWorld(store: base)
        let other = Outbox(in: base, client: world.server.client, policy: world.policy())
        try await other.enqueue(world.note("early"), label: "early")
        let (shown, task) = follow(world.outbox())
        #expect(await shown.next { $0.map(\.label) == ["early"] })
        world.store.fail(.retrieve, .contents, with: .failed(operation: "read", reason: "no descriptor"))
        try await other.enqueue(world.note("late"), label: "late")
        await world.clock.waitForSleepers(1)
        #expect(world.clock.sleepers == [.seconds(1)])
        world.clock.advance(by: .seconds(1))
        #expect(await eventually { world.clock.sleepers == [.seconds(1)] }, "it fails once more")
        world.store.heal()
        world.clock.advance(by: .seconds(1))
        #expect(await shown.next { $0.map(\.label) == ["early", "late"] })
        // Nobody tries for a page that has gone.
        world.store.fail(.retrieve, .contents, with: .failed(operation: "read", reason: "no descriptor"))
        try await other.enqueue(world.note("last"), label: "last")
        await world.clock.waitForSleepers(1)
        task.cancel()
        await task.value
        #expect(await eventually { world.clock.sleepers.isEmpty })
    }

    @Test("shows who follows it again what has changed since it was followed last")
    func again() async throws {
        let outbox = world.outbox()
        for labels in [["one"], ["one", "two"]] {
            let (shown, task) = follow(outbox)
            try await world.outbox().enqueue(world.note("note"), label: labels.last ?? "")
            #expect(await shown.next { $0.map(\.label) == labels })
            task.cancel()
            await task.value
        }
        try await world.outbox().enqueue(world.note("three"), label: "three")
        let (shown, task) = follow(outbox)
        #expect(await shown.next { $0.map(\.label) == ["one", "two", "three"] })
        task.cancel()
        await task.value
    }

    @Test("observes its store no longer than it is followed")
    func ends() async throws {
        let watches = Locked(0)
        let world = OutboxWorld(store: ObservedStore(base: RepeatingStore(), watches: watches))
        let (shown, task) = follow(world.outbox())
        #expect(await shown.next { $0.isEmpty })
        #expect(watches.withLock { $0 } == 1)
        task.cancel()
        await task.value
        #expect(await eventually { watches.withLock { $0 } == 0 })
    }
}

/// The states that were shown, and a wait for one of them.
private final class Shown<State: Sendable>: Sendable {
    private let last = Locked<State?>(nil)

    func show(_ state: State) { last.withLock { $0 = state } }

    /// True as soon as the state shown last is as wanted.
    func next(_ isWanted: @escaping @Sendable (State) -> Bool) async -> Bool {
        await eventually { self.last.withLock { $0.map(isWanted) ?? false } }
    }
}
