import App
import AquiferWording
import Payments

/// `aquifer cards list`: the cards, masked.
struct CardsListCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run() async throws(CommandError) -> ExitStatus {
        let payments = call.services().payments
        let cards = try await payments.cards()
        let chosen = await payments.chosenCard(of: cards)?.id
        if call.options.json {
            let documents = cards.map { CardDocument($0, isDefault: $0.id == chosen) }
            call.console.out(json: ResultDocument(local: documents))
            return .delivered
        }
        let rows = cards.map { card in
            [
                card.masked, card.brandName(.english), card.expiry.text, card.holder,
                card.id == chosen ? "default" : "",
                card.id.uuidString,
            ]
        }
        call.console.table(
            ["NUMBER", "BRAND", "EXPIRY", "HOLDER", "DEFAULT", "ID"], rows, call.options,
            ifEmpty: "no card is kept; add one with aquifer cards add")
        return .delivered
    }
}
