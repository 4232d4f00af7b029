import Aquifer
import AquiferTesting
import Foundation
import HTTPServer
import ReferenceAPIs
import Testing

@testable import App

@MainActor
@Suite("Users come in and log out", .timeLimit(.minutes(10)))
struct UsersAccessTests {
    private static let stream = "/api/screens/foaas-settings/events?tab=tab"

    @Test("A user is let in by the token, and told the name; nobody else is")
    func name() async throws {
        let world = try await UsersWorld()
        for user in ["ana", "bruno"] {
            let answer = try await world.ask(user, "GET", "/api/user").collectBody()
            #expect(String(decoding: answer, as: UTF8.self) == #"{"name":"\#(user)"}"#)
        }
        let token = try #require(world.tokens["ana"])
        for wrong in [
            nil, "", "x", token.uppercased(), String(token.dropLast()), UserToken.hash(token), UserToken.random(),
        ] {
            let answer = await world.ask(token: wrong, "GET", "/api/user")
            #expect(answer.status == 401, "\(wrong ?? "no token")")
            // A page without a link says so; a link that lets in nobody may have done so once.
            let kind = wrong == nil ? "noLink" : "loggedOut"
            #expect(try await String(decoding: answer.collectBody(), as: UTF8.self).contains(kind))
        }
        await world.end()
    }

    @Test("The numbers of all users are for no user")
    func metrics() async throws {
        let world = try await UsersWorld()
        #expect(await world.ask("ana", "GET", "/metrics").status == 403)
        #expect(await world.ask(nil, "GET", "/metrics").status == 401)
        await world.end()
    }

    @Test("The token of a server with one user lets nobody in")
    func singleToken() async throws {
        let world = try await UsersWorld()
        #expect(await world.ask(token: AccessToken.kept(in: world.folder), "GET", "/api/user").status == 401)
        await world.end()
    }

