import Aquifer
import Foundation
import Payments

/// The form of a card as the page draws it. No state holds a digit of the number.
@MainActor
final class CardFormScreen: Screen {
    private let model: CardFormModel

    init(_ service: PaymentsService) {
        model = CardFormModel(service)
    }

    func state(_ context: ScreenContext) -> JSONText {
        let language = context.language
        let number = model.number
        return .object([
            ("title", .string(language.pick("New card", "Novo cartão"))),
            (
                "fields",
                .object([
                    (
                        "number",
                        .object([
                            ("brand", .string(number.brand?.rawValue)), ("brandName", .string(number.brand?.name)),
                            ("gaps", .array(number.gaps.map { .int($0) })), ("maxLength", .int(number.maxLength)),
                            ("digits", .int(number.digits)), ("isValid", .bool(number.isComplete)),
                            ("error", .string(number.error?.message(in: language))),
                        ])
                    ),
                    ("holder", field(model.holder.isValid, model.holder.error?.message(in: language))),
                    ("expiry", field(model.expiry.isValid, model.expiry.error?.message(in: language))),
                ])
            ),
            ("canSave", .bool(model.canSave)),
            ("isSaving", .bool(model.isSaving)),
            ("testLabel", model.isTestCard ? .string(TestCard.label(language)) : .null),
            ("saved", .string(model.saved?.id.uuidString)),
            ("error", context.error(model.error)),
        ])
    }

    /// Does nothing: the form loads nothing, and keeps the text typed.
    func refresh() async {}

    func action(for intent: Intent) -> ScreenAction? {
        let model = model
        return switch intent.name {
        case "appear": {}
        case "edit": edit(intent)
        case "save": { await model.save() }
        case "reset": { model.reset() }
        case "dismissError": { model.dismissError() }
        default: nil
        }
    }

    private func edit(_ intent: Intent) -> ScreenAction? {
        guard let field = CardFormModel.Field(rawValue: intent["field"]) else { return nil }
        return { [model] in model.edit(field, intent["value"]) }
    }

    private func field(_ isValid: Bool, _ error: String?) -> JSONText {
        .object([("isValid", .bool(isValid)), ("error", .string(error))])
    }
}
