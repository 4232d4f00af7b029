import App
import Aquifer
import AquiferPayments
import Foundation

/// `aquifer payments discard ID`: removes what is kept of a payment and cannot be read.
struct PaymentsDiscardCommand: CommandHandler {
    /// The word for what cannot be told to be any payment.
    static let unnamed = "unknown"

    private let text: String
    private let isSure: Bool
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        text = call.words[0]
        isSure = call.arguments.has(Options.yes)
    }

    func run() async throws(CommandError) -> ExitStatus {
        let ledger = call.services().payments.desk.ledger
        let contents: PaymentLedger.Contents
        do throws(StoreError) { contents = try await ledger.contents() } catch { throw CommandError(error) }
        let id = UUID(uuidString: text)
        guard id != nil || text == Self.unnamed, let item = contents.unreadable.first(where: { $0.id == id }) else {
            throw absence(contents)
        }
        try agree(item)
        let isGone: Bool
        do throws(StoreError) {
            if let id {
                isGone = try await ledger.discard(id) == .discarded
            } else {
                isGone = try await ledger.discardUnnamed() > 0
            }
        } catch { throw CommandError(error) }
        guard isGone else { throw absence(contents) }
        if call.options.json {
            call.console.out(json: ResultDocument(local: DiscardedPaymentDocument(discarded: text)))
        }
        if !call.options.quiet { call.console.note("discarded \(text)") }
        return .delivered
    }

    private func agree(_ item: PaymentLedger.Unreadable) throws(CommandError) {
        let whose = item.id.map { "the payment \($0.uuidString)" } ?? "an entry that may be a payment"
        let question = Question(
            action: "removing what is kept of \(whose) for good",
            lines: [
                "it cannot be read (\(item.reason)); your bank's statement is the only record of the payment then"
            ])
        try call.console.agree(question, isSure: isSure, call.options)
    }

    /// Why there is nothing to discard.
    private func absence(_ contents: PaymentLedger.Contents) -> CommandError {
        if let id = UUID(uuidString: text), contents.records.contains(where: { $0.id == id }) {
            return CommandError(
                status: .usage,
                message:
                    "the payment \(text) can be read, and only what cannot be read is discarded; nothing was changed")
        }
        return CommandError(
            status: .notFound,
            message: "\"\(text)\" is not the ID of a payment that cannot be read; aquifer payments list shows them")
    }
}
