import App
import Aquifer

/// `aquifer outbox retry ID`: tries an item again now, and sends what else can be sent.
struct OutboxRetryCommand: CommandHandler {
    private let call: CommandCall
    private let id: Outbox.ID

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        id = try call.itemID()
    }

    func run() async throws(CommandError) -> ExitStatus {
        try await call.outbox { (outbox) throws(OutboxError) in
            try await outbox.retry(id)
            let sending = OutboxSending(outbox: outbox, console: call.console, options: call.options, waits: false)
            return try await sending.run()
        }
    }
}
