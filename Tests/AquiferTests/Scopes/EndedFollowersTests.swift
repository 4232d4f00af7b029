import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

/// After a logout nothing of the user stays on a screen, and nobody looks for it any more.
@MainActor
@Suite("Who follows what belongs to a scope", .timeLimit(.minutes(10)))
struct EndedFollowersTests {
    private let world = World(.texts(["a"]), .texts(["b"]))
    private let clock = ManualClock()

    private func resource(in store: any CacheStore) -> Resource<[String]> {
        let cache = Cache<[String]>(key: "texts", in: store, now: world.date.read)
        return Resource(remote: world.remote(), cache: cache, clock: clock)
    }

    @Test("is told that there is nothing to show when the scope ends, and nobody sleeps after")
    func nothing() async throws {
        let scope = Scope("user", in: world.store)
        let resource = resource(in: scope.store)
        try await resource.save(["mine"])
        let told = Locked([Update<[String]>]())
        let following = Task { for await update in resource.updates.withCauses { told.withLock { $0.append(update) } } }
        #expect(await eventually { told.withLock { $0.last?.loaded?.value } == ["mine"] })
        await clock.waitForSleepers()
        try await Scope("user", in: world.store).end()
        #expect(await eventually { told.withLock { $0.count == 2 && $0.last?.loaded == nil } })
        #expect(told.withLock { $0.last?.cause } == .deleted)
        #expect(await eventually { clock.sleepers.isEmpty })
        // Who comes later is told the same, and waits for nothing either.
        var late = resource.updates.makeAsyncIterator()
        #expect(await late.next() == .some(nil))
        #expect(clock.sleepers.isEmpty)
        following.cancel()
        await following.value
    }

    @Test("is told so by a load, too, where the store does not tell what other processes do")
    func silent() async throws {
        let scope = Scope("user", in: SilentStore(base: world.store))
        let resource = resource(in: scope.store)
        try await resource.save(["mine"])
        let subscription = resource.updates.subscribe()
        #expect(await subscription.next(isolation: nil)??.value == ["mine"])
        try await Scope("user", in: world.store).end()
        let error = await failure { () async throws(LoadError) in try await resource.load() }
        #expect(error == .ended("user") && error?.reason == nil && error?.trouble == nil)
        #expect(subscription.current == nil)
        #expect(world.client.requests.isEmpty)
        #expect(await eventually { clock.sleepers.isEmpty })
    }

