import Foundation
import HTTPServer
import Testing

@testable import App

/// What a page says to a replica that does not have its screens.
@MainActor
@Suite("The name of a replica", .timeLimit(.minutes(10)))
struct ReplicaNameTests {
    @Test("An event stream says from whom it comes, and that one hears what the page says")
    func ownPage() async throws {
        let world = AppWorld()
        let name = try #require(await name(of: world))
        #expect(await say("title", "Rain", to: world, meaning: name) == 204)
        #expect(await world.states(AudioComposeScreen.self).state(with: "Rain") != "")
        await world.services.stop()
    }

    @Test("A replica refuses what was meant for another one, and does nothing of it; it does what is for anybody")
    func otherPage() async throws {
        let (world, other) = (AppWorld(), AppWorld())
        let name = try #require(await name(of: other))
        #expect(await self.name(of: world) != name)
        #expect(await say("title", "Rain", to: world, meaning: name) == 421)
        #expect(world.site.hub.screen(AudioComposeScreen.self, tab: "tab")?.model.title == "")
        #expect(await say("title", "Snow", to: world, meaning: nil) == 204)
        #expect(await world.states(AudioComposeScreen.self).state(with: "Snow") != "")
        await world.services.stop()
        await other.services.stop()
    }

    @Test("A file that was meant for another replica is refused, and none is kept")
    func file() async throws {
        let world = AppWorld()
        let target = AudioAPI.filePath + "?tab=tab&name=clip.mp3"
        let fields = [ReplicaName.header: "another"]
        #expect(await world.request("POST", target, "sound", fields).status == 421)
        #expect(world.site.hub.screen(AudioComposeScreen.self, tab: "tab")?.model.file == nil)
        await world.services.stop()
    }

    private func name(of world: AppWorld) async -> String? {
        await world.request("GET", "/api/screens/audio-compose/events?tab=tab").headers[ReplicaName.header]
    }

    private func say(_ intent: String, _ text: String, to world: AppWorld, meaning name: String?) async -> Int {
        await world.request(
            "POST", "/api/screens/audio-compose/intents?tab=tab", #"{"intent":"\#(intent)","text":"\#(text)"}"#,
            name.map { [ReplicaName.header: $0] } ?? [:]
        ).status
    }
}
