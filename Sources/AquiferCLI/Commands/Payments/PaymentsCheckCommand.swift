import App
import Payments

/// `aquifer payments check ID`: asks the server for the outcome of a payment.
struct PaymentsCheckCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run() async throws(CommandError) -> ExitStatus {
        let payments = call.services().payments
        let known = try await call.payment(payments.desk)
        let record: PaymentRecord?
        do throws(PaymentError) { record = try await payments.check(known.id) } catch { throw CommandError(error) }
        return await PaymentReport(record ?? known, payments, call.options).print(call.console)
    }
}
