import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

/// The other side, a second object over the same store, is what another tab or process has.
@MainActor
@Suite("A list in pages over time", .timeLimit(.minutes(10)))
struct PagedUpdatesTests {
    @Test(
        "Who follows is told the saved list, and then what others load, append and delete",
        arguments: PageServer.Way.allCases)
    func follows(way: PageServer.Way) async throws {
        let world = PagedWorld(way, down(30, 1))
        let other = try await world.loaded(pages: 2)
        let shapes = Locked<[[Int]?]>([])
        let resource = world.resource()
        let following = Task {
            for await list in resource.updates { shapes.withLock { $0.append(list?.value.shape) } }
        }
        func told(_ shape: [Int]?) async -> Bool { await eventually { shapes.withLock { $0.last } == .some(shape) } }
        let two = try await other.saved()?.value.shape
        #expect(await told(two))
        let three = try await other.loadMore().value.shape
        #expect(await told(three))
        world.server.add(31)
        let newer = try await other.reload().value.shape
        #expect(newer.first == 31)
        #expect(await told(newer))
        try await world.store.delete("notes")
        #expect(await told(nil))
        following.cancel()
        await following.value
        #expect(world.server.requests.count == 4, "following sends no request")
    }

    @Test("A model shows what others do, without a request, and goes on from there")
    func model() async throws {
        let world = PagedWorld(.cursor, down(30, 1))
        let model = PagedModel(world.resource())
        await model.appear()
        #expect(model.items.map(\.id) == down(30, 26) && model.list.source == .remote)
        let other = world.resource()
        _ = try await other.saved()
        _ = try await other.loadMore()
        #expect(await eventually { model.items.map(\.id) == down(30, 21) })
        #expect(model.list.source == .remote, "the first page is the one that it has loaded")
        await model.loadMore()
        #expect(model.items.map(\.id) == down(30, 16))
        #expect(world.server.requests.count == 3)
        _ = try await other.reload()
        #expect(await eventually { model.list.source != .remote }, "others have asked since")
        try await world.store.delete("notes")
        #expect(await eventually { model.list.value == nil })
        #expect(world.server.requests.count == 4)
    }

    @Test("A page that arrives does not make a saved first page look fresh, and a page that could not be saved is told")
    func sources() async throws {
        let world = PagedWorld(.cursor, down(30, 1))
        _ = try await world.loaded(pages: 1)
        world.server.goOffline()
        let resource = world.resource()
        let model = PagedModel(resource)
        await model.appear()
        let source = model.list.source
        #expect(source != .remote && source != nil)
        world.server.goOnline()
        await model.loadMore()
        #expect(model.items.map(\.id) == down(30, 21))
        #expect(model.list.source == source)
        world.store.fail(.insert, .update, with: .full(path: "notes"))
        await model.loadMore()
        #expect(model.items.map(\.id) == down(30, 16))
        #expect(model.list.saveError != nil)
        // A look at the store, which lacks this page, does not take the list back to its place.
        #expect(await hasLooked(resource))
        await model.loadMore()
        #expect(model.items.map(\.id) == down(30, 11))
        #expect(model.list.saveError != nil)
    }

    @Test("A page that is saved after one that could not be takes nothing from the screens", arguments: [1, 2, 3])
    func savedAfterUnsaved(saved: Int) async throws {
        let world = PagedWorld(.cursor, down(30, 1))
        // The store has older text, in as many pages.
        _ = try await world.loaded(pages: saved)
        for id in 1...30 { world.server.edit(id, "second") }
        let resource = world.resource()
        let model = PagedModel(resource)
        world.store.fail(.insert, .update, with: .full(path: "notes"))
        await model.appear()
        await model.refresh()
        #expect(await hasLooked(resource))
        world.store.heal(.insert, .update)
        for page in 1...3 {
            await model.loadMore()
            #expect(await hasLooked(resource))
            #expect(model.items.map(\.id) == down(30, 31 - 5 * (saved + page)))
            #expect(model.items.first?.text == "second")
            #expect(model.list.saveError != nil, "the list is saved if all of its pages are")
        }
        // What another process saves in the place of the unsaved page is shown.
        for id in 1...30 { world.server.edit(id, "third") }
        _ = try await world.resource().reload()
        #expect(await eventually { model.items.first?.text == "third" })
    }

    @Test("A page that could not be saved stays on the screens when the page after it is saved")
    func unsavedBetween() async throws {
        let world = PagedWorld(.cursor, down(30, 1))
        let resource = try await world.loaded(pages: 1)
        let model = PagedModel(resource)
        await model.appear()
        world.store.fail(.insert, .update, with: .full(path: "notes"))
        await model.loadMore()
        world.store.heal(.insert, .update)
        await model.loadMore()
        #expect(await hasLooked(resource))
        #expect(model.items.map(\.id) == down(30, 16) && model.list.saveError != nil)
    }

    /// Waits until the followers of a list have looked at everything that they were told.
    private func hasLooked(_ resource: PagedResource<Note>) async -> Bool {
        await eventually {
            resource.hub.withLock { $0 }?.state.withLock { !$0.mustLook && !$0.isLooking } ?? false
        }
    }

