import Aquifer
import AquiferTesting
import Foundation
import ReferenceAPIs
import Testing

@testable import App

@MainActor
@Suite("Users are removed, and bounded", .timeLimit(.minutes(10)))
struct UsersRemovalTests {
    /// Adds a card, and leaves a post.
    private func fill(_ world: UsersWorld, _ user: String) async throws {
        for (field, value) in [("number", "4539578763621486"), ("holder", "Ada"), ("expiry", "1228")] {
            await world.tell(user, "card-form?tab=tab", "edit", ["field": field, "value": value])
        }
        await world.tell(user, "card-form?tab=tab", "save")
        #expect(await world.leavePost(user, title: "Rain") == 204)
        let room = try await world.house.rooms.room(of: try world.name(user))
        try #require(await eventually { (try? await room.services.outbox.items().count) == 1 })
        try #require(await eventually { (try? await room.services.payments.vault.cards().count) == 1 })
    }

    private func files(_ world: UsersWorld, _ user: UserID) -> [String] {
        [world.folder, world.keys].flatMap { folder in
            FileManager.default.enumerator(atPath: folder.appending(path: "users/\(user)").path)?.allObjects
                as? [String] ?? []
        }
    }

    @Test("not while something has not been sent: the number is told, and the user is let in again")
    func refused() async throws {
        let world = try await UsersWorld { $0.faults = [.audio: .offline] }
        try await fill(world, "ana")
        let name = try world.name("ana")
        await #expect(throws: UsersError.unsent("ana", changes: 1, payments: 0)) {
            try await world.services.removeUser(name, from: world.file)
        }
        await #expect(throws: UsersError.unsent("ana", changes: 1, payments: 0)) {
            try await world.services.removeUser(name, from: world.file, unsent: .sendFirst)
        }
        #expect(await world.ask("ana", "GET", "/api/user").status == 200)
        let cards = await world.listen("ana", "/api/screens/cards/events?tab=tab")
        await world.tell("ana", "cards?tab=tab", "appear")
        #expect(await eventually { cards.text.contains("Ada") })
        await cards.close()
        await world.end()
    }

    @Test("with everything that is theirs when the unsent is discarded, and nothing of the others'")
    func discarded() async throws {
        let world = try await UsersWorld { $0.faults = [.audio: .offline] }
        try await fill(world, "ana")
        try await fill(world, "bruno")
        let (ana, other) = (try await world.id("ana"), try await world.id("bruno"))
        #expect(files(world, ana).count > 3)
        try await world.services.removeUser(try world.name("ana"), from: world.file, unsent: .discard)
        #expect(await world.ask("ana", "GET", "/api/user").status == 401)
        #expect(files(world, ana) == [] && files(world, other).count > 3)
        let store = world.services.groundwork.place.store(.users)
        #expect(try await store.contents(prefix: "scope/user%2F\(ana)/").entries.isEmpty)
        #expect(try await !store.contents(prefix: "scope/user%2F\(other)/").entries.isEmpty)
        let bruno = try await world.house.rooms.room(of: try world.name("bruno"))
        #expect(try await bruno.services.outbox.items().count == 1)
        #expect(try await bruno.services.payments.vault.cards().count == 1)
        // Another user of this name begins with nothing.
        let token = try world.file.add(try world.name("ana"), at: world.date.now)
        #expect(await world.ask(token: token, "GET", "/api/user").status == 200)
        let room = try await world.house.rooms.room(of: try world.name("ana"))
        #expect(try await room.services.outbox.items().isEmpty)
        #expect(try await room.services.payments.vault.cards().isEmpty)
        await world.end()
    }

    @Test("after what waits was sent, if that is wished and works")
    func sentFirst() async throws {
        let world = try await UsersWorld { $0.faults = [.audio: .offline] }
        try await fill(world, "ana")
        await world.house.rooms.stop()
        world.services.reference.set(.none, of: .audio)
        try await world.services.removeUser(try world.name("ana"), from: world.file, unsent: .sendFirst)
        #expect(world.services.reference.transfers(of: .audio).completed > 0)
        #expect(try world.file.read().map(\.name) == ["bruno"])
        await world.end()
    }

    @Test("once more, when a removal was killed after it had begun")
    func killed() async throws {
        let world = try await UsersWorld()
        try await world.file.setLeaving(try world.name("ana"), true)
        #expect(await world.ask("ana", "GET", "/api/user").status == 409)
        #expect(throws: UsersError.leaving("ana")) {
            try world.file.addToken(try world.name("ana"), at: world.date.now)
        }
        try await world.services.removeUser(try world.name("ana"), from: world.file)
        #expect(try world.file.read().map(\.name) == ["bruno"])
        await #expect(throws: UsersError.unknown("ana")) {
            try await world.services.removeUser(try world.name("ana"), from: world.file)
        }
        await world.end()
    }

    @Test("A user at the bound is told so, keeps everything, and can go on when something is discarded")
    func quota() async throws {
        let world = try await UsersWorld(quota: 20_000) { $0.faults = [.audio: .offline] }
        #expect(await world.leavePost("ana", title: "Rain", sound: String(repeating: "a", count: 8_000)) == 204)
        let room = try await world.house.rooms.room(of: try world.name("ana"))
        try #require(await eventually { (try? await room.services.outbox.items().count) == 1 })
        let large = "ID3" + String(repeating: "b", count: 15_000)
        let refused = await world.ask("ana", "POST", "\(AudioAPI.filePath)?tab=two&name=b.mp3", large)
        #expect(refused.status == 507)
        #expect(try await String(decoding: refused.collectBody(), as: UTF8.self).contains("20000 bytes"))
        #expect(try await room.services.outbox.items().count == 1)
        #expect(await world.ask("bruno", "POST", "\(AudioAPI.filePath)?tab=two&name=b.mp3", large).status == 204)
        for item in try await room.services.outbox.items() { _ = try await room.services.outbox.discard(item.id) }
        #expect(await world.ask("ana", "POST", "\(AudioAPI.filePath)?tab=two&name=b.mp3", large).status == 204)
        await world.end()
    }

    @Test("At the bound a new entry is refused, and one that is there can be changed and deleted")
    func entries() async throws {
        let inner = MemoryStore()
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let store = QuotaStore(inner, UserQuota(bound: 1_000, inner, folder: folder))
        func entry(_ size: Int) -> StoredEntry {
            StoredEntry(bytes: Data(count: size), savedAt: Date(timeIntervalSince1970: 0))
        }
        try await store.insert(entry(600), for: "a")
        await #expect(throws: StoreError.self) { try await store.insert(entry(600), for: "b") }
        #expect(try await store.retrieve("b") == nil)
        try await store.insert(entry(900), for: "a")
        try await store.insert(entry(100), for: "a")
        // The room is measured anew, because the entry is smaller now.
        try await store.insert(entry(600), for: "b")
        try await store.delete("b")
        try await store.insert(entry(600), for: "c")
        #expect(try await inner.contents().entries.map(\.key).sorted() == ["a", "c"])
    }
}
