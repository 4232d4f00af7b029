import Aquifer
import AquiferFoaas
import AquiferWording
import Foundation

/// The operations as their page draws them.
@MainActor
final class FoaasOperationsScreen: Screen {
    static let name = "foaas-operations"

    struct State: ScreenState {
        let title: String
        let phase: LoadPhase
        let isLoading: Bool
        @OrNull var notice: String?
        @OrNull var error: ScreenError?
        let query: String
        /// The operations that are shown of all.
        let filter: FoaasOperationsModel.Filter
        /// `nil` if the favorites cannot be read.
        @OrNull var favoriteCount: Int?
        /// The reason why a favorite was not kept, or why the favorites cannot be read, until it is dismissed.
        @OrNull var favoriteError: String?
        /// The operations of the filter that match the query.
        let operations: [Operation]
        @OrNull var skippedText: String?
        let isEmpty: Bool
        /// The message that nothing matches the query.
        @OrNull var noMatch: String?
    }

    struct Operation: Codable, Sendable {
        let id: String
        let name: String
        let fieldsText: String
        /// The sentence in pieces; empty while it is not known. The page then shows that it waits for it, or the name and the fields.
        let sentence: [SentencePart]
        let byline: [SentencePart]
        /// True if the sentence is on its way, or is asked for as soon as the row is in view.
        let isAwaited: Bool
        /// `nil` if the favorites cannot be read.
        @OrNull var isFavorite: Bool?
    }

    enum Intent: String, ScreenIntent {
        case appear, dismissError, dismissFavorite, search, look, favorite, show

        var fields: [String] {
            switch self {
            case .search: ["query"]
            case .look: ["ids"]
            case .favorite: ["id", "on"]
            case .show: ["filter"]
            default: []
            }
        }
    }

    let model: FoaasOperationsModel
    private let settings: FoaasSettings

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        hub.startFoaas()
        model = FoaasOperationsModel(
            hub.services.foaas, favorites: hub.foaasFavorites, center: hub.services.foaasCenter)
        settings = hub.foaasSettings
    }

    func state(_ context: ScreenContext) -> State {
        let language = context.language
        let progress = context.progress(of: model.list)
        let noMatch = language.text("foaas.none.title", ["query": model.query])
        return State(
            title: language.text("foaas.operations"), phase: progress.phase,
            isLoading: progress.isLoading, notice: progress.notice, error: progress.error,
            query: model.query, filter: model.filter,
            favoriteCount: model.favorites.isKnown ? model.favorites.all.count : nil,
            favoriteError: model.favorites.error?.favoriteMessage(in: language),
            operations: model.operations.map { operation($0, language) }, skippedText: skippedText(language),
            isEmpty: model.isEmpty, noMatch: model.hasNoMatch ? noMatch : nil)
    }

    func refresh() async { await model.refresh() }

    func connectionRestored() async { await model.connectionRestored() }

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let (model, settings) = (model, settings)
        switch intent {
        case .appear:
            return {
                await settings.load()
                await fields.isPageLoad ? model.refresh() : model.appear()
            }
        case .dismissError:
            return { model.list.dismissError() }
        case .dismissFavorite: return { model.favorites.dismissError() }
        case .look:
            let ids = try fields.text("ids").split(separator: "\n").map { "/\($0)" }
            return { await model.look(at: ids) }
        case .favorite:
            let (id, isOn) = ("/" + (try fields.text("id")), try fields.text("on") == "true")
            return { await model.setFavorite(id, isOn) }
        case .show:
            let filter = try fields.value("filter", FoaasOperationsModel.Filter.init)
            return { model.show(filter) }
        case .search:
            let query = try fields.text("query")
            return { model.search(query) }
        }
    }

    private func operation(_ operation: FoaasOperation, _ language: Language) -> Operation {
        let names = operation.placeholders.map { operation.name(of: $0, in: language) }
        let parts = model.sentence(of: operation)?.parts
        let pieces = { (parts: [FoaasTemplate.Part]) in
            SentencePart.pieces(parts, of: operation, filters: self.settings.filters, language)
        }
        return Operation(
            id: String(operation.id.dropFirst()), name: operation.name,
            fieldsText: names.isEmpty ? language.text("foaas.nofields") : names.joined(separator: ", "),
            sentence: pieces(parts?.message ?? []), byline: pieces(parts?.subtitle ?? []),
            isAwaited: model.awaitsSentence(of: operation),
            isFavorite: model.favorites.isKnown ? model.favorites[operation.id] != nil : nil)
    }

    private func skippedText(_ language: Language) -> String? {
        model.skipped > 0 ? language.text("foaas.skipped", count: model.skipped) : nil
    }
}
