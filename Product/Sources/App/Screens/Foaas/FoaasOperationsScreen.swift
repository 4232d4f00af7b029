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
        /// The operations that match the query.
        let operations: [Operation]
        @OrNull var skippedText: String?
        let isEmpty: Bool
        /// The message that nothing matches the query.
        @OrNull var noMatch: String?
    }

    struct Operation: Codable, Sendable {
        let id: String
        let name: String
        let fields: [String]
        let fieldsText: String
    }

    enum Intent: String, ScreenIntent {
        case appear, dismissError, search

        var fields: [String] {
            switch self {
            case .search: ["query"]
            default: []
            }
        }
    }

    let model: FoaasOperationsModel

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        hub.startFoaas()
        model = FoaasOperationsModel(hub.services.foaas, center: hub.services.foaasCenter)
    }

    func state(_ context: ScreenContext) -> State {
        let language = context.language
        let progress = context.progress(of: model.list)
        let operations = model.operations.map { operation in
            let names = operation.placeholders.map { operation.name(of: $0, in: language) }
            return Operation(
                id: String(operation.id.dropFirst()), name: operation.name, fields: names,
                fieldsText: names.isEmpty
                    ? language.text("foaas.nofields") : names.joined(separator: ", "))
        }
        let noMatch = language.text("foaas.none.title", ["query": model.query])
        return State(
            title: language.text("foaas.operations"), phase: progress.phase,
            isLoading: progress.isLoading, notice: progress.notice, error: progress.error, query: model.query,
            operations: operations, skippedText: skippedText(language),
            isEmpty: model.isEmpty, noMatch: model.hasNoMatch ? noMatch : nil)
    }

    func refresh() async { await model.list.refresh() }

    func connectionRestored() async { await model.list.connectionRestored() }

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let model = model
        switch intent {
        case .appear: return { await fields.isPageLoad ? model.list.refresh() : model.list.appear() }
        case .dismissError: return { model.list.dismissError() }
        case .search:
            let query = try fields.text("query")
            return { model.search(query) }
        }
    }

    private func skippedText(_ language: Language) -> String? {
        model.skipped > 0 ? language.text("foaas.skipped", count: model.skipped) : nil
    }
}
