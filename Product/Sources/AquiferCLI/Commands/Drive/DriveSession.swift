import App
import Aquifer
import AquiferShadowDrive
import Foundation

/// A command of Shadow Drive. It runs in a ``DriveSession``.
protocol DriveHandler: CommandHandler {
    var call: CommandCall { get }

    /// Carries out the command. Any error of Shadow Drive may be thrown.
    func run(_ session: DriveSession) async throws -> ExitStatus
}

extension DriveHandler {
    func run() async throws(CommandError) -> ExitStatus {
        do { return try await run(try await DriveSession(call)) } catch { throw CommandError(drive: error) }
    }
}

/// The means of the commands of Shadow Drive.
struct DriveSession: Sendable {
    let call: CommandCall
    let drive: ShadowDriveService

    var options: GlobalOptions { call.options }
    var console: Console { call.console }
    /// True if the user has agreed beforehand with `--yes`.
    var isSure: Bool { call.arguments.has(Options.yes) }

    init(_ call: CommandCall) async throws(CommandError) {
        self.call = call
        do throws(KeypairError) { drive = try await call.services().drive() } catch { throw CommandError(error) }
    }

    /// The account of the first word: an address, or a name among the owner's accounts.
    ///
    /// - Parameter isShown: true if the account is only shown. One to be changed is found in the latest list,
    ///   however long its server takes.
    func account(isShown: Bool = false) async throws(CommandError) -> PublicKey {
        let word = call.words[0]
        // A text that is not an address may be a name.
        if let key = try? PublicKey(word) { return key }
        guard let accounts = drive.accounts else { throw CommandError(DriveError.noKeypair) }
        let list: AccountList
        do throws(LoadError) {
            list = try await (isShown ? accounts.load() : accounts.reload()).value
        } catch { throw CommandError(error) }
        let found = list.accounts(called: word)
        guard let account = found.first else {
            let missing = list.isComplete ? "" : "; older accounts may be missing here until there is a connection"
            throw CommandError(
                status: .notFound,
                message: "no account of this key is called \"\(word)\"\(missing); aquifer drive list shows them")
        }
        guard found.count == 1 else {
            let addresses = found.map { "\($0.address)" }.joined(separator: ", ")
            throw CommandError(
                status: .usage,
                message:
                    "\(found.count) accounts are called \"\(word)\"; say which one by its address: \(addresses)")
        }
        return account.address
    }

    /// The file that the first word names.
    func location() throws(CommandError) -> FileLocation {
        guard let location = FileLocation(call.words[0]) else {
            throw .usage("\"\(call.words[0])\" is not the address of a file: https://…/ACCOUNT/NAME")
        }
        return location
    }

    /// Asks the user to confirm. With `--yes` nothing is asked.
    func agree(_ question: Question) throws(CommandError) {
        try console.agree(question, isSure: isSure, options)
    }

    /// Explains to the user why the command waits.
    func waits() {
        guard !options.quiet else { return }
        console.note(
            "the server did not know the transaction's blockhash; waiting until that transaction can no longer be carried"
                + " out, before another one is signed")
    }

    /// Explains to the user why a command waits whose transaction goes directly to Solana.
    func waitsForSolana() {
        guard !options.quiet else { return }
        console.note("waiting until Solana has carried the transaction out, or can no longer do so")
    }

    /// The owner's balance in words.
    func balance() async throws -> String {
        let wallet = try await drive.wallet()
        return "balance: \(wallet.text)"
    }
}

extension CommandCall {
    /// The size of the second word.
    func size(_ parse: (String) throws(StorageSizeError) -> UInt64) throws(CommandError) -> UInt64 {
        do throws(StorageSizeError) { return try parse(words[1]) } catch {
            throw CommandError(status: .usage, message: "\"\(words[1])\": \(error)")
        }
    }
}
