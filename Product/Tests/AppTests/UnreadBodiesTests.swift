import AquiferTesting
import Foundation
import HTTPServer
import Testing

@testable import App

@Suite("Answers that nobody reads", .timeLimit(.minutes(10)))
@MainActor
struct UnreadBodiesTests {
    @Test(
        "A user's answers count until they were sent, and another user is served",
        arguments: ["/api/user", "\(AudioAPI.filePath)?tab=tab"])
    func counted(target: String) async throws {
        let world = try await UsersWorld()
        for user in ["ana", "bruno"] {
            let path = "\(AudioAPI.filePath)?tab=tab&name=rain.mp3"
            #expect(await world.ask(user, "POST", path, "ID3sound").status == 204)
        }
        var unread: [ServerResponse] = []
        for _ in 0..<UserRooms.mostVisitors { unread.append(await world.ask("ana", "GET", target)) }
        #expect(unread.allSatisfy { $0.status == 200 })
        #expect(await world.ask("ana", "GET", target).status == 429)
        #expect(await world.ask("bruno", "GET", target).status == 200)
        unread = []
        #expect(await eventually { await world.ask("ana", "GET", target).status == 200 })
        await world.end()
    }

    @Test("Relays that a user does not read leave the connections of their host to another user")
    func relays() async throws {
        let world = try await UsersWorld()
        let room = try await world.house.rooms.room(of: try world.name("ana"))
        let screen = try #require(room.site.hub.screen(AudioScreen.self, tab: "tab"))
        await screen.model.appear()
        let clip = try #require(screen.model.clips.first)
        let target = "/api/screens/audio/clips/\(clip.id)?tab=tab"
        var unread: [ServerResponse] = []
        for _ in 0..<Relays.most { unread.append(await world.ask("ana", "GET", target)) }
        #expect(unread.allSatisfy { $0.status == 200 })
        #expect(await world.ask("ana", "GET", target).status == 429)
        #expect(await world.ask("bruno", "GET", target).status == 200)
        unread = []
        #expect(await world.ask("ana", "GET", target).status == 200)
        await world.end()
    }

    @Test("Relays of all kinds count together")
    func relaysOfFiles() async throws {
        let world = AppWorld()
        let screen = try #require(world.site.hub.screen(AudioScreen.self, tab: "tab"))
        await screen.model.appear()
        let clip = try #require(screen.model.clips.first)
        let file = "/api/screens/drive-account/files/a?account=11111111111111111111111111111111"
        var unread: [ServerResponse] = []
        for _ in 0..<Relays.most {
            unread.append(await world.request("GET", "/api/screens/audio/clips/\(clip.id)?tab=tab"))
        }
        #expect(await world.request("GET", file).status == 429)
        unread = []
        #expect(await world.request("GET", file).status != 429)
        await world.services.stop()
    }

    @Test("Equal bodies are one copy, and all of one user have a bound in bytes, beyond which only sharing is free")
    func bytes() throws {
        func address(_ response: ServerResponse?) -> UnsafeRawPointer? {
            guard case .bytes(let data) = response?.body else { return nil }
            return data.withUnsafeBytes { $0.baseAddress }
        }
        let unread = UnreadBodies()
        func answer(_ byte: UInt8, _ size: Int = 16 << 20) -> ServerResponse {
            unread.counting(ServerResponse(body: .bytes(Data(repeating: byte, count: size))))
        }
        let first = answer(0)
        let equal = (0..<160).map { _ in answer(0) }
        #expect(equal.allSatisfy { $0.status == 200 && address($0) == address(first) })
        var others = (1..<8).map { answer($0) }
        #expect(others.allSatisfy { $0.status == 200 })
        #expect(answer(8).status == 429)
        #expect(answer(0).status == 200)
        others.removeLast()
        #expect(answer(8).status == 200)
    }

    @Test("An answer that is larger than the bound is given if it is the only one")
    func larger() {
        let unread = UnreadBodies()
        let whole = ServerResponse(body: .bytes(Data(count: UnreadBodies.most + 1)))
        let first = unread.counting(whole)
        #expect(first.status == 200)
        #expect(unread.counting(.text("more")).status == 429)
        withExtendedLifetime(first) {}
    }
}
