import App
import Aquifer
import Payments

/// `aquifer cards default ID`: chooses the card that pays unless told otherwise.
struct CardsDefaultCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run() async throws(CommandError) -> ExitStatus {
        let payments = call.services().payments
        let card = try await payments.card(call.words[0])
        do throws(StoreError) { try await payments.choose(card.id) } catch { throw CommandError(error) }
        if call.options.json {
            call.console.out(json: ResultDocument(local: CardDocument(card, isDefault: true)))
        } else if !call.options.quiet {
            call.console.note("payments are made with \(card.masked) unless told otherwise")
        }
        return .delivered
    }
}
