import Aquifer
import AquiferFoaas
import AquiferTesting
import Foundation
import Testing

@testable import App

@MainActor
@Suite("The phrases' screens in tabs", .timeLimit(.minutes(10)))
struct FoaasScreensTests {
    @Test("Main shows a phrase, filtered, with the text that is shared")
    func main() async throws {
        let world = AppWorld()
        let reader = world.states(FoaasScreen.self)
        #expect(await world.tell("foaas?tab=tab", "appear") == 204)
        let state = await reader.state { $0.contains(#""isLoading":false"#) && $0.contains(#""message":"#) }
        #expect(state.contains(#""text":"#) && state.contains(#""palette":"ink""#))
        #expect(await world.states(FoaasSettingsScreen.self).next()?.contains(#""filter":true"#) == true)
        await world.services.stop()
    }

    @Test("What a tab's preview makes is shown by that tab's main screen, even one never opened, and by no other")
    func notification() async throws {
        let world = AppWorld()
        let preview = "foaas-preview?tab=one&operation=coffee%2F%3Afrom"
        let reader = world.states(FoaasPreviewScreen.self, showing: "coffee/:from", tab: "one")
        let other = world.states(FoaasScreen.self, tab: "two")
        #expect(await world.tell(preview, "appear") == 204)
        _ = await reader.state(with: #""phase":"ready""#)
        #expect(await world.tell(preview, "edit", ["field": "from", "value": "Ada"]) == 204)
        #expect(await reader.state(with: #""canFinish":true"#).contains("- Ada"))
        #expect(await world.tell(preview, "finish") == 204)
        _ = await reader.state(with: #""done":true"#)
        let main = world.states(FoaasScreen.self, tab: "one")
        #expect(await main.state(with: "- Ada").contains(#""notice":null"#))
        #expect(await other.next()?.contains("Ada") == false)
        await world.services.stop()
    }

    @Test("The list names what there is to fill in, in both languages")
    func list() async throws {
        let world = AppWorld()
        let reader = world.states(FoaasOperationsScreen.self, language: .brazilianPortuguese)
        #expect(await world.tell("foaas-operations?tab=tab", "appear") == 204)
        let state = await reader.state(with: #""phase":"loaded""#)
        #expect(
            state.contains("Nada a preencher") && state.contains(#""fieldsText":"Nome da pessoa, Uma coisa, Seu nome""#)
        )
        #expect(await world.tell("foaas-operations?tab=tab", "look", ["ids": "coffee/:from"]) == 204)
        let known = await reader.state(with: "Not before my coffee. H*ll")
        #expect(known.contains(#"[{"isBlank":false,"text":"- "},{"isBlank":true,"text":"seu nome"}]"#))
        #expect(await world.tell("foaas-operations?tab=tab", "favorite", ["id": "coffee/:from", "on": "true"]) == 204)
        _ = await reader.state(with: #""favoriteCount":1"#)
        #expect(await world.tell("foaas-operations?tab=tab", "show", ["filter": "favorites"]) == 204)
        #expect(await reader.state(with: #""filter":"favorites""#).contains("coffee"))
        #expect(await world.tell("foaas-operations?tab=tab", "show", ["filter": "x"]) == 400)
        await world.services.stop()
    }

    @Test(
        "The heart is that of the phrase that the page shows, though the model has another by now; a phrase never shown has none"
    )
    func heart() async throws {
        let world = AppWorld()
        let main = world.states(FoaasScreen.self)
        let preview = world.states(FoaasPreviewScreen.self, showing: "coffee/:from")
        #expect(await world.tell("foaas-preview?tab=tab&operation=coffee%2F%3Afrom", "appear") == 204)
        _ = await preview.state(with: #""phase":"ready""#)
        #expect(
            await world.tell(
                "foaas-preview?tab=tab&operation=coffee%2F%3Afrom", "edit", ["field": "from", "value": "Ada"])
                == 204)
        #expect(await world.tell("foaas-preview?tab=tab&operation=coffee%2F%3Afrom", "finish") == 204)
        let state = await main.state(with: "- Ada")
        #expect(state.contains(#""operation":"coffee/:from""#) && state.contains(#""isFavorite":false"#))
        let other = try #require(
            try await world.services.foaas.knownOperations().operations.first { $0.placeholders.isEmpty })
        world.site.hub.center("tab").post(Foaas(message: "Another", subtitle: ""), of: other)
        _ = await main.state(with: "Another")
        #expect(await world.tell("foaas?tab=tab", "favorite", ["id": "coffee/:from", "on": "true"]) == 204)
        let favorites = world.site.hub.foaasFavorites
        #expect(await eventually { favorites.all.map(\.id) == ["/coffee/:from"] })
        #expect(await world.tell("foaas?tab=tab", "favorite", ["id": "none", "on": "true"]) == 400)
        #expect(await world.tell("foaas?tab=tab", "favorite", ["on": "true"]) == 400)
        await world.services.stop()
    }

    @Test("Settings hold on all screens of all tabs, and unknown colours are no intent")
    func settings() async throws {
        let world = AppWorld()
        let main = world.states(FoaasScreen.self, tab: "two")
        let target = "foaas-settings?tab=one"
        #expect(await world.tell(target, "palette", ["name": "moss"]) == 204)
        #expect(await main.state(with: #""palette":"moss""#).isEmpty == false)
        #expect(await world.tell(target, "filter", ["on": "false"]) == 204)
        let other = world.states(FoaasSettingsScreen.self, tab: "two")
        #expect(await other.state(with: #""filter":false"#).isEmpty == false)
        #expect(await world.tell(target, "palette", ["name": "mud"]) == 400)
        await world.services.stop()
    }

    @Test("A preview must name its operation")
    func unnamed() async {
        #expect(await AppWorld().tell("foaas-preview?tab=tab", "appear") == 404)
    }
}
