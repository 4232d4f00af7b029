import Aquifer
import AquiferFoaas
import AquiferWording
import Foundation

/// The preview of an operation as its page draws it.
@MainActor
final class FoaasPreviewScreen: Screen {
    static let name = "foaas-preview"
    static let subject: String? = "operation"

    struct State: ScreenState {
        let title: String
        let phase: Phase
        /// The operation's name.
        @OrNull var name: String?
        let fields: [Field]
        @OrNull var phrase: Phrase?
        let canFinish: Bool
        /// True once the phrase is on the main screen.
        let done: Bool
        /// The problem with the fields.
        @OrNull var message: String?
        @OrNull var error: ScreenError?
        let palette: FoaasPalette
    }

    enum Phase: String, Codable, Sendable, CaseIterable { case loading, ready, failed, missing }

    struct Field: Codable, Sendable {
        /// The name in intents.
        let field: String
        @OrNull var name: String?
        let value: String
    }

    enum Intent: String, ScreenIntent {
        case appear, edit, finish, retry, dismissError

        var fields: [String] {
            switch self {
            case .edit: ["field", "value"]
            default: []
            }
        }
    }

    let model: FoaasPreviewModel
    private let settings: FoaasSettings

    init?(_ address: ScreenAddress, in hub: ScreenHub) {
        guard !address.subject.isEmpty else { return nil }
        hub.startFoaas()
        // The screen that shows the preview's phrase must exist before the notification is posted.
        _ = hub.screen(FoaasScreen.self, tab: address.tab)
        model = FoaasPreviewModel(
            hub.services.foaas, operation: "/\(address.subject)", center: hub.center(address.tab))
        settings = hub.foaasSettings
    }

    func state(_ context: ScreenContext) -> State {
        let builder = model.builder
        let fields = (builder?.placeholders ?? []).map { placeholder in
            Field(
                field: placeholder, name: builder?.operation.name(of: placeholder, in: context.language),
                value: builder?[placeholder] ?? "")
        }
        return State(
            title: builder?.operation.name ?? context.language.text("foaas.preview"), phase: phase,
            name: builder?.operation.name, fields: fields,
            phrase: model.phrase { $0.blank(for: $1, in: context.language) }.map { Phrase(settings.shown($0)) },
            canFinish: model.canFinish,
            done: model.isDone, message: model.problem.map { FoaasError.path($0).message(in: context.language) },
            error: context.error(failure), palette: settings.palette)
    }

    func refresh() async { await model.retry() }

    func connectionRestored() async { await model.retry() }

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let (model, settings) = (model, settings)
        switch intent {
        case .appear:
            return {
                await settings.load()
                await model.appear()
            }
        case .edit:
            let (field, value) = (try fields.text("field"), try fields.text("value"))
            return { model.edit(field, value) }
        case .finish: return { await model.finish() }
        case .retry: return { await model.retry() }
        case .dismissError: return { model.dismissProblem() }
        }
    }

    private var failure: FoaasError? {
        if case .failed(let error) = model.phase { error } else { nil }
    }

    private var phase: Phase {
        switch model.phase {
        case .loading: .loading
        case .ready: .ready
        case .failed: .failed
        case .missing: .missing
        }
    }
}
