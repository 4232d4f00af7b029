import App
import AquiferPayments
import AquiferWording

/// `aquifer cards add`: asks for a card and keeps it.
struct CardsAddCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run() async throws(CommandError) -> ExitStatus {
        let payments = call.services().payments
        let prompt = CardPrompt(payments: payments, console: call.console, now: call.options.configuration.now)
        let card = try await prompt.keep()
        // The card is kept, also if the choice could not be saved, or nothing can be read just now.
        let isDefault = await payments.chosenCard(of: (try? await payments.cards()) ?? [])?.id == card.id
        if call.options.json {
            call.console.out(json: ResultDocument(local: CardDocument(card, isDefault: isDefault)))
            return .delivered
        }
        call.console.out("\(card.id.uuidString)")
        let choice = isDefault ? "is the default" : "could not be made the default; aquifer cards default does it"
        if !isDefault || !call.options.quiet {
            call.console.note("\(card.brandName(.english)) \(card.masked) is kept, sealed, and \(choice)")
        }
        return .delivered
    }
}
