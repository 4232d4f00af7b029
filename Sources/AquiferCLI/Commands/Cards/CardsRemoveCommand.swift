import App
import Payments

/// `aquifer cards remove ID`: deletes a card.
struct CardsRemoveCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run() async throws(CommandError) -> ExitStatus {
        let payments = call.services().payments
        let card = try await payments.card(call.words[0])
        do throws(VaultError) { _ = try await payments.vault.remove(card.id) } catch { throw CommandError(error) }
        if call.options.json {
            call.console.out(json: ResultDocument(local: RemovedDocument(removed: card.id.uuidString)))
        } else if !call.options.quiet {
            call.console.note("\(card.masked) is gone")
        }
        return .delivered
    }
}
