import Foundation
import Testing

@testable import App

/// A page may show a text whose edit was lost: the screen then does nothing with the one that it has.
@MainActor
@Suite("A page that shows something else than its screen has", .timeLimit(.minutes(10)))
struct OutdatedPageTests {
    @Test("posts no clip under the title of before", arguments: ["send", "retry", "later"])
    func clip(intent: String) async throws {
        let world = AppWorld()
        let screen = "audio-compose?tab=tab"
        let taken = await world.request("POST", "\(AudioAPI.filePath)?tab=tab&name=rain.mp3", "ID3sound")
        #expect(taken.status == 204)
        await world.tell(screen, "title", ["text": "Rain"])
        let reader = world.states(AudioComposeScreen.self)
        #expect(await world.tell(screen, intent, ["title": "Rain in May"]) == 400)
        #expect(await reader.next()?.contains(#""phase":"ready""#) == true)
        await world.tell(screen, "title", ["text": "Rain in May"])
        #expect(await world.tell(screen, intent, ["title": "Rain in May"]) == 204)
        #expect(await reader.state { !$0.contains(#""phase":"ready""#) } != "")
        await world.services.stop()
    }

    @Test("saves no card of another holder or date, and names no number")
    func card() async throws {
        let world = AppWorld()
        let screen = "card-form?tab=tab"
        for (field, value) in [("number", "4539578763621486"), ("holder", "Ada"), ("expiry", "12/28")] {
            await world.tell(screen, "edit", ["field": field, "value": value])
        }
        let reader = world.states(CardFormScreen.self)
        #expect(await world.tell(screen, "save", ["holder": "Ada Lima", "expiry": "12/28"]) == 400)
        #expect(await world.tell(screen, "save", ["holder": "Ada", "expiry": "12/29"]) == 400)
        #expect(await reader.next()?.contains(#""saved":null"#) == true)
        #expect(await world.tell(screen, "save", ["holder": "Ada", "expiry": "12/28"]) == 204)
        #expect(await reader.state { !$0.contains(#""saved":null"#) } != "")
        #expect(CardFormScreen.Intent.save.fields == ["holder?", "expiry?"])
        await world.services.stop()
    }
}