    @Test("Who begins to follow does not take back the pages that could not be saved before")
    func unsavedBefore() async throws {
        let world = PagedWorld(.cursor, down(30, 1))
        let resource = try await world.loaded(pages: 1)
        world.store.fail(.insert, .update, with: .full(path: "notes"))
        #expect(try await resource.loadMore().value.shape == down(30, 21))
        let subscription = resource.updates.subscribe()
        #expect(await subscription.next(isolation: nil)??.value.shape == down(30, 26))
        #expect(try await resource.loadMore().value.shape == down(30, 16))
    }

    @Test("A page that arrives during a look is not forgotten: the next one follows it")
    func duringLook() async throws {
        let world = PagedWorld(.cursor, down(30, 1))
        _ = try await world.loaded(pages: 1)
        let held = HeldReads(base: world.store, key: "notes#+26", isAfter: true)
        let resource = world.resource(in: held)
        let subscription = resource.updates.subscribe()
        let following = Task { while await subscription.next(isolation: nil) != nil {} }
        #expect(await eventually { held.isWaiting })
        _ = try await resource.saved()
        world.store.fail(.insert, .update, with: .full(path: "notes"))
        #expect(try await resource.loadMore().value.shape == down(30, 21))
        held.gate.open()
        #expect(await hasLooked(resource))
        #expect(try await resource.loadMore().value.shape == down(30, 16))
        following.cancel()
        await following.value
    }

    @Test("A list without a saved copy is loaded when it was made invalid", arguments: [false, true])
    func noCopy(hasExpired: Bool) async throws {
        let world = PagedWorld(.cursor, down(30, 1))
        if hasExpired {
            _ = try await world.loaded(pages: 1)
            world.server.date.advance(by: Duration.days(8).timeInterval)
        }
        world.server.goOffline()
        let model = PagedModel(world.resource())
        await model.appear()
        #expect(model.list.value == nil && model.list.error != nil)
        world.server.goOnline()
        try await world.resource().invalidate()
        #expect(await eventually { model.items.map(\.id) == down(30, 26) && !model.list.isLoading })
        #expect(model.list.error == nil)
    }

    @Test("A list that is denied is hidden from all")
    func leaves() async throws {
        let world = PagedWorld(.cursor, down(30, 1))
        let resource = try await world.loaded(pages: 2)
        let (one, two) = (PagedModel(resource), PagedModel(resource))
        await one.appear()
        await two.appear()
        let other = world.resource()
        var updates = other.updates.makeAsyncIterator()
        #expect(await updates.next()??.value.pages.isEmpty == false)
        world.server.state.withLock { $0.isDenied = true }
        await one.refresh()
        #expect(one.list.value == nil && one.list.error != nil)
        #expect(await eventually { two.list.value == nil })
        #expect(await updates.next() == .some(nil))
        // An instance that is made later does not show it either.
        var late = world.resource().updates.makeAsyncIterator()
        #expect(await late.next() == .some(nil))
        world.server.state.withLock { $0.isDenied = false }
        await one.refresh()
        #expect(await eventually { two.items.map(\.id) == down(30, 21) })
        #expect(await updates.next()??.value.pages.isEmpty == false)
    }

    @Test("A denied list stays hidden when a later page of it expires or is deleted", arguments: [false, true])
    func staysHidden(isDeleted: Bool) async throws {
        let world = PagedWorld(.cursor, down(30, 1))
        let clock = ManualClock()
        let resource = world.resource(clock: clock)
        _ = try await resource.load()
        _ = try await resource.loadMore()
        world.server.date.advance(by: Duration.days(6).timeInterval)
        let model = PagedModel(resource)
        await model.appear()
        #expect(model.items.map(\.id) == down(30, 21))
        await clock.waitForSleepers()
        world.server.state.withLock { $0.isDenied = true }
        await model.refresh()
        #expect(model.list.error == .invalidData(.status(403)))
        #expect(await hasLooked(resource))
        world.server.date.advance(by: Duration.days(1).timeInterval)
        world.store.forgetCalls()
        if isDeleted {
            #expect(try await world.resource().validateSaved())
        } else {
            clock.advance(by: .days(1))
            #expect(await eventually { world.store.calls.contains(.retrieve("notes#+26")) })
        }
        #expect(await hasLooked(resource))
        #expect(shown(resource) == nil && model.list.value == nil)
        // What another process is given ends the denial.
        world.server.state.withLock { $0.isDenied = false }
        let other = try await world.resource().reload().value.shape
        #expect(await eventually { model.list.value?.shape == other })
    }

    /// The list that the followers were told last.
    private func shown(_ resource: PagedResource<Note>) -> [Int]? {
        resource.hub.withLock { $0 }?.current?.value.shape
    }

