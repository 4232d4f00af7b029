import Aquifer
import Foaas
import Foundation

/// The settings of the phrases as the page draws them.
@MainActor
final class FoaasSettingsScreen: Screen {
    private let settings: FoaasSettings

    init(_ settings: FoaasSettings) {
        self.settings = settings
    }

    func state(_ context: ScreenContext) -> JSONText {
        let language = context.language
        let example = Foaas(message: "Damn, this is good.", subtitle: "")
        return .object([
            ("title", .string(language.pick("Settings of the phrases", "Ajustes das frases"))),
            ("filter", .bool(settings.filters)),
            ("palette", .string(settings.palette.rawValue)),
            (
                "palettes",
                .array(
                    FoaasPalette.allCases.map { palette in
                        .object([
                            ("name", .string(palette.rawValue)), ("title", .string(palette.title(in: language))),
                            ("isChosen", .bool(palette == settings.palette)),
                        ])
                    })
            ),
            (
                "example",
                .object([
                    ("before", .string(example.message)),
                    ("after", .string(settings.shown(example).message)),
                ])
            ),
            (
                "error",
                settings.error.map { error in
                    .object([("kind", .string("store")), ("message", .string(keepMessage(error, language)))])
                } ?? .null
            ),
        ])
    }

    func refresh() async { await settings.load() }

    func action(for intent: Intent) -> ScreenAction? {
        let settings = settings
        return switch intent.name {
        case "appear": { await settings.load() }
        case "filter": { await settings.setFilters(intent["on"] == "true") }
        case "palette": choose(intent["name"])
        case "dismissError": { settings.dismissError() }
        default: nil
        }
    }

    private func choose(_ name: String) -> ScreenAction? {
        guard let palette = FoaasPalette(rawValue: name) else { return nil }
        let settings = settings
        return { await settings.choose(palette) }
    }

    private func keepMessage(_ error: StoreError, _ language: Language) -> String {
        if case .full = error {
            return language.pick(
                "This could not be kept: there is no room left. It holds until Aquifer ends.",
                "Não deu para guardar: não há espaço. Vale até o Aquifer ser encerrado.")
        }
        return language.pick(
            "This could not be kept. It holds until Aquifer ends.",
            "Não deu para guardar. Vale até o Aquifer ser encerrado.")
    }
}

extension FoaasPalette {
    fileprivate func title(in language: Language) -> String {
        switch self {
        case .ink: language.pick("Ink", "Tinta")
        case .ember: language.pick("Ember", "Brasa")
        case .moss: language.pick("Moss", "Musgo")
        case .tide: language.pick("Tide", "Maré")
        case .plum: language.pick("Plum", "Ameixa")
        case .paper: language.pick("Paper", "Papel")
        }
    }
}
