import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@MainActor
@Suite("What a screen shows of others' changes", .timeLimit(.minutes(10)))
struct ModelUpdatesTests {
    @Test("A model shows what others change, without a request, and hides what they delete")
    func follows() async throws {
        let world = World(.texts(["a"]))
        let model = ResourceModel(world.resource())
        await model.appear()
        #expect(model.value == ["a"] && model.source == .remote)
        world.date.advance(by: 1)
        try await world.cache.save(["b"])
        #expect(await eventually { model.value == ["b"] })
        #expect(model.source == .cache(savedAt: world.date.now, because: nil))
        try await world.cache.amend { $0 + ["c"] }
        #expect(await eventually { model.value == ["b", "c"] })
        try await world.cache.clear()
        #expect(await eventually { model.value == nil })
        #expect(model.source == nil && model.error == nil)
        #expect(world.client.requests.count == 1)
    }

    @Test("Two models of one resource make one request, and show the same")
    func two() async {
        let world = World(client: ScriptedHTTPClient())
        let resource = world.resource()
        let (one, two) = (ResourceModel(resource), ResourceModel(resource))
        let loads = [one, two].map { model in Task { await model.appear() } }
        let exchange = await world.client.exchange(0)
        #expect(await eventually { resource.waiters == 2 })
        exchange.respond(body: Data("[\"a\"]".utf8))
        for load in loads { await load.value }
        for model in [one, two] { #expect(model.value == ["a"] && model.source == .remote) }
        #expect(world.client.requests.count == 1)
    }

    @Test("What one model refreshes, the other shows as what the remote said")
    func refreshedByTheOther() async {
        let world = World(.texts(["a"]), .texts(["b"]), .refused)
        let resource = world.resource()
        let (one, two) = (ResourceModel(resource), ResourceModel(resource))
        await one.appear()
        await two.appear()
        #expect(two.value == ["b"])
        #expect(await eventually { one.value == ["b"] })
        #expect(one.source == .remote)
        let savedAt = world.date.now
        await one.refresh()
        let source = LoadSource.cache(savedAt: savedAt, because: .connectivity(TransportError(.cannotConnect)))
        #expect(one.source == source)
        #expect(await eventually { two.source == source })
    }

    @Test("What was deleted or has expired is loaded by the next appearance, once, and by nothing before it")
    func appearsAgain() async throws {
        let world = World(.texts(["a"]), .texts(["b"]), .refused)
        let clock = ManualClock()
        let model = ResourceModel(Resource(remote: world.remote(), cache: world.cache, clock: clock))
        await model.appear()
        try await world.cache.clear()
        #expect(await eventually { model.value == nil })
        #expect(model.phase == .idle && world.client.requests.count == 1)
        for _ in 0..<2 { await model.appear() }
        #expect(model.value == ["b"] && world.client.requests.count == 2)
        await clock.waitForSleepers()
        world.date.advance(by: Duration.days(7).timeInterval)
        clock.advance(by: .days(7))
        #expect(await eventually { model.value == nil })
        #expect(model.phase == .idle && world.client.requests.count == 2)
        for _ in 0..<2 { await model.appear() }
        #expect(model.phase == .failed && model.error?.trouble == .unreachable)
        #expect(world.client.requests.count == 3)
    }

    @Test("What was saved elsewhere after a failed load, and was lost, is loaded by the next appearance")
    func appearsAfterFailure() async throws {
        let world = World(.refused, .texts(["b"]))
        let model = ResourceModel(Resource(remote: world.remote(), cache: world.cache))
        await model.appear()
        #expect(model.phase == .failed)
        model.dismissError()
        await model.appear()
        #expect(model.phase == .failed && world.client.requests.count == 1, "a failed load is not tried again")
        try await world.cache.save(["a"])
        #expect(await eventually { model.value == ["a"] })
        try await world.cache.clear()
        #expect(await eventually { model.value == nil })
        #expect(model.phase == .idle)
        await model.appear()
        #expect(model.value == ["b"])
    }

    @Test("A failure is past when a newer value was saved elsewhere, and no failure of what is lost after that")
    func pastFailure() async throws {
        let world = World(.refused, .texts(["c"]))
        let model = ResourceModel(Resource(remote: world.remote(), cache: world.cache))
        await model.appear()
        #expect(model.phase == .failed && model.error != nil)
        try await world.cache.save(["b"])
        #expect(await eventually { model.value == ["b"] })
        #expect(model.error == nil && model.phase == .loaded)
        try await world.cache.clear()
        #expect(await eventually { model.phase == .idle })
        await model.appear()
        #expect(model.value == ["c"])
    }

    @Test("A denied value leaves both screens, and a copy that expires leaves an idle one")
    func leaves() async {
        let world = World(
            .texts(["a"]), .texts(["a"]), .answer(status: 403), .answer(status: 403), .texts(["b"]))
        let clock = ManualClock()
        let resource = Resource(remote: world.remote(), cache: world.cache, clock: clock)
        let (one, two) = (ResourceModel(resource), ResourceModel(resource))
        await one.appear()
        await two.appear()
        await one.refresh()
        #expect(one.value == nil && one.error != nil)
        #expect(await eventually { two.value == nil })
        #expect(two.phase == .idle)
        await two.appear()
        #expect(two.phase == .failed && two.error == one.error)
        await one.refresh()
        #expect(await eventually { two.value == ["b"] })
        await clock.waitForSleepers()
        world.date.advance(by: Duration.days(8).timeInterval)
        clock.advance(by: .days(8))
        #expect(await eventually { one.value == nil && two.value == nil })
    }

    @Test("A model that is released follows no more")
    func released() async {
        let world = World(.texts(["a"]))
        let resource = world.resource()
        var model: ResourceModel<[String]>? = ResourceModel(resource)
        await model?.appear()
        weak var weakly: ResourceModel<[String]>?
        weakly = model
        model = nil
        #expect(weakly == nil)
        let hub = resource.hub.withLock { $0 }
        #expect(await eventually { hub?.state.withLock { $0.subscribers.isEmpty } == true })
    }

    @Test("A screen may show a value that it has from elsewhere, with its source and stamp")
    func replaces() {
        let world = World()
        let model = ResourceModel(world.resource())
        let savedAt = world.date.now
        model.replaceValue(Loaded(["a"], source: .cache(savedAt: savedAt, because: nil), savedAt: savedAt))
        #expect(model.value == ["a"] && model.source == .cache(savedAt: savedAt, because: nil))
        model.replaceValue(["a", "b"])
        #expect(model.value == ["a", "b"] && model.source == .cache(savedAt: savedAt, because: nil))
    }
}
