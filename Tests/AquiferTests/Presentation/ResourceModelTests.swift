import Aquifer
import AquiferTesting
import Foundation
import Testing

@MainActor
@Suite("What a screen binds to", .timeLimit(.minutes(10)))
struct ResourceModelTests {
    private let offline = LoadError.connectivity(TransportError(.cannotConnect))

    @Test("A new model is idle and asks for nothing")
    func idle() {
        let world = World()
        let model = ResourceModel(world.resource())
        #expect(model.phase == .idle && model.value == nil && model.source == nil)
        #expect(world.client.requests.isEmpty)
    }

    @Test("It loads when first visible, and not again on return")
    func appearsOnce() async {
        let world = World(.texts(["a"]), .texts(["b"]))
        let model = ResourceModel(world.resource())
        await model.appear()
        await model.appear()
        #expect(model.value == ["a"] && model.phase == .loaded && model.source == .remote)
        #expect(world.client.requests.count == 1)
    }

    @Test("It loads again when asked to, and never beside a load that runs")
    func refreshes() async {
        let world = World(client: ScriptedHTTPClient())
        let model = ResourceModel(world.resource())
        let first = Task { await model.refresh() }
        let exchange = await world.client.exchange(0)
        #expect(model.isLoading && model.phase == .loading)
        let second = Task { await model.refresh() }
        exchange.respond(body: Data("[\"a\"]".utf8))
        await first.value
        await second.value
        #expect(model.value == ["a"] && !model.isLoading)
        #expect(world.client.requests.count == 1)
    }

    @Test("A saved fresh copy is shown at once while the latest is loaded, and it says so")
    func showsSavedFirst() async throws {
        let world = World(client: ScriptedHTTPClient())
        let savedAt = world.date.now
        try await world.save(["old"], age: .days(1))
        let model = ResourceModel(world.resource())
        let loading = Task { await model.appear() }
        let exchange = await world.client.exchange(0)
        #expect(model.value == ["old"])
        #expect(model.source == .cache(savedAt: savedAt, because: nil))
        #expect(model.isLoading)
        exchange.respond(body: Data("[\"new\"]".utf8))
        await loading.value
        #expect(model.value == ["new"] && model.source == .remote)
    }

    @Test("An expired copy is not shown while the latest is loaded")
    func hidesExpired() async throws {
        let world = World(client: ScriptedHTTPClient())
        try await world.save(["old"], age: .days(7))
        let model = ResourceModel(world.resource())
        let loading = Task { await model.appear() }
        let exchange = await world.client.exchange(0)
        #expect(model.value == nil)
        exchange.fail(TransportError(.cannotConnect))
        await loading.value
        #expect(model.value == nil && model.error == offline && model.phase == .failed)
    }

    @Test(
        "A value stays while a newer one is loaded, and after that failed with a saved copy, it says that it is saved")
    func keepsValue() async {
        let world = World(.texts(["a"]), .refused)
        let model = ResourceModel(world.resource())
        await model.refresh()
        let savedAt = world.date.now
        await model.refresh()
        #expect(model.value == ["a"])
        #expect(model.source == .cache(savedAt: savedAt, because: .connectivity(TransportError(.cannotConnect))))
        #expect(model.error == nil && model.phase == .loaded)
    }

    @Test("A value that has expired by the time a load fails is no longer shown")
    func dropsExpired() async {
        let world = World(.texts(["a"]), .refused)
        let model = ResourceModel(world.resource())
        await model.refresh()
        world.date.advance(by: Duration.days(7).timeInterval)
        await model.refresh()
        #expect(model.value == nil && model.source == nil && model.error == offline)
    }

    @Test("An error goes away when dismissed, and when a load begins")
    func dismisses() async {
        let world = World(.refused, .refused, .texts(["a"]))
        let model = ResourceModel(world.resource())
        await model.refresh()
        #expect(model.error == offline)
        model.dismissError()
        #expect(model.error == nil)
        #expect(model.phase == .failed, "there is nothing to show but an offer to try again")
        await model.refresh()
        #expect(model.error == offline)
        await model.refresh()
        #expect(model.error == nil && model.value == ["a"])
    }

    @Test("A load that was cancelled before anything was shown is begun again at the next appearance")
    func cancelledAppearance() async {
        let world = World(client: ScriptedHTTPClient())
        let model = ResourceModel(world.resource())
        let first = Task { await model.appear() }
        _ = await world.client.exchange(0)
        first.cancel()
        await first.value
        #expect(model.phase == .idle && model.error == nil)
        let second = Task { await model.appear() }
        await world.client.exchange(1).respond(body: Data("[\"a\"]".utf8))
        await second.value
        #expect(model.value == ["a"])
    }

    @Test(
        "A screen that comes while the load of one that has left is still ending is not left without a load",
        arguments: [true, false])
    func cameDuringTheEnd(byAppearing: Bool) async {
        let world = World(client: ScriptedHTTPClient())
        let model = ResourceModel(world.resource())
        let first = Task { await model.appear() }
        _ = await world.client.exchange(0)
        first.cancel()
        // As a page does that is loaded again: the load of the one before has not ended yet.
        #expect(model.isLoading)
        let second = Task { if byAppearing { await model.appear() } else { await model.refresh() } }
        await first.value
        let exchange = await world.client.exchange(1)
        #expect(model.isLoading && model.error == nil)
        exchange.respond(body: Data("[\"a\"]".utf8))
        await second.value
        #expect(model.value == ["a"] && !model.isLoading)
        #expect(world.client.requests.count == 2)
    }

