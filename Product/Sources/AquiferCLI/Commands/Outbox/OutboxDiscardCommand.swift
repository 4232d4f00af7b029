import App
import Aquifer

/// `aquifer outbox discard ID`: takes an item out of the outbox.
struct OutboxDiscardCommand: CommandHandler {
    private let call: CommandCall
    private let id: Outbox.ID

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        id = try call.itemID()
    }

    func run() async throws(CommandError) -> ExitStatus {
        try await call.outbox { (outbox) throws(OutboxError) in
            guard let discarded = try await outbox.discard(id) else {
                throw .noSuchItem(id, try await absence(from: outbox))
            }
            if call.options.json {
                let document = DiscardedItemDocument(
                    discarded: id.number, label: discarded.label, mayHaveArrived: discarded.mayHaveArrived)
                call.console.out(json: ResultDocument(local: document))
            }
            // The number may be another item's than that of whoever kept it: an older copy of the data gives numbers again.
            let named = "discarded \(id)" + (discarded.label.isEmpty ? "" : " “\(discarded.label)”")
            if discarded.mayHaveArrived {
                call.console.note("\(named), but it may have arrived all the same: a try of it had begun")
            } else if !call.options.quiet {
                call.console.note(named)
            }
            return .delivered
        }
    }

    private func absence(from outbox: Outbox) async throws(OutboxError) -> Outbox.Absence {
        do throws(StoreError) { return try await outbox.absence(of: id) } catch { throw .store(error) }
    }
}
