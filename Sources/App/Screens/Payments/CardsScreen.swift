import Aquifer
import Foundation
import Payments

/// The cards as the page draws them.
@MainActor
final class CardsScreen: Screen {
    private let model: CardsModel

    init(_ service: PaymentsService) {
        model = CardsModel(service)
    }

    func state(_ context: ScreenContext) -> JSONText {
        .object([
            ("title", .string(context.language.pick("Cards", "Cartões"))),
            ("cards", .array(model.cards.map { $0.json(context, isChosen: $0.id == model.chosen) })),
            ("isEmpty", .bool(model.isLoaded && model.cards.isEmpty && model.error == nil)),
            ("isLoading", .bool(!model.isLoaded)),
            ("isOlderCopy", .bool(model.isOlderCopy)),
            ("isLost", .bool(model.isLost)),
            ("error", context.error(model.error)),
        ])
    }

    func refresh() async { await model.appear() }

    func action(for intent: Intent) -> ScreenAction? {
        let model = model
        return switch intent.name {
        case "appear": { await model.appear() }
        case "choose": intent.withID { await model.choose($0) }
        case "remove": intent.withID { await model.remove($0) }
        case "acceptOlder": { await model.acceptOlder() }
        case "discardOlder": { await model.discardOlder() }
        case "dismissError": { model.dismissError() }
        default: nil
        }
    }
}

extension CardSummary {
    @MainActor
    func json(_ context: ScreenContext, isChosen: Bool) -> JSONText {
        .object([
            ("id", .string(id.uuidString)), ("brand", .string(brand?.rawValue)),
            ("brandName", .string(brandName(context.language))), ("masked", .string(masked)),
            ("holder", .string(holder)), ("expiry", .string(expiry.text)), ("isTestCard", .bool(isTestCard)),
            ("testLabel", isTestCard ? .string(TestCard.label(context.language)) : .null),
            ("isExpired", .bool(!isTestCard && expiry.isExpired(at: context.now))), ("isChosen", .bool(isChosen)),
        ])
    }

    /// The brand in words.
    public func brandName(_ language: Language) -> String {
        brand?.name ?? language.pick("Test card", "Cartão de teste")
    }
}

/// The name of the test card, wherever it is shown.
enum TestCard {
    static func label(_ language: Language) -> String {
        language.pick("Test card: no real money", "Cartão de teste: sem dinheiro de verdade")
    }
}

extension ScreenContext {
    func error(_ error: VaultError?) -> JSONText {
        guard let error else { return .null }
        return .object([("kind", .string("vault")), ("message", .string(error.message(in: language)))])
    }
}
