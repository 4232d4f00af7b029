import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@MainActor
@Suite("What a screen shows of others' changes", .timeLimit(.minutes(10)))
struct ModelUpdatesTests {
    @Test("A model shows what others change, without a request, and loads what they delete")
    func follows() async throws {
        let world = World(.texts(["a"]), .texts(["d"]), .refused)
        let model = ResourceModel(world.resource())
        await model.appear()
        #expect(model.value == ["a"] && model.source == .remote)
        world.date.advance(by: 1)
        try await world.cache.save(["b"])
        #expect(await eventually { model.value == ["b"] })
        #expect(model.source == .cache(savedAt: world.date.now, because: nil))
        try await world.cache.amend { $0 + ["c"] }
        #expect(await eventually { model.value == ["b", "c"] })
        #expect(world.client.requests.count == 1)
        try await world.cache.clear()
        #expect(await eventually { model.value == ["d"] && model.phase == .loaded })
        try await world.cache.clear()
        #expect(await eventually { model.phase == .failed })
        #expect(model.value == nil && model.error?.trouble == .unreachable)
        #expect(world.client.requests.count == 3)
    }

    @Test("A model loads the value on screen when its copy expires, once, and says so if there is no answer")
    func expires() async throws {
        let world = World(.texts(["a"]), .texts(["b"]), .refused)
        let clock = ManualClock()
        let model = ResourceModel(Resource(remote: world.remote(), cache: world.cache, clock: clock))
        await model.appear()
        for phase in [ResourceModel<[String]>.Phase.loaded, .failed] {
            await clock.waitForSleepers(1)
            world.date.advance(by: Duration.days(7).timeInterval)
            clock.advance(by: .days(7))
            #expect(
                await eventually {
                    model.phase == phase && (model.value == nil) == (phase == .failed) && model.value != ["a"]
                })
        }
        #expect(world.client.requests.count == 3)
    }

    @Test("Nothing is loaded by itself after the end of a scope, nor where copies last less than a minute")
    func staysAway() async throws {
        let world = World(.texts(["a"]), .texts(["b"]))
        let cache = Cache<[String]>(
            key: "texts", in: world.store, policy: CachePolicy(maxAge: .seconds(59)), now: world.date.read)
        let model = ResourceModel(Resource(remote: world.remote(), cache: cache))
        await model.appear()
        try await cache.clear()
        #expect(await eventually { model.value == nil })
        let scope = Scope("ana", in: MemoryStore())
        let scoped = ResourceModel(
            Resource(
                remote: world.remote(), cache: Cache<[String]>(key: "texts", in: scope.store, now: world.date.read)))
        await scoped.appear()
        #expect(scoped.value == ["b"])
        try await scope.end()
        #expect(await eventually { scoped.value == nil })
        for _ in 0..<100 { await Task.yield() }
        #expect(model.phase == .idle && world.client.requests.count == 2)
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

    @Test("A denied value leaves both screens, and a copy that expires leaves an idle one")
    func leaves() async {
        let world = World(.texts(["a"]), .texts(["a"]), .answer(status: 403), .texts(["b"]))
        let clock = ManualClock()
        let resource = Resource(remote: world.remote(), cache: world.cache, clock: clock)
        let (one, two) = (ResourceModel(resource), ResourceModel(resource))
        await one.appear()
        await two.appear()
        await one.refresh()
        #expect(one.value == nil && one.error != nil)
        #expect(await eventually { two.value == nil })
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
