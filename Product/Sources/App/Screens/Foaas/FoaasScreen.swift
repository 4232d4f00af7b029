import Aquifer
import AquiferFoaas
import AquiferWording
import Foundation

/// The phrase as its page draws it.
@MainActor
final class FoaasScreen: Screen {
    static let name = "foaas"

    struct State: ScreenState {
        let title: String
        let isLoading: Bool
        @OrNull var phrase: Phrase?
        @OrNull var notice: String?
        @OrNull var error: ScreenError?
        /// The phrases seen last.
        let lastSeen: [Seen]
        let palette: FoaasPalette
        /// The operation of the phrase; `nil` if it is not known.
        @OrNull var operation: String?
        /// True if this operation is a favorite; `nil` if it is not known, or if the favorites cannot be read.
        @OrNull var isFavorite: Bool?
        /// The reason why a favorite was not kept, or why the favorites cannot be read, until it is dismissed.
        @OrNull var favoriteError: String?
    }

    struct Seen: Codable, Sendable {
        let id: String
        let message: String
        let subtitle: String
        let dateText: String
    }

    enum Intent: String, ScreenIntent {
        case appear, random, show, favorite, dismissFavorite, dismissError

        var fields: [String] {
            switch self {
            case .show: ["id"]
            case .favorite: ["id", "on"]
            default: []
            }
        }
    }

    let model: FoaasModel
    private let settings: FoaasSettings
    private let favorites: FoaasFavorites

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        hub.startFoaas()
        model = FoaasModel(hub.services.foaas, center: hub.center(address.tab))
        settings = hub.foaasSettings
        favorites = hub.foaasFavorites
    }

    func state(_ context: ScreenContext) -> State {
        let language = context.language
        let seen = model.lastSeen.map { seen in
            let phrase = settings.shown(seen.phrase)
            return Seen(
                id: seen.id, message: phrase.message, subtitle: phrase.subtitle,
                dateText: language.relative(seen.seenAt, now: context.now))
        }
        let isFavorite = favorites.isKnown ? model.operation.map { favorites[$0.id] != nil } : nil
        return State(
            title: language.text("nav.foaas"), isLoading: model.isLoading,
            phrase: model.phrase.map { Phrase(settings.shown($0)) },
            notice: model.isSaved ? savedNotice(language) : nil,
            error: context.error(model.error), lastSeen: seen, palette: settings.palette,
            operation: model.operation.map { String($0.id.dropFirst()) }, isFavorite: isFavorite,
            favoriteError: favorites.error?.favoriteMessage(in: language))
    }

    func refresh() async { await model.random() }

    func connectionRestored() async { if model.error != nil { await model.random() } }

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let (model, settings, favorites) = (model, settings, favorites)
        switch intent {
        case .appear:
            return {
                await settings.load()
                await favorites.load()
                await model.appear()
            }
        case .random: return { await model.random() }
        case .show:
            let id = try fields.text("id")
            return { model.show(id) }
        case .favorite:
            let (id, isOn) = ("/" + (try fields.text("id")), try fields.text("on") == "true")
            // The model may have another phrase by now: the page names the one that it shows.
            guard let operation = model.operation(id) else { throw .nothingShown }
            return { await favorites.set(operation, isFavorite: isOn) }
        case .dismissFavorite: return { favorites.dismissError() }
        case .dismissError: return { model.dismissError() }
        }
    }

    private func savedNotice(_ language: Language) -> String {
        language.text("foaas.seen.notice")
    }
}

/// A phrase as pages draw it.
struct Phrase: Codable, Sendable {
    let message: String
    let subtitle: String
    /// The text that is shared and copied.
    let text: String

    init(_ phrase: Foaas) {
        message = phrase.message
        subtitle = phrase.subtitle
        text = phrase.description
    }
}

extension ScreenContext {
    func error(_ error: FoaasError?) -> ScreenError? {
        guard let error else { return nil }
        let kind =
            switch error {
            case .path: "path"
            case .load(let error): error.kind
            }
        return ScreenError(kind: kind, message: error.message(in: language))
    }
}

extension ScreenHub {
    /// Starts the phrases with their first screen.
    func startFoaas() {
        Task { [services] in await services.startFoaas() }
    }
}
