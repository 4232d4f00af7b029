import App
import Aquifer
import AquiferPayments
import AquiferWording
import Foundation

/// `aquifer payments list`: the payments that can be read. If there are others, it reports them and exits with the status of
/// a failed store.
struct PaymentsListCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run() async throws(CommandError) -> ExitStatus {
        let desk = call.services().payments.desk
        let contents: PaymentLedger.Contents
        do throws(StoreError) { contents = try await desk.ledger.contents() } catch { throw CommandError(error) }
        var present: [PaymentRecord] = []
        for record in contents.records { present.append(await desk.present(record)) }
        if call.options.json {
            let failures = contents.unreadable.map {
                FailureDocument($0.id?.uuidString, $0.reason)
            }
            call.console.out(
                json: ResultDocument(local: present.map { PaymentDocument($0) }, failures: failures))
        } else {
            let now = call.options.configuration.now()
            let rows = present.map { record in
                [
                    record.state.text(.english).lowercased(), record.amount.text, record.contact.username,
                    record.card.masked,
                    Language.english.relative(record.date, now: now), record.id.uuidString,
                ]
            }
            call.console.table(
                ["STATE", "AMOUNT", "TO", "CARD", "SENT", "ID"], rows, call.options,
                ifEmpty: contents.unreadable.isEmpty ? "nothing was paid yet" : "no payment can be read")
        }
        for item in contents.unreadable {
            call.console.note(
                "the payment \(item.id?.uuidString ?? "of an unknown ID") is kept and cannot be read (\(item.reason));"
                    + " nothing was deleted; aquifer payments discard \(item.id?.uuidString ?? PaymentsDiscardCommand.unnamed)"
                    + " removes it for good")
        }
        return contents.unreadable.isEmpty ? .delivered : .store
    }
}
