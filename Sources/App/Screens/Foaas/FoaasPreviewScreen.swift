import Aquifer
import Foaas
import Foundation

/// The preview of an operation as the page draws it.
@MainActor
final class FoaasPreviewScreen: Screen {
    let model: FoaasPreviewModel
    private let settings: FoaasSettings

    init(_ service: FoaasService, _ settings: FoaasSettings, operation: String, center: NotificationCenter) {
        model = FoaasPreviewModel(service, operation: "/\(operation)", center: center)
        self.settings = settings
    }

    func state(_ context: ScreenContext) -> JSONText {
        let builder = model.builder
        let fields = (builder?.placeholders ?? []).map { placeholder in
            JSONText.object([
                ("field", .string(placeholder)), ("name", .string(builder?.operation.name(of: placeholder))),
                ("value", .string(builder?[placeholder] ?? "")), ("placeholder", .string(":\(placeholder)")),
            ])
        }
        return .object([
            ("title", .string(builder?.operation.name ?? context.language.pick("Preview", "Prévia"))),
            ("phase", .string(phase)),
            ("isLoading", .bool(model.phase == .loading)),
            ("name", .string(builder?.operation.name)),
            ("fields", .array(fields)),
            ("phrase", .phrase(model.phrase.map(settings.shown))),
            ("path", .string(builder.map { $0.path.removingPercentEncoding ?? $0.path })),
            ("canFinish", .bool(model.canFinish)),
            ("done", .bool(model.isDone)),
            ("message", .string(model.problem.map { FoaasError.path($0).message(in: context.language) })),
            ("error", context.error(failure)),
            ("palette", .string(settings.palette.rawValue)),
            ("filter", .bool(settings.filters)),
        ])
    }

    func refresh() async { await model.retry() }

    func action(for intent: Intent) -> ScreenAction? {
        let (model, settings) = (model, settings)
        return switch intent.name {
        case "appear":
            {
                await settings.load()
                await model.appear()
            }
        case "edit": { model.edit(intent["field"], intent["value"]) }
        case "finish": { await model.finish() }
        case "retry": { await model.retry() }
        case "dismissError": { model.dismissProblem() }
        default: nil
        }
    }

    private var failure: FoaasError? {
        if case .failed(let error) = model.phase { error } else { nil }
    }

    private var phase: String {
        switch model.phase {
        case .loading: "loading"
        case .ready: "ready"
        case .failed: "failed"
        case .missing: "missing"
        }
    }
}
