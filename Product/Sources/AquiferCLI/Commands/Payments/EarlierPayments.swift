import Aquifer
import AquiferPayments
import Foundation

/// Asks for confirmation before a payment is sent that may have been made already: the outcome of one with the same amount to
/// the same person is unknown, or one was made after the payment that is to be sent again.
struct EarlierPayments {
    let payments: PaymentsService
    let console: Console
    /// True if `--again` confirms that a second payment is meant.
    let isMeant: Bool
    /// True if the command prints errors only.
    let isQuiet: Bool

    /// The earlier payments, after the user has confirmed that another one is meant.
    ///
    /// - Throws: `.usage` without a terminal and without `--again`, and while one of them is being sent; `.refused` if the
    ///   user types anything but yes; `.store` if the payments made cannot be read. Nothing was sent then.
    ///
    /// - Parameter record: The payment that is to be sent again; `nil` for a new one.
    func agreed(_ amount: Money, to contact: Contact, again record: PaymentRecord? = nil) async throws(CommandError)
        -> Shown
    {
        let earlier: [PaymentRecord]
        do throws(StoreError) {
            // A payment whose own outcome is unknown is sent again under its key, which resolves it.
            let open = record?.state == .unknown ? [] : try await payments.desk.unresolved(amount, to: contact)
            let made: [PaymentRecord] = if let record { try await payments.desk.madeSince(record) } else { [] }
            earlier = open.filter { $0.id != record?.id } + made
        } catch { throw CommandError(PaymentError.ledger(error)) }
        await tellUnreadable()
        guard !earlier.isEmpty else { return Shown([]) }
        // Nobody knows yet what becomes of a payment that is being sent, so nobody can mean another one.
        guard !earlier.contains(where: { $0.state == .sending }) else { throw .doubled(earlier) }
        if isMeant {
            if !isQuiet { for record in earlier { console.note("\(record.inDoubt); another one is sent") } }
        } else {
            guard Descriptor.input.isTerminal else { throw .doubled(earlier) }
            for record in earlier where record.isDecided { console.note(record.inDoubt) }
            for record in earlier where !record.isDecided {
                console.note(
                    "\(record.inDoubt): aquifer payments check \(record.id.uuidString) asks,"
                        + " aquifer payments retry \(record.id.uuidString) sends it again as the same payment")
            }
            console.note("type yes to pay once more; anything else sends nothing")
            guard try console.ask("> ") == "yes" else {
                throw CommandError(status: .refused, message: "nothing was sent")
            }
        }
        return Shown(earlier)
    }

    /// Warns about earlier payments that cannot be read. One of them may be this payment, but since they stay for ever,
    /// they do not block it.
    private func tellUnreadable() async {
        // An error is ignored here: the ledger was read a moment ago, and is read again before anything is sent.
        let unreadable = (try? await payments.desk.ledger.contents().unreadable) ?? []
        guard !unreadable.isEmpty else { return }
        console.note(
            "\(counted(unreadable.count, "payment")) made before cannot be read, and may be the same as this one:"
                + " aquifer payments list")
    }
}

extension EarlierPayments {
    /// The payments that the user was shown, and pays besides.
    struct Shown: Sendable {
        let all: Set<UUID>
        /// Those that were shown as made.
        let approved: Set<UUID>

        init(_ records: [PaymentRecord]) {
            all = Set(records.map(\.id))
            approved = Set(records.filter { $0.state == .approved }.map(\.id))
        }
    }
}

extension CommandError {
    /// The error of a payment that was not sent, because the outcome of an earlier one like it is unknown.
    static func doubled(_ earlier: [PaymentRecord]) -> CommandError {
        // Otherwise the latest payment is the one that is most likely meant.
        guard let first = earlier.first(where: { $0.state == .sending }) ?? earlier.first else {
            return CommandError(PaymentError.underWay)
        }
        let id = first.id.uuidString
        let others = earlier.count > 1 ? " (and \(counted(earlier.count - 1, "other")) like it)" : ""
        let ways =
            first.isDecided
            ? "say --again if a second payment is meant"
            : first.state == .sending
                ? "wait for its outcome, which aquifer payments check \(id) asks for"
                : "ask with aquifer payments check \(id), send it again as the same payment with aquifer payments retry \(id),"
                    + " or say --again if a second payment is meant"
        return CommandError(status: .usage, message: "nothing was sent: \(first.inDoubt)\(others); \(ways)")
    }
}

extension PaymentRecord {
    /// One line with the payment and the statement that its outcome is unknown.
    fileprivate var inDoubt: String {
        let what =
            "\(amount.text) to \(contact.username) with \(card.masked)"
            + " (\(startedAt.formatted(.iso8601)), \(id.uuidString))"
        switch state {
        case .sending:
            let end = sendingUntil.map { ", whose turn ends at \($0.formatted(.iso8601))" } ?? ""
            return "\(what) is being sent by another process\(end)"
        case .approved: return "\(what) was paid since"
        default: return "it is not known whether \(what) was paid"
        }
    }
}
