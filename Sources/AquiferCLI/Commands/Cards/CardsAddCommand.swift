import App
import AquiferWording
import Payments

/// `aquifer cards add`: asks for a card and keeps it.
struct CardsAddCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run() async throws(CommandError) -> ExitStatus {
        let payments = call.services().payments
        let prompt = CardPrompt(payments: payments, console: call.console, now: call.options.configuration.now)
        let card = try await prompt.keep()
        if call.options.json {
            call.console.out(json: ResultDocument(local: CardDocument(card, isDefault: true)))
            return .delivered
        }
        call.console.out("\(card.id.uuidString)")
        if !call.options.quiet {
            call.console.note("\(card.brandName(.english)) \(card.masked) is kept, sealed, and is the default")
        }
        return .delivered
    }
}
