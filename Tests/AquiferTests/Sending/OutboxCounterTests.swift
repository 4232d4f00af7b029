import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("The outbox's numbers", .timeLimit(.minutes(10)))
struct OutboxCounterTests {
    private let world = OutboxWorld()

    private func queue(_ texts: String...) async throws {
        let outbox = world.outbox()
        for text in texts { try await outbox.enqueue(world.note(text), group: "g") }
    }

    @Test("overwrite nothing and hide nothing when the counter is missing beside its items")
    func missingCounter() async throws {
        try await queue("one", "two", "three")
        try await world.store.delete("counter")
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("four"), group: "g")
        #expect(item.id > Outbox.ID(number: 3))
        #expect(try await outbox.items().count == 4)
        #expect(try await outbox.drain().sent == 4)
        #expect(world.server.taken == ["one", "two", "three", "four"])
    }

    @Test("are read from the items when the counter is missing, also when nothing is queued any more")
    func missingCounterWhenListing() async throws {
        try await queue("one", "two")
        try await world.store.delete("counter")
        let outbox = world.outbox()
        #expect(try await outbox.items().count == 2)
        #expect(try await outbox.drain().sent == 2)
        #expect(try await outbox.items().isEmpty)
        let next = world.outbox()
        #expect(try await next.enqueue(world.note("three"), group: "g").id > Outbox.ID(number: 2))
        #expect(try await next.drain().sent == 1)
        #expect(world.server.taken == ["one", "two", "three"])
    }

    @Test("stay above all items when an older counter comes back")
    func olderCounter() async throws {
        try await queue("one")
        let older = try #require(try await world.store.retrieve("counter"))
        try await queue("two", "three")
        try await world.store.insert(older, for: "counter")
        let outbox = world.outbox()
        #expect(try await outbox.items().count == 3)
        try await outbox.enqueue(world.note("four"), group: "g")
        #expect(try await outbox.drain().sent == 4)
        #expect(world.server.taken == ["one", "two", "three", "four"])
    }

    @Test("of items in doubt stay open until they are found, or for ten minutes")
    func doubtfulNumbers() async throws {
        let store = HoldingStore(base: world.store)
        let outbox = Outbox(in: store, client: world.server.client, policy: world.policy())
        /// Queues an item of which nobody knows whether it was saved.
        func doubt(_ text: String) async {
            store.hold()
            await #expect(throws: OutboxError.store(HoldingStore.uncertain)) {
                try await outbox.enqueue(world.note(text))
            }
        }
        await doubt("lost")
        store.drop()
        try await outbox.enqueue(world.note("one"))
        #expect(try await outbox.items().count == 1)
        #expect(try await outbox.isBehind(), "it may come")
        world.pass(600)
        try await outbox.enqueue(world.note("two"))
        #expect(try await outbox.items().count == 2)
        #expect(try await outbox.isBehind() == false)

        await doubt("late")
        world.pass(600)
        try await store.release()
        try await outbox.enqueue(world.note("three"))
        #expect(try await outbox.items().count == 4, "what is there is not passed over")
        try await outbox.enqueue(world.note("four"))
        #expect(try await outbox.isBehind() == false)
        #expect(try await outbox.drain().sent == 5)
        #expect(Set(world.server.taken) == ["one", "two", "late", "three", "four"])
    }

    @Test("that are occupied are refused: the item that is there stays, and the new one gets another number")
    func occupiedNumber() async throws {
        try await queue("one")
        let older = try #require(try await world.store.retrieve("counter"))
        try await queue("two")
        try await world.store.insert(older, for: "counter")
        // The outbox has not looked at the queue: the number that the counter gives out is taken.
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("three"), group: "g")
        #expect(item.id > Outbox.ID(number: 2))
        #expect(try await outbox.drain().sent == 3)
        #expect(world.server.taken == ["one", "two", "three"])
    }

    @Test("that were mended are told, by whoever mended them")
    func told() async throws {
        try await queue("one", "two")
        let older = try #require(try await world.store.retrieve("counter"))
        #expect(world.outbox().notices == [])
        try await world.store.delete("counter")
        let mender = world.outbox()
        _ = try await mender.items()
        #expect(mender.notices == [.counterMended(items: 2)])
        #expect("\(mender.notices[0])".contains("2 items"))

        try await world.store.insert(older, for: "counter")
        let item = try await mender.enqueue(world.note("three"))
        try await world.store.insert(older, for: "counter")
        let other = world.outbox()
        try await other.enqueue(world.note("four"))
        #expect(item.id == Outbox.ID(number: 3))
        #expect(other.notices == [.numberOccupied(item.id)])
    }

    @Test("that are occupied are told before the counter that gave them is told as mended")
    func toldInOrder() async throws {
        try await queue("one")
        let older = try #require(try await world.store.retrieve("counter"))
        try await queue("two", "three", "four")
        try await world.store.insert(older, for: "counter")
        let outbox = world.outbox()
        #expect(try await outbox.enqueue(world.note("five")).id == Outbox.ID(number: 5))
        #expect(outbox.notices == [.numberOccupied(Outbox.ID(number: 2)), .counterMended(items: 4)])
    }

    @Test("and the items that have them are entries of an outbox; nothing else in its store is")
    func keys() async throws {
        try await queue("one")
        let keys = try await world.store.entries().map(\.key)
        #expect(keys.count == 2 && keys.allSatisfy(Outbox.isEntry))
        #expect(!Outbox.isEntry("payment:1") && !Outbox.isEntry(""))
    }

    @Test("are given one after another: the second only once the item with the first is in the store")
    func oneAfterAnother() async throws {
        let slow = SlowStore(base: RepeatingStore())
        let world = OutboxWorld(store: slow)
        let outbox = world.outbox()
        func changes() -> Int {
            world.store.calls.count { if case .update("counter", _) = $0 { true } else { false } }
        }
        let first = Task { try await outbox.enqueue(world.note("one")).id }
        #expect(await eventually { slow.arrived.withLock { $0 } })
        world.store.forgetCalls()
        let second = Task { try await outbox.enqueue(world.note("two")).id }
        // Calls of others go on meanwhile, so that the second one has its chance.
        for _ in 0..<10 { _ = try await outbox.items() }
        #expect(changes() == 0)
        slow.gate.open()
        #expect(try await first.value < second.value)
        // In the order in which they ended.
        let updates = world.store.calls.compactMap { if case .update(let key, _) = $0 { key } else { nil } }
        let item = try #require(updates.firstIndex { $0.hasPrefix("item:") })
        #expect(try #require(updates.firstIndex(of: "counter")) > item)
    }

    @Test("begin at 1 in a queue that was never used, and nothing is told")
    func unused() async throws {
        let outbox = world.outbox()
        #expect(try await outbox.items() == [])
        #expect(try await outbox.enqueue(world.note("one")).id == Outbox.ID(number: 1))
        #expect(outbox.notices == [])
    }

    @Test("tell an item that was sent or discarded from one that never was, and say when it cannot be told")
    func absence() async throws {
        let outbox = world.outbox()
        let sent = try await outbox.enqueue(world.note("one"))
        try await outbox.drain()
        let discarded = try await outbox.enqueue(world.note("two"))
        #expect(try await outbox.discard(discarded.id) != nil)
        for gone in [sent.id, discarded.id] {
            await #expect(throws: OutboxError.noSuchItem(gone, .gone)) { try await outbox.retry(gone) }
            #expect(try await outbox.discard(gone) == nil)
        }
        for number: UInt64 in [0, 3, 99, .max] {
            let never = Outbox.ID(number: number)
            await #expect(throws: OutboxError.noSuchItem(never, .never)) { try await outbox.retry(never) }
        }
        #expect("\(OutboxError.noSuchItem(Outbox.ID(number: 99), .never))".contains("never been"))

        try await outbox.enqueue(world.note("three"))
        try await world.store.delete("counter")
        _ = try await outbox.items()
        #expect(try await outbox.absence(of: Outbox.ID(number: 2)) == .gone)
        #expect(try await outbox.absence(of: Outbox.ID(number: 77)) == .unknown)
    }

    @Test("are looked up near the items only when a counter was lost, by each process that comes later, too")
    func lookUpsAreBounded() async throws {
        try await queue("one", "two", "three")
        try await world.store.delete("counter")
        _ = try await world.outbox().items()
        for texts in [[], ["four", "five"]] {
            for text in texts { try await world.outbox().enqueue(world.note(text)) }
            let outbox = world.outbox()
            world.store.forgetCalls()
            #expect(try await outbox.items().count == 3 + texts.count)
            #expect(world.store.calls.count < 5_000)
            world.store.forgetCalls()
            #expect(try await outbox.items().count == 3 + texts.count)
            #expect(world.store.calls.count < 10)
        }
    }

    @Test("that another process has set anew cost few look-ups to one that goes on sending")
    func lookUpsWhileSending() async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"), group: "g")
        _ = try await outbox.items()
        try await world.store.delete("counter")
        for text in ["two", "three"] { try await world.outbox().enqueue(world.note(text), group: "g") }
        try await outbox.enqueue(world.note("four"), group: "g")
        world.store.forgetCalls()
        #expect(try await outbox.drain().sent == 4)
        #expect(world.server.taken == ["one", "two", "three", "four"])
        #expect(world.store.calls.count < 5_000)
    }

    @Test("that are far apart are no reason to look up all between", .timeLimit(.minutes(10)))
    func farApart() async throws {
        try await queue("one")
        let one = try #require(try await world.store.retrieve("item:00000000000000000001"))
        try await world.store.insert(one, for: "item:01152921504606846976")
        let outbox = world.outbox()
        #expect(try await outbox.items().count == 2)
        #expect(world.store.calls.count < 5_000)
    }

    @Test("that the store lists and cannot find are damage, not absence: told, and their files are left alone")
    func unfindable() async throws {
        try await TemporaryFolder.with { folder in
            let attachments = folder.appending(path: "attachments")
            let file = folder.appending(path: "sound.bin")
            try Data(repeating: 7, count: 100).write(to: file)
            var request = world.note("one")
            request.body = HTTPBody(parts: [.file(file, offset: 0, length: 100)])
            let item = try await world.outbox(attachments: attachments).enqueue(request)

            let blind = BlindStore(base: world.store, hidden: "item:00000000000000000001")
            let outbox = Outbox(
                in: blind, attachments: attachments, client: world.server.client, policy: world.policy())
            #expect(try await outbox.drain().sent == 0)
            let found = try #require(try await outbox.items().first)
            guard case .damaged = found.state else {
                Issue.record("\(found.state)")
                return
            }
            #expect(found.id == item.id)
            #expect(try FileManager.default.contentsOfDirectory(atPath: attachments.path).count == 1)
        }
    }
}

/// A store whose index has lost an entry: it is listed, and looking it up finds nothing.
private struct BlindStore: ForwardingStore {
    let base: any CacheStore
    let hidden: String

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        key == hidden ? nil : try await base.retrieve(key)
    }

    func delete(_ key: String) async throws(StoreError) { if key != hidden { try await base.delete(key) } }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        if key != hidden { return try await base.update(key, decide) }
        _ = try decide(.success(nil))
    }
}
