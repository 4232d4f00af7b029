import Aquifer
import Foundation
import Testing

@testable import App

@MainActor
@Suite("The phrases' screens in tabs", .timeLimit(.minutes(2)))
struct FoaasScreensTests {
    private func states(
        _ world: AppWorld, _ kind: ScreenHub.Address.Kind, tab: String = "tab", language: Language = .english
    ) -> StateReader {
        let context = ScreenContext(language: language, now: world.date.now)
        return StateReader(world.site.hub.session(.init(tab: tab, kind: kind)).states { $0.state(context).text })
    }

    private func tell(_ world: AppWorld, _ target: String, _ intent: String) async -> Int {
        await world.request("POST", "/api/screens/\(target)", intent).status
    }

    @Test("Main shows a phrase, filtered, with the text that is shared")
    func main() async throws {
        let world = AppWorld()
        let reader = states(world, .foaas)
        #expect(await tell(world, "foaas/intents?tab=tab", #"{"intent":"appear"}"#) == 204)
        let state = await reader.state { $0.contains(#""phase":"loaded""#) && $0.contains(#""message":"#) }
        #expect(state.contains(#""text":"#) && state.contains(#""palette":"ink""#) && state.contains(#""filter":true"#))
        await world.services.stop()
    }

    @Test("What a tab's preview makes is shown by that tab's main screen, even one never opened, and by no other")
    func notification() async throws {
        let world = AppWorld()
        let preview = "foaas-preview/intents?tab=one&operation=coffee%2F%3Afrom"
        let reader = states(world, .foaasPreview(operation: "coffee/:from"), tab: "one")
        let other = states(world, .foaas, tab: "two")
        #expect(await tell(world, preview, #"{"intent":"appear"}"#) == 204)
        _ = await reader.state(with: #""phase":"ready""#)
        #expect(await tell(world, preview, #"{"intent":"edit","field":"from","value":"Ada"}"#) == 204)
        #expect(await reader.state(with: #""canFinish":true"#).contains("/coffee/Ada"))
        #expect(await tell(world, preview, #"{"intent":"finish"}"#) == 204)
        _ = await reader.state(with: #""done":true"#)
        let main = states(world, .foaas, tab: "one")
        #expect(await main.state(with: "- Ada").contains(#""isSaved":false"#))
        #expect(await other.next()?.contains("Ada") == false)
        await world.services.stop()
    }

    @Test("The list names what there is to fill in, in both languages")
    func list() async throws {
        let world = AppWorld()
        let reader = states(world, .foaasOperations, language: .brazilianPortuguese)
        #expect(await tell(world, "foaas-operations/intents?tab=tab", #"{"intent":"appear"}"#) == 204)
        let state = await reader.state(with: #""phase":"loaded""#)
        #expect(state.contains("Nada a preencher") && state.contains(#""fieldsText":"Name, Thing, From""#))
        await world.services.stop()
    }

    @Test("Settings hold on all screens of all tabs, and unknown colours are no intent")
    func settings() async throws {
        let world = AppWorld()
        let main = states(world, .foaas, tab: "two")
        let target = "foaas-settings/intents?tab=one"
        #expect(await tell(world, target, #"{"intent":"palette","name":"moss"}"#) == 204)
        #expect(await main.state(with: #""palette":"moss""#).isEmpty == false)
        #expect(await tell(world, target, #"{"intent":"filter","on":"false"}"#) == 204)
        #expect(await main.state(with: #""filter":false"#).isEmpty == false)
        #expect(await tell(world, target, #"{"intent":"palette","name":"mud"}"#) == 400)
        await world.services.stop()
    }

    @Test("A preview must name its operation")
    func unnamed() async {
        #expect(await tell(AppWorld(), "foaas-preview/intents?tab=tab", #"{"intent":"appear"}"#) == 404)
    }
}
