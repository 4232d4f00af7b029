import Aquifer
import AquiferFoaas
import AquiferWording
import Foundation

/// The settings of the phrases as their page draws them.
@MainActor
final class FoaasSettingsScreen: Screen {
    static let name = "foaas-settings"

    struct State: ScreenState {
        let title: String
        let filter: Bool
        let palette: FoaasPalette
        let palettes: [Palette]
        let example: Example
        @OrNull var error: ScreenError?
    }

    struct Palette: Codable, Sendable {
        let name: FoaasPalette
        let title: String
        let isChosen: Bool
    }

    /// A phrase as the settings show it.
    struct Example: Codable, Sendable {
        let after: String
    }

    enum Intent: String, ScreenIntent {
        case appear, filter, palette, dismissError

        var fields: [String] {
            switch self {
            case .filter: ["on"]
            case .palette: ["name"]
            default: []
            }
        }
    }

    private let settings: FoaasSettings

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        hub.startFoaas()
        settings = hub.foaasSettings
    }

    func state(_ context: ScreenContext) -> State {
        let language = context.language
        let example = Foaas(message: "Damn, this is good.", subtitle: "")
        return State(
            title: language.text("foaas.settings"), filter: settings.filters,
            palette: settings.palette,
            palettes: FoaasPalette.allCases.map { palette in
                Palette(name: palette, title: palette.title(in: language), isChosen: palette == settings.palette)
            },
            example: Example(after: settings.shown(example).message),
            error: settings.error.map { ScreenError(kind: "store", message: keepMessage($0, language)) })
    }

    func refresh() async { await settings.load() }

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let settings = settings
        switch intent {
        case .appear: return { await settings.load() }
        case .filter:
            let isOn = try fields.text("on") == "true"
            return { await settings.setFilters(isOn) }
        case .palette:
            let palette = try fields.value("name", FoaasPalette.init)
            return { await settings.choose(palette) }
        case .dismissError: return { settings.dismissError() }
        }
    }

    private func keepMessage(_ error: StoreError, _ language: Language) -> String {
        if case .full = error {
            return language.text("foaas.settings.full")
        }
        return language.text("foaas.settings.notKept")
    }
}

extension FoaasPalette {
    fileprivate func title(in language: Language) -> String {
        switch self {
        case .ink: language.text("foaas.palette.ink")
        case .ember: language.text("foaas.palette.ember")
        case .moss: language.text("foaas.palette.moss")
        case .tide: language.text("foaas.palette.tide")
        case .plum: language.text("foaas.palette.plum")
        case .paper: language.text("foaas.palette.paper")
        }
    }
}
