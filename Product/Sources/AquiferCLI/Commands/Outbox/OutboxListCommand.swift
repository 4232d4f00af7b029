import App
import Aquifer
import AquiferWording
import Foundation

/// `aquifer outbox list`: the items that wait to be sent.
struct OutboxListCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run() async throws(CommandError) -> ExitStatus {
        try await call.outbox { (outbox) throws(OutboxError) in try await list(outbox) }
    }

    private func list(_ outbox: Outbox) async throws(OutboxError) -> ExitStatus {
        let items = try await outbox.listed()
        let now = call.options.configuration.now()
        if call.options.json {
            call.console.out(json: ResultDocument(local: items.map { OutboxItemDocument($0, now: now) }))
            return .delivered
        }
        let rows = items.map { item in
            [
                "\(item.id)", item.stateWord, item.label, "\(item.length)",
                item.isReadable ? Language.english.relative(item.queuedAt, now: now) : "", item.detail(now: now),
            ]
        }
        call.console.table(
            ["ID", "STATE", "TITLE", "BYTES", "QUEUED", "DETAIL"], rows, call.options,
            ifEmpty: "nothing waits to be sent")
        return .delivered
    }
}
