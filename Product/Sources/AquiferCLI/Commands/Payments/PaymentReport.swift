import App
import AquiferPayments
import Foundation

/// The outcome of a payment in words, in JSON and as an exit status.
struct PaymentReport {
    private let record: PaymentRecord
    private let options: GlobalOptions
    /// The default card, after a payment that was declined.
    private let next: CardSummary?
    /// False if the outcome is known here, and could not be recorded.
    private let isRecorded: Bool
    /// The longest wait for the record of an outcome.
    private static let patience = Duration.seconds(8)

    private init(_ record: PaymentRecord, next: CardSummary?, isRecorded: Bool, _ options: GlobalOptions) {
        self.record = record
        self.next = next
        self.isRecorded = isRecorded
        self.options = options
    }

    /// The report of a payment.
    ///
    /// - Parameter payments: The service that gives the next default card, if this payment was declined.
    init(_ record: PaymentRecord, _ payments: PaymentsService, _ options: GlobalOptions) async {
        var next: CardSummary?
        if record.state == .declined {
            // If the cards cannot be read, the report suggests none.
            let cards = (try? await payments.vault.cards()) ?? []
            next = await payments.chosenCard(of: cards)
        }
        let isKnown = [.approved, .declined, .failed].contains(record.state)
        let isRecorded = isKnown ? await payments.desk.isRecorded(record, within: Self.patience) : true
        self.init(record, next: next, isRecorded: isRecorded, options)
    }

    func print(_ console: Console) -> ExitStatus {
        let status = printOutcome(console)
        if isRecorded { return status }
        console.note(
            "this outcome could not be recorded: the disk is full, too few files can be open (ulimit -n), or another process"
                + " holds the payments; mend that, then aquifer payments check \(record.id.uuidString) records it")
        return .unrecorded
    }

    private func printOutcome(_ console: Console) -> ExitStatus {
        if options.json { console.out(json: ResultDocument(local: PaymentDocument(record))) }
        let id = record.id.uuidString
        switch record.state {
        case .approved:
            if !options.json {
                console.out(
                    "approved: \(record.amount.text) to \(record.contact.username), number \(record.number ?? 0)")
            }
            return .delivered
        case .declined:
            console.note("the card \(record.card.masked) was declined; nothing was charged; \(afterDecline)")
            return .refused
        case .failed:
            guard let status = record.refusal else {
                let cause = record.obstacle.map { $0.isEmpty ? "" : " (\($0))" } ?? ""
                console.note(
                    "the payment was not made: the server could not be reached\(cause), and nothing was sent; send it with"
                        + " aquifer payments retry \(id)")
                return .unavailable
            }
            console.note(
                "the payment was not made: the server refused the order (\(status)); check the contact, the amount and the"
                    + " card, then pay anew with aquifer pay")
            return .refused
        case .sending:
            let end = record.sendingUntil.map { ", whose turn ends at \($0.formatted(.iso8601))" } ?? ""
            console.note(
                "the payment is being sent by another process\(end); ask what became of it with aquifer payments check \(id)"
            )
            return .unknown
        case .unknown:
            guard let date = record.notFoundAt else {
                console.note(
                    "it is not known whether the payment was made: no usable answer came;"
                        + " ask with aquifer payments check \(id), or \(ways(id))")
                return .unknown
            }
            console.note(
                "it is not known whether the payment was made; not made, as far as the server knew at"
                    + " \(date.formatted(.iso8601)): \(ways(id))")
            return .unknown
        case .abandoned:
            console.note(
                "the payment was given up, and it is not known whether it was made; aquifer payments check \(id) still asks"
            )
            return .unknown
        }
    }

    private var afterDecline: String {
        guard let next, next.id != record.card.id else {
            return "add another one with aquifer cards add, or choose one with --card"
        }
        return "\(next.masked) is the default now, aquifer cards default changes it"
    }

    private func ways(_ id: String) -> String {
        "send it again, as the same payment, with aquifer payments retry \(id),"
            + " or give it up with aquifer payments give-up \(id)"
    }
}
