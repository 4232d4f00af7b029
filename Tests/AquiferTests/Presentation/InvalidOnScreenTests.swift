import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@MainActor
@Suite("A value on screen that is made invalid", .timeLimit(.minutes(10)))
struct InvalidOnScreenTests {
    /// The resource of another process: it shares the store alone.
    private func elsewhere(_ world: World) -> Resource<[String]> { world.resource() }

    private func appeared(_ number: Int, _ resource: Resource<[String]>) async -> [ResourceModel<[String]>] {
        var models: [ResourceModel<[String]>] = []
        for _ in 0..<number {
            models.append(ResourceModel(resource))
            await models.last?.appear()
        }
        return models
    }

    /// Waits until all models have been told everything that happened to the store so far: an amended text reaches them.
    private func settle(_ models: [ResourceModel<[String]>], _ world: World, _ text: String) async throws {
        try await world.cache.amend { $0 + [text] }
        for model in models {
            #expect(await eventually { model.value?.last == text && !model.isLoading })
        }
    }

    @Test("is loaded again, once for all models, here or in another process", arguments: [false, true])
    func again(isElsewhere: Bool) async throws {
        let world = World(.texts(["a"]), .texts(["b"]), .texts(["c"]), .texts(["d"]))
        let resource = world.resource()
        let models = await appeared(2, resource)
        #expect(world.client.requests.count == 2)
        for text in ["c", "d"] {
            world.date.advance(by: 1)
            try await (isElsewhere ? elsewhere(world) : resource).invalidate()
            for model in models {
                #expect(await eventually { model.value == [text] && !model.isLoading })
                #expect(model.source == .remote && model.error == nil)
            }
        }
        try await settle(models, world, "mine")
        #expect(world.client.requests.count == 4)
    }

    @Test("is loaded again also when nothing was saved yet")
    func noCopy() async throws {
        let world = World(.refused, .texts(["a"]))
        let models = await appeared(1, world.resource())
        #expect(models[0].value == nil && models[0].error != nil)
        try await elsewhere(world).invalidate()
        #expect(await eventually { models[0].value == ["a"] && !models[0].isLoading })
        #expect(models[0].error == nil && world.client.requests.count == 2)
    }

    @Test("stays invalid when there is no answer: nothing asks again before the next refresh or connection")
    func noAnswer() async throws {
        let world = World(.texts(["a"]), .texts(["a"]), .refused, .refused, .texts(["b"]))
        let models = await appeared(2, world.resource())
        let savedAt = world.date.now
        try await elsewhere(world).invalidate()
        let copy = LoadSource.cache(savedAt: savedAt, because: .connectivity(TransportError(.cannotConnect)))
        for model in models {
            #expect(await eventually { model.source == copy && !model.isLoading })
            #expect(model.value == ["a"])
        }
        try await settle(models, world, "mine")
        #expect(world.client.requests.count == 3)
        #expect(try await world.saved()?.entry.asking.mark != nil)
        await models[0].refresh()
        try await settle(models, world, "too")
        #expect(world.client.requests.count == 4)
        await models[1].connectionRestored()
        for model in models { #expect(await eventually { model.value == ["b"] && model.source == .remote }) }
        #expect(world.client.requests.count == 5)
        #expect(try await world.saved()?.entry.asking == .unsaid)
    }

    @Test("leaves each screen when the server denies it now, with the error")
    func denied() async throws {
        let world = World(.texts(["a"]), .texts(["a"]), .answer(status: 403), .texts(["b"]))
        let models = await appeared(2, world.resource())
        try await elsewhere(world).invalidate()
        for model in models { #expect(await eventually { model.value == nil && !model.isLoading }) }
        // Who waited for the same request has its error. Whoever came after it sees an empty screen, as after another's load.
        #expect(await eventually { models.contains { $0.error == .invalidData(.status(403)) } })
        #expect(world.client.requests.count == 3)
        await models[0].refresh()
        for model in models { #expect(await eventually { model.value == ["b"] }) }
    }

    @Test("during a load is asked for once more, and no third time")
    func duringLoad() async throws {
        let world = World(client: ScriptedHTTPClient())
        let resource = world.resource()
        let model = ResourceModel(resource)
        let load = Task { await model.appear() }
        let exchange = await world.client.exchange(0)
        try await elsewhere(world).invalidate()
        exchange.respond(body: Data("[\"before\"]".utf8))
        await world.client.exchange(1).respond(body: Data("[\"after\"]".utf8))
        await load.value
        #expect(await eventually { model.value == ["after"] && !model.isLoading })
        try await settle([model], world, "mine")
        #expect(world.client.requests.count == 2)
    }

    @Test("during a load that is then cancelled is asked for all the same")
    func duringCancelled() async throws {
        let world = World(client: ScriptedHTTPClient())
        try await world.save(["old"])
        let model = ResourceModel(world.resource())
        let load = Task { await model.appear() }
        _ = await world.client.exchange(0)
        try await elsewhere(world).invalidate()
        #expect(await eventually { model.invalidMark != nil })
        load.cancel()
        await load.value
        await world.client.exchange(1).respond(body: Data("[\"new\"]".utf8))
        #expect(await eventually { model.value == ["new"] && !model.isLoading })
    }

    @Test("keeps no model alive while it is asked for: a released one cancels its request")
    func released() async throws {
        let world = World(client: ScriptedHTTPClient())
        var model: ResourceModel<[String]>? = ResourceModel(world.resource())
        let load = Task { [model] in await model?.appear() }
        await world.client.exchange(0).respond(body: Data("[\"a\"]".utf8))
        await load.value
        weak let gone = model
        try await elsewhere(world).invalidate()
        let exchange = await world.client.exchange(1)
        model = nil
        #expect(await eventually { gone == nil })
        await exchange.waitForCancellation()
    }

    @Test("asks for nothing where only the sequence is read, or the screen has not appeared")
    func onlyRead() async throws {
        let world = World(.texts(["a"]))
        let resource = world.resource()
        let hidden = ResourceModel(resource)
        _ = try await resource.load()
        var states = resource.updates.makeAsyncIterator()
        #expect(await states.next()??.value == ["a"])
        try await elsewhere(world).invalidate()
        try await world.cache.amend { $0 + ["mine"] }
        #expect(await states.next()??.value == ["a", "mine"])
        #expect(world.client.requests.count == 1 && hidden.phase == .idle)
    }
}