    @Test("A load for who came later ends when they leave, too, and does not keep the model")
    func leavesTwice() async {
        let world = World(client: ScriptedHTTPClient())
        var model: ResourceModel? = ResourceModel(world.resource())
        weak let released = model
        let first = Task { [model] in await model?.appear() }
        _ = await world.client.exchange(0)
        let second = Task { [model] in await model?.appear() }
        let third = Task { [model] in await model?.appear() }
        third.cancel()
        await third.value
        first.cancel()
        let exchange = await world.client.exchange(1)
        second.cancel()
        await first.value
        await second.value
        await exchange.waitForCancellation()
        #expect(model?.phase == .idle && world.client.requests.count == 2)
        model = nil
        #expect(await eventually { released == nil })
    }

    @Test("Who refreshes during a load that is then cancelled asks, though a copy is young enough")
    func refreshesDuringTheEnd() async {
        let world = World(client: ScriptedHTTPClient())
        let cache = Cache<[String]>(
            key: "texts", in: world.store, policy: CachePolicy(askAfter: .hours(1)), now: world.date.read)
        let model = ResourceModel(Resource(remote: world.remote(), cache: cache))
        let loading = Task { await model.appear() }
        await world.client.exchange(0).respond(body: Data("[\"a\"]".utf8))
        await loading.value
        let first = Task { await model.refresh() }
        _ = await world.client.exchange(1)
        let second = Task { await model.refresh() }
        first.cancel()
        await first.value
        await world.client.exchange(2).respond(body: Data("[\"b\"]".utf8))
        await second.value
        #expect(model.value == ["b"])
    }

    @Test("Who comes during a load that ends well shares it")
    func sharesLoad() async {
        let world = World(client: ScriptedHTTPClient())
        let model = ResourceModel(world.resource())
        let all = [Task { await model.appear() }, Task { await model.refresh() }, Task { await model.appear() }]
        await world.client.exchange(0).respond(body: Data("[\"a\"]".utf8))
        for one in all { await one.value }
        #expect(model.value == ["a"] && world.client.requests.count == 1)
    }

    @Test("That a value could not be saved is told beside it")
    func saveError() async {
        let world = World(.texts(["a"]))
        world.store.fail(.update, with: .full(path: "/store"))
        let model = ResourceModel(world.resource())
        await model.refresh()
        #expect(model.value == ["a"] && model.saveError == .full(path: "/store"))
    }

    // MARK: What the server denies

    @Test(
        "What the server denies is hidden, also if it was shown before: the saved copy, and the latest of a moment ago",
        arguments: [401, 403, 404, 410])
    func hidesDenied(status: Int) async throws {
        let world = World(client: ScriptedHTTPClient())
        try await world.save(["old"], age: .days(1))
        let model = ResourceModel(world.resource())
        let loading = Task { await model.appear() }
        let exchange = await world.client.exchange(0)
        #expect(model.value == ["old"])
        exchange.respond(status: status)
        await loading.value
        #expect(model.value == nil && model.source == nil && model.phase == .failed)
        #expect(model.error == .invalidData(.status(status)))
        #expect(try await world.saved()?.texts == ["old"], "hidden, not deleted")
    }

    @Test("A hidden copy is not shown again while the next load runs; without a connection it stands in")
    func staysHidden() async throws {
        let world = World(client: ScriptedHTTPClient())
        try await world.save(["old"], age: .days(1))
        let model = ResourceModel(world.resource())
        let first = Task { await model.appear() }
        await world.client.exchange(0).respond(status: 401)
        await first.value
        let second = Task { await model.refresh() }
        let exchange = await world.client.exchange(1)
        #expect(model.value == nil && model.isLoading)
        exchange.fail(TransportError(.cannotConnect))
        await second.value
        #expect(model.value == ["old"] && model.phase == .loaded)
    }

    @Test("With the policy `always` a screen keeps the copy, and says why it is not the latest")
    func showsDenied() async throws {
        let world = World(.answer(status: 404))
        try await world.save(["old"], age: .days(1))
        let model = ResourceModel(Resource(remote: world.remote(), cache: world.cache, fallback: .always))
        await model.appear()
        #expect(model.value == ["old"] && model.error == nil)
        guard case .cache(_, because: .invalidData(.status(404))?)? = model.source else {
            Issue.record("came from \(String(describing: model.source))")
            return
        }
    }

    @Test("Loading by an app's own functions hides by the policy that it is given")
    func ownLoading() async {
        let savedAt = Date(timeIntervalSince1970: 0)
        func model(_ policy: FallbackPolicy) -> ResourceModel<[String]> {
            ResourceModel(
                ResourceModel.Loading(
                    load: { () async throws(LoadError) in throw .invalidData(.status(403)) },
                    saved: { () async throws(StoreError) in
                        Loaded(["old"], source: .cache(savedAt: savedAt, because: nil), savedAt: savedAt)
                    },
                    isFresh: { _ in true }, fallback: policy))
        }
        let (standard, always) = (model(.standard), model(.always))
        await standard.appear()
        await always.appear()
        #expect(standard.value == nil && standard.error == .invalidData(.status(403)))
        #expect(always.value == ["old"] && always.error == .invalidData(.status(403)))
    }
}
