import Aquifer
import AquiferTesting
import Foundation
import ReferenceAPIs
import Testing

@testable import App

@MainActor
@Suite("A removal that is refused changes nothing", .timeLimit(.minutes(10)))
struct UsersRefusalTests {
    private static let form = "/api/screens/card-form/events?tab=tab"

    @Test("Streams go on, typed forms stay, and a paused outbox sends nothing")
    func nothing() async throws {
        let world = try await UsersWorld { $0.faults = [.audio: .offline] }
        #expect(await world.leavePost("ana", title: "Rain") == 204)
        let room = try await world.house.rooms.room(of: try world.name("ana"))
        try #require(await eventually { (try? await room.services.outbox.items().count) == 1 })
        await world.tell("ana", "outbox?tab=tab", "pause")
        try #require(await eventually { room.site.hub.runner.isPaused })
        world.services.reference.set(.none, of: .audio)
        await world.typeCard("ana")
        let form = await world.listen("ana", Self.form)
        try #require(await eventually { form.text.contains("\"digits\":16") })
        let before = try world.file.read()
        await #expect(throws: UsersError.unsent("ana", changes: 1, payments: 0)) {
            try await world.services.removeUser(try world.name("ana"), from: world.file)
        }
        // The file has not even been written.
        #expect(try world.file.read() == before)
        #expect(await world.ask("ana", "GET", "/api/user").status == 200)
        #expect(!form.hasEnded)
        #expect(try await world.house.rooms.room(of: try world.name("ana")) === room)
        #expect(room.site.hub.runner.isPaused)
        #expect(try await room.services.outbox.items().count == 1)
        #expect(world.services.reference.transfers(of: .audio).completed == 0)
        await form.close()
        await world.end()
    }

    @Test("While a removal is not certain, new requests wait, and nothing that is open ends")
    func uncertain() async throws {
        let world = try await UsersWorld()
        await world.typeCard("ana")
        let form = await world.listen("ana", Self.form)
        try #require(await eventually { form.text.contains("\"digits\":16") })
        let room = try await world.house.rooms.room(of: try world.name("ana"))
        try await world.file.setLeaving(try world.name("ana"), true)
        let answer = await world.ask("ana", "GET", "/api/user")
        #expect(answer.status == 409)
        #expect(try await String(decoding: answer.collectBody(), as: UTF8.self).contains("leaving"))
        #expect(!form.hasEnded)
        try await world.file.setLeaving(try world.name("ana"), false)
        #expect(await world.ask("ana", "GET", "/api/user").status == 200)
        #expect(!form.hasEnded)
        #expect(try await world.house.rooms.room(of: try world.name("ana")) === room)
        await form.close()
        await world.end()
    }

    @Test("A user whom a killed removal has kept out comes in again when the next one is refused")
    func killed() async throws {
        let world = try await UsersWorld { $0.faults = [.audio: .offline] }
        #expect(await world.leavePost("ana", title: "Rain") == 204)
        let room = try await world.house.rooms.room(of: try world.name("ana"))
        try #require(await eventually { (try? await room.services.outbox.items().count) == 1 })
        try await world.file.setLeaving(try world.name("ana"), true)
        await #expect(throws: UsersError.unsent("ana", changes: 1, payments: 0)) {
            try await world.services.removeUser(try world.name("ana"), from: world.file)
        }
        #expect(await world.ask("ana", "GET", "/api/user").status == 200)
        await world.end()
    }

    @Test("A pause of one of several users holds after a restart, until it is taken back")
    func restart() async throws {
        let world = try await UsersWorld { $0.faults = [.audio: .offline] }
        #expect(await world.leavePost("ana", title: "Rain") == 204)
        let room = try await world.house.rooms.room(of: try world.name("ana"))
        try #require(await eventually { (try? await room.services.outbox.items().count) == 1 })
        await room.site.hub.runner.pause()
        await world.house.rooms.stop()
        world.services.reference.set(.none, of: .audio)
        let later = try await UserHouse(world.services, world.file, bound: UserQuota.usual)
        await later.rooms.resumeSending()
        let again = try await later.rooms.room(of: try world.name("ana"))
        try #require(await eventually { again.site.hub.runner.isPaused })
        #expect(try await again.services.outbox.items().count == 1)
        #expect(world.services.reference.transfers(of: .audio).completed == 0)
        await again.site.hub.runner.resume()
        #expect(await world.hasSent(again))
        await later.rooms.stop()
        await world.end()
    }

    @Test("A pause of the only user holds after a restart, and at another server on the same store")
    func onlyUser() async throws {
        let world = AppWorld()
        let one = OutboxRunner(world.services.outbox, in: world.services.groundwork.queue)
        let elsewhere = Services(world.services.configuration)
        let other = OutboxRunner(elsewhere.outbox, in: elsewhere.groundwork.queue)
        one.start()
        other.start()
        await one.pause()
        #expect(await eventually { other.isPaused })
        await one.stop()
        let later = OutboxRunner(world.services.outbox, in: world.services.groundwork.queue)
        later.start()
        #expect(await eventually { later.isPaused })
        await later.resume()
        #expect(await eventually { !other.isPaused })
        await other.stop()
        await later.stop()
        await elsewhere.stop()
        await world.services.stop()
    }

    @Test("A pause that could not be saved holds here, and everywhere once the store takes it")
    func unsaved() async throws {
        let world = AppWorld()
        let (memory, clock) = (MemoryStore(), ManualClock())
        let store = FaultyStore(memory)
        let runner = OutboxRunner(world.services.outbox, in: store, clock: clock)
        runner.start()
        store.fail(.insert, with: .failed(operation: "write", reason: "away"))
        await runner.pause()
        // A store that comes back tells that anything may have changed.
        memory.changes.post(.everything)
        try #require(await eventually { !clock.sleepers.isEmpty })
        #expect(runner.isPaused && runner.isUnsaved)
        #expect(try await memory.retrieve(OutboxPause.key) == nil)
        store.heal()
        #expect(
            await eventually {
                clock.advance(by: .seconds(1))
                return (try? await memory.retrieve(OutboxPause.key)) != nil
            })
        #expect(await eventually { !runner.isUnsaved })
        #expect(runner.isPaused)
        await runner.stop()
        await world.services.stop()
    }

    @Test("Nothing is sent before it is known whether the outbox is paused; damage pauses it")
    func unknown() async throws {
        let world = AppWorld()
        let outbox = world.services.outbox
        var request = HTTPRequest(.post, try #require(URL(string: "http://127.0.0.1:9/")))
        request.body = .bytes(Data("x".utf8))
        try await outbox.enqueue(request)
        let (store, clock) = (FaultyStore(MemoryStore()), ManualClock())
        store.fail(.retrieve, with: .failed(operation: "read", reason: "away"))
        let runner = OutboxRunner(outbox, in: store, clock: clock)
        runner.start()
        // It has looked, and looks again in a second.
        await clock.waitForSleepers()
        #expect(try await outbox.items().map(\.state) == [.waiting])
        store.heal()
        clock.advance(by: .seconds(1))
        #expect(await eventually { (try? await outbox.items().map(\.state)) != [.waiting] })
        await runner.stop()
        store.fail(.retrieve, with: .unreadable(key: OutboxPause.key, reason: "damaged"))
        let damaged = OutboxRunner(outbox, in: store)
        damaged.start()
        #expect(await eventually { damaged.isPaused })
        await damaged.stop()
        await world.services.stop()
    }
}
