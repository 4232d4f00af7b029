import Aquifer
import AquiferPayments
import AquiferWording
import Foundation

/// The form of a card as its page draws it. No state holds a digit of the number.
@MainActor
final class CardFormScreen: Screen {
    static let name = "card-form"

    struct State: ScreenState {
        let title: String
        let fields: Fields
        let canSave: Bool
        let isSaving: Bool
        @OrNull var testLabel: String?
        /// The card that was saved.
        @OrNull var saved: UUID?
        @OrNull var error: ScreenError?
    }

    struct Fields: Codable, Sendable {
        let number: Number
        let holder: Field
        let expiry: Field
    }

    struct Field: Codable, Sendable {
        let isValid: Bool
        /// The error that no further character can mend.
        @OrNull var error: String?
        /// The error of the text as it stands.
        @OrNull var problem: String?
    }

    struct Number: Codable, Sendable {
        @OrNull var brand: CardBrand?
        @OrNull var brandName: String?
        let gaps: [Int]
        let maxLength: Int
        let digits: Int
        let isValid: Bool
        @OrNull var error: String?
        @OrNull var problem: String?
    }

    enum Intent: String, ScreenIntent {
        case appear, edit, save, reset, dismissError

        var fields: [String] {
            switch self {
            case .edit: ["field", "value"]
            // Never the number.
            case .save: ["holder?", "expiry?"]
            default: []
            }
        }
    }

    private let model: CardFormModel

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        model = CardFormModel(hub.services.payments)
    }

    func state(_ context: ScreenContext) -> State {
        let language = context.language
        let number = model.number
        return State(
            title: language.text("cardForm.title"),
            fields: Fields(
                number: Number(
                    brand: number.brand, brandName: number.brand?.name, gaps: number.gaps, maxLength: number.maxLength,
                    digits: number.digits, isValid: number.isComplete, error: number.error?.message(in: language),
                    problem: problem(of: number, language)),
                holder: Field(
                    isValid: model.holder.isValid, error: model.holder.error?.message(in: language),
                    problem: model.holder.problem?.message(in: language)),
                expiry: Field(
                    isValid: model.expiry.isValid, error: model.expiry.error?.message(in: language),
                    problem: model.expiry.problem?.message(in: language))),
            canSave: model.canSave, isSaving: model.isSaving,
            testLabel: model.isTestCard ? TestCard.label(language) : nil, saved: model.saved?.id,
            error: context.error(model.error))
    }

    /// The lengths of a brand's numbers say nothing to someone whose number is not all there yet.
    private func problem(of number: NumberHint, _ language: Language) -> String? {
        if case .wrongLength(let expected) = number.problem, number.digits < expected.min() ?? 0 {
            return language.text("card.number.tooShort")
        }
        return number.problem?.message(in: language)
    }

    /// Does nothing: the form loads nothing, and keeps the text typed.
    func refresh() async {}

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let model = model
        switch intent {
        case .appear: return {}
        case .edit:
            let field = try fields.value("field", CardFormModel.Field.init)
            let value = try fields.text("value")
            return { model.edit(field, value) }
        case .save:
            for field in [CardFormModel.Field.holder, .expiry] {
                try fields.check(field.rawValue) { model.has($0, in: field) }
            }
            return { await model.save() }
        case .reset: return { model.reset() }
        case .dismissError: return { model.dismissError() }
        }
    }
}
