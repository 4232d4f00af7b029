import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import App

@MainActor
@Suite("A removal finds what is the user's, or says that it does not", .timeLimit(.minutes(10)))
struct UsersPlaceTests {
    /// Adds a card, and waits until it is kept.
    private func addCard(_ world: UsersWorld, _ user: String) async throws {
        await world.typeCard(user)
        await world.tell(user, "card-form?tab=tab", "save")
        let room = try await world.house.rooms.room(of: try world.name(user))
        try #require(await eventually { (try? await room.services.payments.vault.cards().count) == 1 })
    }

    private func otherFolder() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "aquifer-other-\(UUID().uuidString)")
    }

    private func madeFolder() throws -> URL {
        let folder = otherFolder()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    @Test("In another folder nothing is deleted, nothing is made, and the user stays", arguments: ["data", "keys"])
    func elsewhere(what: String) async throws {
        let world = try await UsersWorld()
        try await addCard(world, "ana")
        let id = try await world.id("ana")
        let other = otherFolder()
        let isData = what == "data"
        let services = Services(
            Configuration(data: isData ? other : world.folder, keys: isData ? world.keys : other, retry: .never))
        let place = try #require(try world.file.place())
        await #expect(throws: UsersError.elsewhere(path: world.file.path, data: place.data)) {
            try await services.removeUser(try world.name("ana"), from: world.file, unsent: .discard)
        }
        #expect(!exists(other))
        #expect(
            exists(world.folder.appending(path: "users/\(id)")) && exists(world.keys.appending(path: "users/\(id)")))
        #expect(await world.ask("ana", "GET", "/api/user").status == 200)
        let room = try await world.house.rooms.room(of: try world.name("ana"))
        #expect(try await room.services.payments.vault.cards().count == 1)
        await world.end()
    }

    @Test("The file names the folders of the server, which a removal takes")
    func named() async throws {
        let world = try await UsersWorld()
        try await addCard(world, "ana")
        let id = try await world.id("ana")
        let place = try #require(try world.file.place())
        let services = Services(
            Configuration(
                data: URL(filePath: place.data, directoryHint: .isDirectory),
                keys: URL(filePath: place.keys, directoryHint: .isDirectory), retry: .never))
        try await services.removeUser(try world.name("ana"), from: world.file)
        for folder in [world.folder, world.keys] { #expect(!exists(folder.appending(path: "users/\(id)"))) }
        await world.end()
    }

    @Test("A folder that was moved is the same one; another one is refused by a server, too")
    func moved() async throws {
        let world = try await UsersWorld()
        let place = try #require(try world.file.place())
        let moved = UsersPlace(mark: place.mark, data: "/moved", keys: place.keys, isShared: false)
        _ = try world.file.settled(in: moved)
        #expect(try world.file.place() == moved)
        let other = UsersPlace(mark: "another", data: "/moved", keys: place.keys, isShared: false)
        #expect(throws: UsersError.elsewhere(path: world.file.path, data: "/moved")) {
            try world.file.settled(in: other)
        }
        #expect(try world.file.place() == moved)
        await world.end()
    }

    @Test("A user of a file that no server has used is removed without any folder")
    func unused() async throws {
        let folder = try madeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }  // what a test leaves behind is not what it tests
        let file = UsersFile(folder.appending(path: "users").path)
        _ = try file.add(try UserName("ana"), at: Date(timeIntervalSince1970: 0))
        let other = folder.appending(path: "data")
        try await Services(Configuration(data: other, keys: other)).removeUser(try UserName("ana"), from: file)
        #expect(try file.read().isEmpty && !exists(other))
    }

    @Test(
        "A file of another version, newer or before the first release, lets nobody in, and is left as it is",
        arguments: [1, 2, 4])
    func otherVersion(version: Int) async throws {
        let folder = try madeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }  // as above
        let file = UsersFile(folder.appending(path: "users").path)
        let body = #"[{"isLeaving":false,"name":"ana","tokens":[{"hash":"1","made":1780000000}]}]"#
        let sum = UserToken.hash("aquifer users \(version) 7\n\(body)")
        let bytes = Data("aquifer users \(version) 7 \(sum)\n\(body)".utf8)
        try bytes.write(to: URL(filePath: file.path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let error = UsersError.otherVersion(path: file.path, found: version, supported: 3)
        #expect(throws: error) { try file.read() }
        #expect(throws: error) { try file.add(try UserName("ana"), at: Date(timeIntervalSince1970: 0)) }
        let services = Services(Configuration(data: folder, keys: folder, retry: .never))
        await #expect(throws: error) { try await UserHouse(services, file, bound: UserQuota.usual) }
        #expect(
            "\(error)".contains(
                version < 3 ? "an earlier version of Aquifer, before its first release" : "a newer version"))
        #expect(try Data(contentsOf: URL(filePath: file.path)) == bytes)
        await services.stop()
    }

    @Test("Removed and added again between two looks of the server, a user has nothing of the other one")
    func sameName() async throws {
        let world = try await UsersWorld()
        await world.typeCard("ana")
        let form = await world.listen("ana", "/api/screens/card-form/events?tab=tab")
        try #require(await eventually { form.text.contains("\"digits\":16") })
        let room = try await world.house.rooms.room(of: try world.name("ana"))
        try await world.services.removeUser(try world.name("ana"), from: world.file)
        let token = try world.file.add(try world.name("ana"), at: world.date.now)
        #expect(await world.ask(token: token, "GET", "/api/user").status == 200)
        #expect(await world.ask("ana", "GET", "/api/user").status == 401)
        #expect(await eventually { form.hasEnded })
        let next = try await world.house.rooms.room(of: try world.name("ana"))
        #expect(next !== room)
        let empty = OpenStream(await world.ask(token: token, "GET", "/api/screens/card-form/events?tab=tab"))
        try #require(await eventually { empty.text.contains("event: state") })
        #expect(!empty.text.contains("\"digits\":16"))
        #expect(await eventually { world.house.rooms.count == 1 })
        await empty.close()
        await world.end()
    }
}