    @Test("A page that arrives behind a denied list does not show the list again")
    func pageBehindDenied() async throws {
        let server = PageServer(.cursor, down(30, 1))
        let client = ScriptedHTTPClient { request in
            request.url.absoluteString.contains("at=%2B26") ? .held : server.reply(request)
        }
        let world = PagedWorld(server, client)
        let model = PagedModel(world.resource())
        await model.appear()
        let more = Task { await model.loadMore() }
        let page = await client.exchange(1)
        guard case .answer(_, let headers, let body) = server.reply(page.request) else { return }
        server.state.withLock { $0.isDenied = true }
        await model.refresh()
        #expect(model.list.value == nil)
        page.respond(headers: headers, body: body)
        await more.value
        #expect(model.list.value == nil)
    }

    @Test("A load of a list that is cancelled hides nothing, though an earlier one was denied")
    func cancelledAfterDenial() async throws {
        let isHeld = Locked(false)
        let world = PagedWorld(holdingIf: isHeld)
        let resource = try await world.loaded(pages: 1)
        let model = PagedModel(resource)
        await model.appear()
        world.server.state.withLock { $0.isDenied = true }
        await model.refresh()
        #expect(model.list.value == nil)
        world.server.state.withLock { $0.isDenied = false }
        _ = try await world.resource().reload()
        #expect(await eventually { model.items.map(\.id) == down(30, 26) })
        isHeld.withLock { $0 = true }
        let refresh = Task { await model.refresh() }
        let exchange = await world.client.exchange(4)
        refresh.cancel()
        await refresh.value
        #expect(shown(resource) == down(30, 26) && model.items.map(\.id) == down(30, 26))
        withExtendedLifetime(exchange) {}
    }

    @Test("An invalidation that the store refused does not hide the list when the next load is cancelled")
    func cancelledAfterRefusal() async throws {
        let isHeld = Locked(false)
        let world = PagedWorld(holdingIf: isHeld)
        let resource = try await world.loaded(pages: 1)
        let model = PagedModel(resource)
        await model.appear()
        world.store.fail(.update, with: .busy(path: "notes"))
        await #expect(throws: StoreError.busy(path: "notes")) { try await resource.invalidate() }
        world.store.heal()
        isHeld.withLock { $0 = true }
        let refresh = Task { await model.refresh() }
        _ = await world.client.exchange(2)
        refresh.cancel()
        await refresh.value
        #expect(shown(resource) == down(30, 26) && model.items.map(\.id) == down(30, 26))
    }

    @Test("A page that expires leaves a gap on the screen, and the first one leaves nothing")
    func expires() async throws {
        let world = PagedWorld(.cursor, down(30, 1))
        let clock = ManualClock()
        let resource = world.resource(clock: clock)
        _ = try await resource.load()
        _ = try await resource.loadMore()
        world.server.date.advance(by: Duration.days(3).timeInterval)
        _ = try await resource.loadMore()
        world.server.date.advance(by: Duration.days(2).timeInterval)
        let model = PagedModel(resource)
        await model.appear()
        #expect(model.list.value?.shape == down(30, 16))
        await clock.waitForSleepers()
        world.server.date.advance(by: Duration.days(3).timeInterval)
        clock.advance(by: .days(3))
        #expect(await eventually { model.list.value?.shape == down(30, 26) + [0] + down(20, 16) })
        await clock.waitForSleepers()
        world.server.date.advance(by: Duration.days(5).timeInterval)
        clock.advance(by: .days(5))
        #expect(await eventually { model.list.value == nil })
    }

    @Test("A list that was made invalid is loaded again by each screen, with one request, and keeps its later pages")
    func invalidates() async throws {
        let world = PagedWorld(.cursor, down(30, 1))
        let resource = try await world.loaded(pages: 2)
        let (one, two) = (PagedModel(resource), PagedModel(resource))
        await one.appear()
        await two.appear()
        let asked = world.server.requests.count
        world.server.add(31)
        try await world.resource().invalidate()
        #expect(await eventually { one.items.first?.id == 31 && two.items.first?.id == 31 })
        #expect(one.items.map(\.id) == down(31, 21))
        #expect(world.server.requests.count == asked + 1)
    }

    @Test(
        "A load that comes after the list was made invalid asks, though an earlier one is about to deliver the saved list",
        arguments: [true, false])
    func late(isOurs: Bool) async throws {
        let world = PagedWorld(.cursor, down(30, 1))
        _ = try await world.loaded(pages: 2)
        let store = HeldPages(base: world.store)
        let resource = world.resource(in: store, policy: CachePolicy(maxAge: .days(7), askAfter: .hours(1)))
        let asked = world.server.requests.count
        async let early = resource.load()
        await store.reached.wait()
        world.server.add(31)
        try await (isOurs ? resource : world.resource()).invalidate()
        async let late = resource.load()
        #expect(
            await eventually {
                world.server.requests.count == asked + 1 || resource.flights.waiters(for: "load 0") == 2
            })
        store.held.open()
        #expect(try await late.value.items.first?.id == 31)
        _ = try await early
    }
}

/// A store that holds readers of later pages.
private struct HeldPages: ForwardingStore {
    let base: any CacheStore
    let reached = Gate()
    let held = Gate()

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        if key.hasPrefix("notes#") {
            reached.open()
            await held.wait()
        }
        return try await base.retrieve(key)
    }
}
