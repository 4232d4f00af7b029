import Aquifer
import AquiferPayments
import AquiferWording
import Foundation

/// The cards as their page draws them.
@MainActor
final class CardsScreen: Screen {
    static let name = "cards"

    struct State: ScreenState {
        let title: String
        let cards: [CardLine]
        let isEmpty: Bool
        let isOlderCopy: Bool
        let isLost: Bool
        @OrNull var error: ScreenError?
    }

    enum Intent: String, ScreenIntent {
        case appear, choose, remove, acceptOlder, discardOlder, dismissError

        var fields: [String] {
            switch self {
            case .choose, .remove: ["id"]
            default: []
            }
        }
    }

    private let model: CardsModel

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        model = CardsModel(hub.services.payments)
    }

    func state(_ context: ScreenContext) -> State {
        State(
            title: context.language.text("cards.title"),
            cards: model.cards.map { CardLine($0, isChosen: $0.id == model.chosen, context) },
            isEmpty: model.isLoaded && model.cards.isEmpty && model.error == nil,
            isOlderCopy: model.isOlderCopy, isLost: model.isLost, error: context.error(model.error))
    }

    func refresh() async { await model.appear() }

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let model = model
        switch intent {
        case .appear: return { await model.appear() }
        case .choose:
            let id = try fields.id()
            return { await model.choose(id) }
        case .remove:
            let id = try fields.id()
            return { await model.remove(id) }
        case .acceptOlder: return { await model.acceptOlder() }
        case .discardOlder: return { await model.discardOlder() }
        case .dismissError: return { model.dismissError() }
        }
    }
}

/// A card in a list, without a digit that is not shown.
struct CardLine: Codable, Sendable {
    let id: UUID
    @OrNull var brand: CardBrand?
    let brandName: String
    let masked: String
    let holder: String
    let expiry: String
    let isTestCard: Bool
    @OrNull var testLabel: String?
    let isExpired: Bool
    let isChosen: Bool

    @MainActor
    init(_ card: CardSummary, isChosen: Bool, _ context: ScreenContext) {
        id = card.id
        brandName = card.brandName(context.language)
        masked = card.masked
        holder = card.holder
        expiry = card.expiry.text
        isTestCard = card.isTestCard
        isExpired = !card.isTestCard && card.expiry.isExpired(at: context.now)
        self.isChosen = isChosen
        _brand = OrNull(wrappedValue: card.brand)
        _testLabel = OrNull(wrappedValue: card.isTestCard ? TestCard.label(context.language) : nil)
    }
}

extension CardSummary {
    /// The brand in words.
    public func brandName(_ language: Language) -> String {
        brand?.name ?? language.text("card.test")
    }
}

/// The name of the test card, wherever it is shown.
enum TestCard {
    static func label(_ language: Language) -> String {
        language.text("card.test.label")
    }
}

extension ScreenContext {
    func error(_ error: VaultError?) -> ScreenError? {
        error.map { ScreenError(kind: "vault", message: $0.message(in: language)) }
    }
}