    @Test("shows nothing on a screen, followed or not", arguments: [false, true])
    func screens(follows: Bool) async throws {
        let scope = Scope("user", in: world.store)
        let resource = resource(in: scope.store)
        let model = ResourceModel(
            ResourceModel.Loading(
                load: { () async throws(LoadError) in try await resource.load() },
                saved: { () async throws(StoreError) in try await resource.saved() },
                isFresh: { resource.isFresh($0) }, updates: follows ? resource.updates : nil))
        await model.appear()
        #expect(model.value == ["a"])
        try await scope.end()
        if follows { #expect(await eventually { model.value == nil }) }
        await model.refresh()
        #expect(model.value == nil && model.source == nil && model.error == .ended("user"))
        #expect(world.client.requests.count == 1)
    }

    @Test("shows no list in pages, and no page of it", arguments: [false, true])
    func pages(isTold: Bool) async throws {
        let world = PagedWorld(.cursor, down(30, 1))
        let scope = Scope("user", in: isTold ? world.store : SilentStore(base: world.store))
        let model = PagedModel(world.resource(in: scope.store, clock: clock))
        await model.appear()
        await model.loadMore()
        #expect(model.items.map(\.id) == down(30, 21))
        await clock.waitForSleepers()
        try await Scope("user", in: world.store).end()
        if !isTold { await model.loadMore() }
        #expect(await eventually { model.list.value == nil })
        #expect(await eventually { clock.sleepers.isEmpty })
        await model.refresh()
        #expect(model.list.value == nil && model.list.error == .ended("user"))
        #expect(world.server.requests.count == 2)
    }

    @Test("is given no further page of a list, not of a whole one either")
    func furtherPages() async throws {
        let world = PagedWorld(.cursor, down(15, 1))
        let scope = Scope("user", in: world.store)
        let list = world.resource(in: scope.store)
        _ = try await list.load()
        while try await !list.loadMore().value.isComplete {}
        let count = world.server.requests.count
        try await scope.end()
        await #expect(throws: LoadError.ended("user")) { try await list.loadMore() }
        #expect(world.server.requests.count == count)
    }

    @Test("is shown no queue, and no item of it", arguments: [Scope.Unsent.keep, .discard])
    func queue(unsent: Scope.Unsent) async throws {
        let (world, base) = (OutboxWorld(), MemoryStore())
        let scope = Scope("user", in: base)
        let queue = Outbox(in: scope.store, client: world.server.client, policy: world.policy())
        let item = try await queue.enqueue(world.note("mine"))
        let shown = Locked<[Outbox.Item]?>(nil)
        let following = Task { for await items in queue.states() { shown.withLock { $0 = items } } }
        let watching = Task { for await _ in queue.states(of: item.id) {} }
        #expect(await eventually { shown.withLock { $0?.map(\.id) } == [item.id] })
        try await Scope("user", in: base).end(unsent: unsent)
        #expect(await eventually { shown.withLock { $0?.isEmpty } == true })
        await watching.value
        var late = queue.states().makeAsyncIterator()
        #expect(await late.next()?.isEmpty == true)
        var lateItem = queue.states(of: item.id).makeAsyncIterator()
        #expect(await lateItem.next() == .gone)
        following.cancel()
        await following.value
    }

    @Test("is told no change that waits")
    func changes() async throws {
        let (world, base) = (NotesWorld(), MemoryStore())
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk", version: "\"a\"")] }
        let scope = Scope("user", in: base)
        let notes = EditableResource(
            world.resource(store: scope.store), changes: NoteChange.self, empty: [],
            outbox: world.outbox(in: scope.store))
        let model = ResourceModel(notes)
        await model.appear()
        try await notes.change(.rename(id: "1", text: "Mine"))
        #expect(await eventually { model.value?.first?.text == "Mine" })
        try await Scope("user", in: base).end(unsent: .discard)
        #expect(await eventually { model.value == nil })
        await #expect(throws: StoreError.ended(scope: "user")) { try await notes.pendingChanges() }
    }

    @Test("reads no list whose end it meets at a later page")
    func middle() async throws {
        let world = PagedWorld(.cursor, down(30, 1))
        let scope = Scope("user", in: world.store)
        _ = try await world.resource(in: scope.store).load()
        let reading = HeldReads(base: scope.store, key: "notes#+26")
        let saved = Task { try await world.resource(in: reading).saved() }
        #expect(await eventually { reading.isWaiting })
        try await scope.end()
        reading.gate.open()
        await #expect(throws: StoreError.ended(scope: "user")) { try await saved.value }
    }
}

/// A store that holds the first reading of one entry before it asks for it.
final class HeldReads: ForwardingStore {
    let base: any CacheStore
    let gate = Gate()
    private let key: String
    private let isAfter: Bool
    private let hasWaited = Locked(false)

    /// - Parameter isAfter: true to hold what was read, and not the reading.
    init(base: any CacheStore, key: String, isAfter: Bool = false) {
        (self.base, self.key, self.isAfter) = (base, key, isAfter)
    }

    var isWaiting: Bool { hasWaited.withLock { $0 } }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        let isHeld =
            key == self.key
            && hasWaited.withLock { hasWaited in
                defer { hasWaited = true }
                return !hasWaited
            }
        if isHeld, !isAfter { await gate.wait() }
        let found = try await base.retrieve(key)
        if isHeld, isAfter { await gate.wait() }
        return found
    }
}