    @Test("Logging out here ends this token and its stream at once, and no other device's")
    func here() async throws {
        let world = try await UsersWorld()
        let other = try world.file.addToken(try world.name("ana"), at: world.date.now)
        let stream = await world.listen("ana", Self.stream)
        let elsewhere = OpenStream(await world.ask(token: other, "GET", Self.stream))
        let bruno = await world.listen("bruno", Self.stream)
        for one in [stream, elsewhere, bruno] { try #require(await eventually { one.text.contains("event: state") }) }
        #expect(await world.ask("ana", "POST", "/api/user/logout", #"{"everywhere":false}"#).status == 204)
        #expect(await eventually { stream.hasEnded })
        #expect(await world.ask("ana", "GET", "/api/user").status == 401)
        #expect(await world.ask(token: other, "GET", "/api/user").status == 200)
        #expect(await world.ask("bruno", "GET", "/api/user").status == 200)
        #expect(!elsewhere.hasEnded && !bruno.hasEnded)
        for one in [elsewhere, bruno] { await one.close() }
        await world.end()
    }

    @Test("Logging out everywhere ends all of the user's tokens and streams, and nobody else's")
    func everywhere() async throws {
        let world = try await UsersWorld()
        let other = try world.file.addToken(try world.name("ana"), at: world.date.now)
        let streams = [
            await world.listen("ana", Self.stream), OpenStream(await world.ask(token: other, "GET", Self.stream)),
        ]
        let bruno = await world.listen("bruno", Self.stream)
        for one in streams + [bruno] { try #require(await eventually { one.text.contains("event: state") }) }
        #expect(await world.ask("ana", "POST", "/api/user/logout", #"{"everywhere":true}"#).status == 204)
        for one in streams { #expect(await eventually { one.hasEnded }) }
        #expect(await world.ask(token: other, "GET", "/api/user").status == 401)
        #expect(await world.ask("bruno", "GET", "/api/user").status == 200 && !bruno.hasEnded)
        await bruno.close()
        await world.end()
    }

    @Test("A request to log out that says nothing ends no token")
    func nothing() async throws {
        let world = try await UsersWorld()
        for body in ["", "{}", #"{"everywhere":"yes"}"#] {
            #expect(await world.ask("ana", "POST", "/api/user/logout", body).status == 400)
        }
        #expect(await world.ask("ana", "GET", "/api/user").status == 200)
        await world.end()
    }

    @Test("A server with one user tells no name, and nobody logs out")
    func single() async throws {
        let world = AppWorld()
        #expect(try await world.json("GET", "/api/user")["name"] is NSNull)
        #expect(await world.request("POST", "/api/user/logout", #"{"everywhere":true}"#).status == 404)
    }

    @Test("A favorite is its user's alone")
    func favorites() async throws {
        let world = try await UsersWorld()
        let stream = "/api/screens/foaas-operations/events?tab=tab"
        let (ana, bruno) = (await world.listen("ana", stream), await world.listen("bruno", stream))
        for user in ["ana", "bruno"] { await world.tell(user, "foaas-operations?tab=tab", "appear") }
        for list in [ana, bruno] { try #require(await eventually { list.text.contains("coffee/:from") }) }
        await world.tell("ana", "foaas-operations?tab=tab", "favorite", ["id": "coffee/:from", "on": "true"])
        #expect(await eventually { ana.text.contains(#""favoriteCount":1"#) })
        await world.tell("bruno", "foaas-operations?tab=tab", "favorite", ["id": "version", "on": "true"])
        #expect(await eventually { bruno.text.contains(#""favoriteCount":1"#) })
        #expect(
            !bruno.text.contains(#""favoriteCount":2"#)
                && !bruno.text.contains(#""id":"coffee/:from","isFavorite":true"#))
        await ana.close()
        await bruno.close()
        await world.end()
    }

    @Test("Logging out keeps everything: what waits goes on being sent for the user, who finds the rest again")
    func stays() async throws {
        let world = try await UsersWorld { $0.faults = [.audio: .offline] }
        #expect(await world.leavePost("ana", title: "Rain") == 204)
        await world.tell("ana", "foaas-settings?tab=tab", "palette", ["name": "moss"])
        let room = try await world.house.rooms.room(of: try world.name("ana"))
        try #require(await eventually { (try? await room.services.outbox.items().count) == 1 })
        #expect(await world.ask("ana", "POST", "/api/user/logout", #"{"everywhere":true}"#).status == 204)
        world.services.reference.set(.none, of: .audio)
        await room.services.outbox.connectionRestored()
        #expect(await world.hasSent(room))
        let token = try world.file.addToken(try world.name("ana"), at: world.date.now)
        let settings = OpenStream(await world.ask(token: token, "GET", Self.stream))
        #expect(await eventually { settings.text.contains(#""palette":"moss""#) })
        await settings.close()
        await world.end()
    }

    @Test("What waits is sent after a restart, before its user comes back")
    func restart() async throws {
        let world = try await UsersWorld { $0.faults = [.audio: .offline] }
        #expect(await world.leavePost("ana", title: "Rain") == 204)
        let room = try await world.house.rooms.room(of: try world.name("ana"))
        try #require(await eventually { (try? await room.services.outbox.items().count) == 1 })
        await world.house.rooms.stop()
        world.services.reference.set(.none, of: .audio)
        let later = try await UserHouse(world.services, world.file, bound: UserQuota.usual)
        await later.rooms.resumeSending()
        #expect(later.rooms.present == ["ana"])
        let again = try await later.rooms.room(of: try world.name("ana"))
        await again.services.outbox.connectionRestored()
        #expect(await world.hasSent(again))
        await later.rooms.stop()
        await world.end()
    }

    @Test("Users who are away are dropped, but not those who are here, nor those with something unsent")
    func dropped() async throws {
        let world = try await UsersWorld(["ana", "bruno", "carla"]) { $0.faults = [.audio: .offline] }
        #expect(await world.leavePost("ana", title: "Rain") == 204)
        let room = try await world.house.rooms.room(of: try world.name("ana"))
        try #require(await eventually { (try? await room.services.outbox.items().count) == 1 })
        let stream = await world.listen("bruno", Self.stream)
        try #require(await eventually { stream.text.contains("event: state") })
        #expect(await world.ask("carla", "GET", "/api/user").status == 200)
        await world.house.rooms.dropUnused()
        #expect(world.house.rooms.present == ["ana", "bruno", "carla"])
        // An answer counts until it is let go, which is told to the main actor.
        let areDropped = await eventually {
            await world.house.rooms.dropUnused(now: .now + UserRooms.keep + .seconds(1))
            return world.house.rooms.present == ["ana", "bruno"]
        }
        #expect(areDropped)
        await stream.close()
        await world.end()
    }

    @Test("A user who is added is let in, and one who is taken out is not, without a restart")
    func following() async throws {
        let world = try await UsersWorld()
        let token = try world.file.add(try world.name("carla"), at: world.date.now)
        let stream = OpenStream(await world.ask(token: token, "GET", Self.stream))
        #expect(stream.status == 200)
        try #require(await eventually { stream.text.contains("event: state") })
        try await world.file.remove(try world.name("carla"))
        #expect(await world.ask(token: token, "GET", "/api/user").status == 401)
        #expect(await eventually { stream.hasEnded })
        #expect(await eventually { world.house.rooms.present.contains("carla") == false })
        await world.end()
    }

    @Test("While the file cannot be read nobody is let in, and that is told as what it is", arguments: ["cut", "gone"])
    func damage(how: String) async throws {
        let world = try await UsersWorld()
        #expect(await world.ask("ana", "GET", "/api/user").status == 200)
        let bytes = try Data(contentsOf: URL(filePath: world.file.path))
        switch how {
        case "cut": try bytes.prefix(40).write(to: URL(filePath: world.file.path))
        default: try FileManager.default.removeItem(atPath: world.file.path)
        }
        let answer = await world.ask("ana", "GET", "/api/user")
        #expect(answer.status == 500)
        #expect(try await String(decoding: answer.collectBody(), as: UTF8.self).contains("cannot be read"))
        await #expect(throws: UsersError.self) { try await UserHouse(world.services, world.file, bound: 1) }
        try bytes.write(to: URL(filePath: world.file.path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: world.file.path)
        #expect(await world.ask("ana", "GET", "/api/user").status == 200)
        await world.end()
    }

    @Test("No one user switches the remotes that all share, or is told what others ask of them")
    func shared() async throws {
        let world = try await UsersWorld()
        #expect(await world.ask("ana", "PUT", "/api/connection", #"{"mode":"offline"}"#).status == 403)
        #expect(await world.ask("ana", "GET", "/api/reference/transfers").status == 403)
        #expect(world.services.reference.faults[.feed] != .offline)
        await world.end()
    }

    @Test("A user who has too many streams open is refused more, and no other user is")
    func tooMany() async throws {
        let world = try await UsersWorld()
        var streams: [OpenStream] = []
        for _ in 0..<UserRooms.mostVisitors { streams.append(await world.listen("ana", Self.stream)) }
        #expect(await eventually { await world.ask("ana", "GET", "/api/user").status == 429 })
        #expect(await world.ask("bruno", "GET", "/api/user").status == 200)
        for stream in streams.dropFirst() { await stream.close() }
        #expect(await eventually { await world.ask("ana", "GET", "/api/user").status == 200 })
        await streams.first?.close()
        await world.end()
    }
}
