import Aquifer
import Foaas
import Foundation

/// The phrase as the page draws it.
@MainActor
final class FoaasScreen: Screen {
    let model: FoaasModel
    private let settings: FoaasSettings

    init(_ service: FoaasService, _ settings: FoaasSettings, center: NotificationCenter) {
        model = FoaasModel(service, center: center)
        self.settings = settings
    }

    func state(_ context: ScreenContext) -> JSONText {
        let language = context.language
        let seen = model.lastSeen.map { seen in
            let phrase = settings.shown(seen.phrase)
            return JSONText.object([
                ("id", .string(seen.id)), ("message", .string(phrase.message)), ("subtitle", .string(phrase.subtitle)),
                ("dateText", .string(language.relative(seen.seenAt, now: context.now))),
            ])
        }
        return .object([
            ("title", .string(language.pick("Phrases", "Frases"))),
            ("phase", .string(model.isLoading ? "loading" : model.error != nil ? "failed" : "loaded")),
            ("isLoading", .bool(model.isLoading)),
            ("phrase", .phrase(model.phrase.map(settings.shown))),
            ("isSaved", .bool(model.isSaved)),
            ("notice", model.isSaved ? .string(savedNotice(language)) : .null),
            ("error", context.error(model.error)),
            ("lastSeen", .array(seen)),
            ("palette", .string(settings.palette.rawValue)),
            ("filter", .bool(settings.filters)),
        ])
    }

    func refresh() async { await model.random() }

    func action(for intent: Intent) -> ScreenAction? {
        let (model, settings) = (model, settings)
        return switch intent.name {
        case "appear":
            {
                await settings.load()
                await model.appear()
            }
        case "random": { await model.random() }
        case "show": { model.show(intent["id"]) }
        case "dismissError": { model.dismissError() }
        default: nil
        }
    }

    private func savedNotice(_ language: Language) -> String {
        language.pick(
            "You saw this one before. A new one needs a connection.",
            "Esta você já viu. Uma nova precisa de conexão.")
    }
}

extension ScreenContext {
    func error(_ error: FoaasError?) -> JSONText {
        guard let error else { return .null }
        let kind =
            switch error {
            case .path: "path"
            case .load(.connectivity): "connectivity"
            case .load(.invalidData): "invalidData"
            case .load(.store): "store"
            case .load(.cancelled): "cancelled"
            }
        return .object([("kind", .string(kind)), ("message", .string(error.message(in: language)))])
    }
}

extension JSONText {
    /// A phrase as pages draw it, with the text that is shared and copied.
    static func phrase(_ phrase: Foaas?) -> JSONText {
        guard let phrase else { return .null }
        return .object([
            ("message", .string(phrase.message)), ("subtitle", .string(phrase.subtitle)),
            ("text", .string(phrase.description)),
        ])
    }
}
