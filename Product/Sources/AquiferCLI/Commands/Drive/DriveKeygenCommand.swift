import App
import AquiferShadowDrive
import Foundation

/// `aquifer drive keygen FILE`: generates a key pair and writes it to a file. No service is needed.
struct DriveKeygenCommand: CommandHandler {
    static var usesStores: Bool { false }

    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run() async throws(CommandError) -> ExitStatus {
        do throws(KeypairError) {
            let keypair = try Keypair()
            try keypair.write(to: URL(filePath: call.words[0]))
            if call.options.json {
                call.console.out(json: ResultDocument(local: KeyDocument(pubkey: "\(keypair.publicKey)")))
            } else {
                call.console.out("\(keypair.publicKey)")
                if !call.options.quiet {
                    call.console.note(
                        "\(call.words[0]) holds the secret key; anyone who has the file controls its accounts")
                }
            }
            return .delivered
        } catch {
            // The key file is the command's output, so the failure has the status of an unwritable output.
            if case .failed(let reason) = error { throw CommandError(status: .unwritable, message: reason) }
            throw CommandError(error)
        }
    }
}
