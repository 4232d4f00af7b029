import App
import Payments

/// `aquifer cards rotate-key`: seals the cards with a new key.
struct CardsRotateKeyCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run() async throws(CommandError) -> ExitStatus {
        let vault = call.services().payments.vault
        do throws(VaultError) { try await vault.rotateKey() } catch { throw CommandError(error) }
        if call.options.json {
            call.console.out(json: ResultDocument(local: ChangedDocument(changed: true)))
        } else if !call.options.quiet {
            call.console.note("the cards are sealed with a new key")
        }
        return .delivered
    }
}
