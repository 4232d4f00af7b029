import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

/// Two outboxes over one store are as those of two machines.
@Suite("An outbox over a store that changes many entries at once", .timeLimit(.minutes(5)))
struct OutboxBatchesTests {
    private let world = OutboxWorld()

    private func outbox(over store: BatchingStore, width: Int = 4) -> Outbox {
        Outbox(in: store, client: world.server.client, policy: world.policy(width: width))
    }

    @Test("reads, claims and ends many items with few messages to the store")
    func fewSteps() async throws {
        let store = BatchingStore(world.store)
        let outbox = outbox(over: store, width: 16)
        for number in 0..<256 { try await outbox.enqueue(world.note("\(number)"), group: "g\(number % 64)") }
        world.store.forgetCalls()
        #expect(try await outbox.drain().sent == 256)
        #expect(world.server.taken.count == 256)
        // A message for each item alone would be 256 of each kind.
        #expect(store.steps.reads < 128 && store.steps.changes < 192)
        #expect(try await outbox.items().isEmpty)
    }

    @Test("sends each item once and each group in its order, from several outboxes at once")
    func several() async throws {
        let store = BatchingStore(world.store)
        let filler = outbox(over: store)
        for number in 0..<120 { try await filler.enqueue(world.note("\(number)"), group: "g\(number % 7)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                let sender = outbox(over: store)
                group.addTask { _ = try await sender.drainToEnd() }
            }
            try await group.waitForAll()
        }
        let taken = world.server.asked.compactMap(Int.init)
        #expect(taken.sorted() == Array(0..<120))
        for remainder in 0..<7 {
            let group = taken.filter { $0 % 7 == remainder }
            #expect(group == group.sorted())
        }
    }

    @Test("does not send an item that somebody pauses between the look and the claim")
    func pausedBetween() async throws {
        let user = world.outbox()
        let item = try await user.enqueue(world.note("one"))
        let pauses = Locked(1)
        let store = BatchingStore(world.store) { _ in
            let isFirst = pauses.withLock { left in
                left -= 1
                return left == 0
            }
            if isFirst { try? await user.pause(item.id) }  // the test looks at the outcome
        }
        let sender = outbox(over: store)
        #expect(try await sender.drain().sent == 0)
        #expect(world.server.asked.isEmpty)
        #expect(try await sender.standing() == [.paused])
        try await user.resume(item.id)
        #expect(try await sender.drain().sent == 1)
    }

    @Test("removes an item that was sent, though somebody has changed it meanwhile")
    func changedMeanwhile() async throws {
        let user = world.outbox()
        let item = try await user.enqueue(world.note("one"))
        let changes = Locked(0)
        let store = BatchingStore(world.store) { _ in
            let count = changes.withLock { count in
                count += 1
                return count
            }
            // The second step deletes what was sent.
            if count == 2 { try? await user.pause(item.id) }  // the test looks at the outcome
        }
        let sender = outbox(over: store)
        #expect(try await sender.drain().sent == 1)
        #expect(try await sender.items().isEmpty && world.server.taken == ["one"])
    }

    @Test("keeps an item whose claim the store cannot save, and sends it later")
    func failingClaim() async throws {
        let store = BatchingStore(world.store)
        let sender = outbox(over: store)
        try await sender.enqueue(world.note("one"))
        world.store.fail(.save, with: .full(path: "/disk"))
        await #expect(throws: StoreError.full(path: "/disk")) { try await sender.drain() }
        #expect(world.server.asked.isEmpty)
        world.store.heal()
        #expect(try await sender.drain().sent == 1)
    }

    @Test("sets aside an item that is damaged, and sends the others")
    func damaged() async throws {
        let sender = outbox(over: BatchingStore(world.store))
        let item = try await sender.enqueue(world.note("one"))
        try await sender.enqueue(world.note("two"))
        let key = "item:" + String(repeating: "0", count: 19) + "\(item.id)"
        try await world.store.insert(StoredEntry(bytes: Data("torn".utf8), savedAt: world.date.read()), for: key)
        #expect(try await sender.drain().sent == 1)
        #expect(world.server.taken == ["two"])
    }

    // MARK: What others do

    @Test("sends what another outbox queues without waiting for its next look", arguments: [false, true])
    func hearsOthers(isShared: Bool) async throws {
        let store = BatchingStore(world.store)
        let outbox = isShared ? outbox(over: store) : world.outbox()
        let running = Task { await outbox.run() }
        await world.clock.waitForSleepers(1)
        try await world.outbox().enqueue(world.note("one"), group: "g")
        try await world.outbox().enqueue(world.note("two"), group: "g")
        #expect(await eventually { world.server.taken == ["one", "two"] })
        running.cancel()
        await running.value
    }

    @Test("does not read again what it has changed itself")
    func ownChanges() async throws {
        let store = BatchingStore(world.store)
        let outbox = outbox(over: store)
        // The first item has a counter made, which looks whether there was one.
        try await outbox.enqueue(world.note("zero"))
        world.store.forgetCalls()
        let running = Task { await outbox.run() }
        #expect(await eventually { world.server.taken == ["zero"] })
        // It lists the queue before it sends and once more after it, and rests then.
        #expect(await eventually { world.store.calls.count { $0 == .contents } >= 2 })
        await world.clock.waitForSleepers(1)
        world.store.forgetCalls()
        let item = try await outbox.enqueue(world.note("one"))
        #expect(await eventually { world.server.taken == ["zero", "one"] })
        await world.clock.waitForSleepers(1)
        #expect(!world.store.calls.contains(.contents), "nobody has listed the queue")
        let key = "item:" + String(repeating: "0", count: 19) + "\(item.id)"
        let reads = world.store.calls.count { $0 == .retrieve(key) }
        #expect(reads <= 2, "it was read when it was new, and when it was claimed")
        running.cancel()
        await running.value
    }

    @Test("looks for what it has not heard when its time has come")
    func missed() async throws {
        let silent = SilentStore(base: world.store)
        let outbox = outbox(over: BatchingStore(silent))
        let running = Task { await outbox.run() }
        await world.clock.waitForSleepers(1)
        try await world.outbox().enqueue(world.note("one"))
        world.pass(30)
        #expect(await eventually { world.server.taken == ["one"] })
        running.cancel()
        await running.value
    }
}
