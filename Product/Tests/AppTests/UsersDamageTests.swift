import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import App

@MainActor
@Suite("A file of users that is not as it was lets nobody in", .timeLimit(.minutes(10)))
struct UsersDamageTests {
    private static let stream = "/api/screens/foaas-settings/events?tab=tab"

    private func write(_ bytes: Data, _ world: UsersWorld) throws {
        try bytes.write(to: URL(filePath: world.file.path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: world.file.path)
    }

    private func bytes(_ world: UsersWorld) throws -> Data { try Data(contentsOf: URL(filePath: world.file.path)) }

    /// Spoils a file, in place or by another one, while its first line stays.
    private func spoil(_ how: String, _ world: UsersWorld) throws {
        var bytes = try bytes(world)
        let line = try #require(bytes.firstIndex(of: UInt8(ascii: "\n")))
        switch how {
        case "flipped":
            let handle = try FileHandle(forUpdating: URL(filePath: world.file.path))
            let place = line + 20
            try handle.seek(toOffset: UInt64(place))
            try handle.write(contentsOf: Data([bytes[place] ^ 1]))
            try handle.close()
        case "cut":
            bytes = bytes[...line]
            try write(Data(bytes), world)
        case "open":
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: world.file.path)
        default: try FileManager.default.removeItem(atPath: world.file.path)
        }
    }

    @Test("Damage is told to the operator, once, and again after the file was good")
    func told() async throws {
        let world = try await UsersWorld()
        let reasons = Locked<[String]>([])
        world.house.access.hearTroubles { error in reasons.withLock { $0.append("\(error)") } }
        let good = try bytes(world)
        for count in 1...2 {
            try spoil("flipped", world)
            for _ in 0..<3 { await world.house.access.refresh() }
            #expect(reasons.withLock { $0.count } == count)
            try write(good, world)
            await world.house.access.refresh()
        }
        #expect(reasons.withLock { $0.allSatisfy { $0.contains("is damaged") && $0.contains(world.file.path) } })
        await world.end()
    }

    @Test(
        "Damage is noticed wherever it is, although the first line is the same",
        arguments: ["flipped", "cut", "open", "gone"])
    func damage(how: String) async throws {
        let world = try await UsersWorld()
        let good = try bytes(world)
        #expect(await world.ask("bruno", "GET", "/api/user").status == 200)
        try spoil(how, world)
        #expect(await world.ask("bruno", "GET", "/api/user").status == 500)
        await #expect(throws: UsersError.self) { try await UserHouse(world.services, world.file, bound: 1) }
        try write(good, world)
        #expect(await world.ask("bruno", "GET", "/api/user").status == 200)
        await world.end()
    }

    @Test("Streams end after some seconds without a file that can be read, and not before")
    func streams() async throws {
        let world = try await UsersWorld()
        let stream = await world.listen("ana", Self.stream)
        try #require(await eventually { stream.text.contains("event: state") })
        let good = try bytes(world)
        try spoil("gone", world)
        await world.house.access.refresh()
        world.uptime.withLock { $0 += UserAccess.patienceWithFile - .seconds(1) }
        await world.house.access.refresh()
        #expect(!stream.hasEnded)
        // A file that is right again begins the time anew.
        try write(good, world)
        await world.house.access.refresh()
        try spoil("gone", world)
        world.uptime.withLock { $0 += .seconds(2) }
        await world.house.access.refresh()
        #expect(!stream.hasEnded)
        world.uptime.withLock { $0 += UserAccess.patienceWithFile }
        await world.house.access.refresh()
        #expect(await eventually { stream.hasEnded })
        await world.end()
    }

    @Test("An older copy revives no token, neither in a running server nor in one that starts, until it is accepted")
    func older() async throws {
        let world = try await UsersWorld()
        let old = try bytes(world)
        try await world.register.endTokens(of: try world.name("ana"))
        #expect(await world.ask("ana", "GET", "/api/user").status == 401)
        let new = try bytes(world)
        try write(old, world)
        #expect(await world.ask("ana", "GET", "/api/user").status == 500)
        let mark = try #require(try UsersContent(old, path: world.file.path).place).generations.path
        let older = UsersError.older(path: world.file.path, mark: mark)
        await #expect(throws: older) { try await UserHouse(world.services, world.file, bound: 1) }
        #expect(throws: older) { try world.file.read() }
        #expect(throws: older) { try world.file.add(try world.name("carla"), at: world.date.now) }
        try write(new, world)
        #expect(await world.ask("ana", "GET", "/api/user").status == 401)
        #expect(await world.ask("bruno", "GET", "/api/user").status == 200)
        try write(old, world)
        try FileManager.default.removeItem(atPath: mark)
        #expect(await world.ask("ana", "GET", "/api/user").status == 200)
        await world.end()
    }

    @Test("A file that was replaced by a new one comes back no more")
    func retired() async throws {
        let world = try await UsersWorld()
        let old = try bytes(world)
        try FileManager.default.removeItem(atPath: world.file.path)
        let token = try world.file.add(try world.name("carla"), at: world.date.now)
        #expect(await world.ask(token: token, "GET", "/api/user").status == 200)
        #expect(try world.file.place() != nil, "the server has written its place into the new file")
        try write(old, world)
        #expect(await world.ask("ana", "GET", "/api/user").status == 500)
        #expect(await world.ask(token: token, "GET", "/api/user").status == 500)
        await world.end()
    }

    @Test("A damaged mark of the last version is told, and lets nobody in")
    func damagedMark() async throws {
        let world = try await UsersWorld()
        let mark = try #require(try world.file.place()).generations.path
        var bytes = try Data(contentsOf: URL(filePath: mark))
        bytes[bytes.count - 3] ^= 1
        try bytes.write(to: URL(filePath: mark))
        #expect(throws: UsersError.damagedGeneration(path: world.file.path, mark: mark)) { try world.file.read() }
        await #expect(throws: UsersError.self) { try await UserHouse(world.services, world.file, bound: 1) }
        await world.end()
    }

    @Test("A server without a file begins with nobody, and lets in the first who is added")
    func nobody() async throws {
        let world = try await UsersWorld([])
        #expect(world.house.isEmpty)
        #expect(await world.ask(token: UserToken.random(), "GET", "/api/user").status == 401)
        let token = try world.file.add(try world.name("ana"), at: world.date.now)
        #expect(await world.ask(token: token, "GET", "/api/user").status == 200)
        #expect(!world.house.isEmpty)
        await world.end()
    }

    @Test("What root changes stays the file of its owner, which root may use", .enabled(if: geteuid() == 0))
    func root() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-root-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // what a test leaves behind is not what it tests
        let file = UsersFile(folder.appending(path: "users").path)
        #expect(chown(folder.path, 65534, 65534) == 0)
        _ = try file.add(try UserName("ana"), at: Date(timeIntervalSince1970: 0))
        _ = try file.addToken(try UserName("ana"), at: Date(timeIntervalSince1970: 0))
        for name in ["users", "users.lock"] {
            var info = stat()
            #expect(lstat(folder.appending(path: name).path, &info) == 0 && info.st_uid == 65534, "\(name)")
        }
        // A file of somebody else is not root's business.
        #expect(chown(file.path, 65533, 65533) == 0)
        #expect(throws: UsersError.open(path: file.path)) { try file.read() }
    }
}
