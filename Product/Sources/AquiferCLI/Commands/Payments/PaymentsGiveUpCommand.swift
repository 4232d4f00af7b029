import App
import AquiferPayments
import AquiferWording

/// `aquifer payments give-up ID`: leaves a payment whose outcome is unknown as it is.
struct PaymentsGiveUpCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run() async throws(CommandError) -> ExitStatus {
        let payments = call.services().payments
        let known = try await call.payment(payments.desk)
        let record: PaymentRecord?
        do throws(PaymentError) { record = try await payments.desk.giveUp(known.id) } catch {
            throw CommandError(error)
        }
        guard let record, record.state == .abandoned else {
            throw CommandError(
                status: .usage,
                message:
                    "only a payment whose outcome is unknown can be given up; this one is"
                    + " \((record ?? known).state.text(.english).lowercased())"
            )
        }
        if call.options.json { call.console.out(json: ResultDocument(local: PaymentDocument(record))) }
        if !call.options.quiet {
            call.console.note(
                "the payment is given up; whether it was made is not known, and"
                    + " aquifer payments check \(record.id.uuidString) still asks")
        }
        return .delivered
    }
}
