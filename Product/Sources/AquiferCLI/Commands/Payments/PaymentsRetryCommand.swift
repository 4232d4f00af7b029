import App
import Aquifer
import AquiferPayments
import Foundation

/// `aquifer payments retry ID`: sends a payment again, with the same key.
struct PaymentsRetryCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run() async throws(CommandError) -> ExitStatus {
        let payments = call.services().payments
        let record = await payments.desk.present(try await call.payment(payments.desk))
        guard record.state.canBeSentAgain else {
            // Decided, or on its way: there is nothing to send again, and its state says what to do.
            return await PaymentReport(record, payments, call.options).print(call.console)
        }
        do throws(PaymentError) { try payments.desk.expectOwn(record) } catch { throw CommandError(error) }
        let card: Card?
        do throws(VaultError) { card = try await payments.vault.card(record.card.id) } catch {
            throw CommandError(error)
        }
        guard let card else { throw .lostCard(of: record) }
        let question = EarlierPayments(
            payments: payments, console: call.console, isMeant: call.arguments.has(Options.again),
            isQuiet: call.options.quiet)
        let shown = try await question.agreed(record.amount, to: record.contact, again: record)
        let code = try call.console.securityCode(card, fromInput: call.arguments.has(Options.codeFromInput))
        if !call.options.quiet && !call.options.json {
            call.console.note("sending \(record.amount.text) to \(record.contact.name) again, with the same key")
        }
        let sent = try await PaymentSending.run(
            record.amount, to: record.contact, besides: shown.all, again: record.id, payments
        ) {
            () async throws(PaymentError) in
            try await payments.payAgain(
                record, with: card, code: code, besides: shown.all, approved: shown.approved)
        }
        return await PaymentReport(sent, payments, call.options).print(call.console)
    }
}

extension CommandError {
    /// A payment that cannot be sent again, because its card is gone.
    fileprivate static func lostCard(of record: PaymentRecord) -> CommandError {
        let id = record.id.uuidString
        let way =
            record.state == .failed
            ? "it was not made, so pay anew with aquifer pay"
            : "ask with aquifer payments check \(id), or give it up with aquifer payments give-up \(id)"
        return CommandError(
            status: .notFound,
            message:
                "the card \(record.card.masked) is not kept any more, and another one would be another payment; \(way)")
    }
}
