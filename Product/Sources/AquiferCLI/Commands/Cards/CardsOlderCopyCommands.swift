import App
import AquiferPayments

/// `aquifer cards accept-older`: uses an older copy of the cards that was put back.
struct CardsAcceptOlderCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run() async throws(CommandError) -> ExitStatus {
        let vault = call.services().payments.vault
        let wasOlder: Bool
        do throws(VaultError) { wasOlder = try await vault.acceptOlder() } catch { throw CommandError(error) }
        return try call.report(
            wasOlder,
            "the older copy is used from now on; look at its cards with aquifer cards list, and remove what"
                + " should not be there")
    }
}

/// `aquifer cards discard-older`: deletes all cards of an older copy that was put back.
struct CardsDiscardOlderCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run() async throws(CommandError) -> ExitStatus {
        let vault = call.services().payments.vault
        let wasOlder: Bool
        do throws(VaultError) { wasOlder = try await vault.discardOlder() } catch { throw CommandError(error) }
        return try call.report(wasOlder, "the cards of the older copy are gone; add yours with aquifer cards add")
    }
}

extension CommandCall {
    /// Reports the decision about an older copy.
    ///
    /// - Throws: `.usage` if the cards were no older copy.
    fileprivate func report(_ wasOlder: Bool, _ message: String) throws(CommandError) -> ExitStatus {
        guard wasOlder else {
            throw CommandError(status: .usage, message: "there is no older copy of the cards; nothing was changed")
        }
        if options.json {
            console.out(json: ResultDocument(local: ChangedDocument(changed: true)))
        } else if !options.quiet {
            console.note(message)
        }
        return .delivered
    }
}
