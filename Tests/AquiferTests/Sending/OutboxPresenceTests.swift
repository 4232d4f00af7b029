import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("An outbox over a store that knows who lives", .timeLimit(.minutes(5)))
struct OutboxPresenceTests {
    private let world: OutboxWorld
    private let gone = Locked(Set<String>())

    init() { world = OutboxWorld() }

    private func outbox(_ name: String, isInBatches: Bool = false, _ policy: SendPolicy? = nil) -> Outbox {
        let base: any CacheStore = world.store
        let store = PresentStore(base: base, presence: NamedPresence(name: name, gone: gone), isInBatches: isInBatches)
        return Outbox(in: store, client: world.server.client, policy: policy ?? world.policy())
    }

    /// The policy of a machine whose date is an hour behind.
    private func behind(_ clock: ManualClock) -> SendPolicy {
        var policy = world.policy()
        policy.clock = clock
        policy.now = { [date = world.date] in date.now - 3_600 }
        return policy
    }

    /// An item that a sender has claimed, who never ends it.
    private func claimed(by name: String, _ policy: SendPolicy? = nil) async throws -> Task<Void, any Error> {
        world.server.rule { _, _ in .held }
        let outbox = outbox(name, policy)
        try await outbox.enqueue(world.note("one"), group: "g")
        try await outbox.enqueue(world.note("two"), group: "g")
        let sending = Task { _ = try await outbox.drain() }
        #expect(await eventually { world.server.asked == ["one"] })
        world.server.heal()
        return sending
    }

    @Test("takes over the item of a sender that has gone, at once and with its key")
    func takesOver() async throws {
        let sending = try await claimed(by: "a")
        let other = outbox("b")
        #expect(try await other.drain().sent == 0)
        gone.withLock { $0 = ["a"] }
        #expect(try await other.drain().sent == 2)
        #expect(world.server.taken == ["one", "two"] && world.server.asked == ["one", "one", "two"])
        sending.cancel()
    }

    @Test("notices while it waits that a sender has gone, without looking at the queue")
    func notices() async throws {
        let sending = try await claimed(by: "a")
        let running = Task { [other = outbox("b")] in await other.run() }
        #expect(await eventually { world.clock.sleepers.contains(.milliseconds(500)) })
        gone.withLock { $0 = ["a"] }
        world.clock.advance(by: .milliseconds(500))
        #expect(await eventually { world.server.taken == ["one", "two"] })
        running.cancel()
        sending.cancel()
    }

    @Test("waits for a sender that lives, and for one that has come back")
    func waits() async throws {
        let sending = try await claimed(by: "a")
        let other = outbox("b")
        gone.withLock { $0 = ["c"] }
        #expect(try await other.drain().sent == 0)
        #expect(world.server.asked == ["one"])
        sending.cancel()
    }

    @Test("takes nothing from a sender that lives, renews its claim, and has another date", arguments: [false, true])
    func otherDate(isInBatches: Bool) async throws {
        let clock = ManualClock()
        let sending = try await claimed(by: "a", behind(clock))
        let other = outbox("b", isInBatches: isInBatches)
        for _ in 0..<12 {
            #expect(try await other.drain().sent == 0)
            await clock.waitForSleepers()
            world.store.forgetCalls()
            clock.advance(by: .seconds(10))
            #expect(await eventually { world.store.calls.contains { if case .update = $0 { true } else { false } } })
            world.pass(10)
        }
        #expect(try await other.standing() == [.sendingElsewhere(until: world.date.now + 30), .waiting])
        #expect(world.server.asked == ["one"])
        sending.cancel()
    }

    @Test(
        "takes over from a sender that lives when it has not renewed its claim for as long as it should, by its own clock",
        arguments: [false, true])
    func hung(isInBatches: Bool) async throws {
        // The clock on which it would renew its claim stands still.
        let sending = try await claimed(by: "a", behind(ManualClock()))
        let other = outbox("b", isInBatches: isInBatches)
        #expect(try await other.drain() == Outbox.Report(nextTry: .seconds(30)))
        world.pass(29)
        #expect(try await other.drain() == Outbox.Report(nextTry: .seconds(1)))
        world.pass(1)
        #expect(try await other.drain().sent == 2)
        #expect(world.server.taken == ["one", "two"] && world.server.asked == ["one", "one", "two"])
        sending.cancel()
    }

    @Test("waits for the time of the claim where nobody can say who lives")
    func unknown() async throws {
        let sending = try await claimed(by: "a")
        let other = outbox("b")
        gone.withLock { $0 = ["a", "unreachable"] }
        #expect(try await other.drain().sent == 0)
        sending.cancel()
    }
}

struct NamedPresence: StorePresence {
    let name: String?
    let gone: Locked<Set<String>>

    func time() async throws(StoreError) -> Date { Date(timeIntervalSince1970: 0) }

    func gone(among names: Set<String>) async throws(StoreError) -> Set<String> {
        let gone = gone.withLock { $0 }
        if gone.contains("unreachable") { throw .failed(operation: "look", reason: "out of reach") }
        return gone.intersection(names)
    }
}

struct PresentStore: ForwardingStore {
    let base: any CacheStore
    let presence: (any StorePresence)?
    let batches: (any EntryBatches)?

    init(base: any CacheStore, presence: (any StorePresence)?, isInBatches: Bool = false) {
        (self.base, self.presence) = (base, presence)
        batches = isInBatches ? BatchingStore(base) : nil
    }
}
