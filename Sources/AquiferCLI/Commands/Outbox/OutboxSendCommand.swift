import App
import Aquifer

/// `aquifer outbox send [--wait]`: sends every item that can be sent now.
struct OutboxSendCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run() async throws(CommandError) -> ExitStatus {
        try await call.outbox { (outbox) throws(OutboxError) in
            let sending = OutboxSending(
                outbox: outbox, console: call.console, options: call.options, waits: call.arguments.has(Options.wait))
            return try await sending.run()
        }
    }
}
