import Aquifer
import Foaas
import Foundation

/// The operations as the page draws them.
@MainActor
final class FoaasOperationsScreen: Screen {
    let model: FoaasOperationsModel

    init(_ service: FoaasService, center: NotificationCenter) {
        model = FoaasOperationsModel(service, center: center)
    }

    func state(_ context: ScreenContext) -> JSONText {
        let language = context.language
        let operations = model.operations.map { operation in
            let names = operation.placeholders.map { operation.name(of: $0) }
            return JSONText.object([
                ("id", .string(String(operation.id.dropFirst()))), ("name", .string(operation.name)),
                ("fields", .array(names.map { .string($0) })),
                (
                    "fieldsText",
                    .string(
                        names.isEmpty
                            ? language.pick("Nothing to fill in", "Nada a preencher") : names.joined(separator: ", "))
                ),
            ])
        }
        return .object(
            [("title", .string(language.pick("What can be said", "O que se pode dizer")))]
                + context.fields(of: model.list) + [
                    ("query", .string(model.query)),
                    ("operations", .array(operations)),
                    ("total", .int(model.list.value?.operations.count ?? 0)),
                    ("skippedText", skippedText(language)),
                    ("isEmpty", .bool(model.isEmpty)),
                    (
                        "noMatch",
                        model.hasNoMatch
                            ? .string(
                                language.pick(
                                    "Nothing here matches “\(model.query)”.", "Nada aqui combina com “\(model.query)”.")
                            )
                            : .null
                    ),
                ])
    }

    func refresh() async { await model.list.refresh() }

    func action(for intent: Intent) -> ScreenAction? {
        let model = model
        return switch intent.name {
        case "appear": { await intent.isPageLoad ? model.list.refresh() : model.list.appear() }
        case "dismissError": { model.list.dismissError() }
        case "search": { model.search(intent["query"]) }
        default: nil
        }
    }

    private func skippedText(_ language: Language) -> JSONText {
        switch model.skipped {
        case 0: .null
        case 1:
            .string(
                language.pick(
                    "One more could not be read and was left out.", "Mais uma não pôde ser lida e ficou de fora."))
        case let count:
            .string(
                language.pick(
                    "\(count) more could not be read and were left out.",
                    "Mais \(count) não puderam ser lidas e ficaram de fora."))
        }
    }
}
