import App
import Aquifer
import Foundation
import Payments

/// `aquifer payments list | check ID | retry ID | give-up ID`: the payments made.
struct PaymentsCommand {
    private let name: String
    private let arguments: Arguments
    private let options: GlobalOptions

    init(_ name: String, _ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        self.name = name
        self.arguments = arguments
        self.options = options
        if name == "payments list" { try arguments.end() }
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let payments = services.payments
        switch name {
        case "payments check": return try await check(payments, console)
        case "payments retry": return try await retry(payments, console)
        case "payments give-up": return try await giveUp(payments, console)
        default: return try await list(payments.desk, console)
        }
    }

    /// Lists the payments that can be read. If there are others, it reports them and exits with the status of a failed
    /// store.
    private func list(_ desk: PaymentDesk, _ console: Console) async throws(CommandError) -> ExitStatus {
        let contents: PaymentLedger.Contents
        do throws(StoreError) { contents = try await desk.ledger.contents() } catch { throw CommandError(error) }
        var present: [PaymentRecord] = []
        for record in contents.records { present.append(await desk.present(record)) }
        if options.json {
            let unreadable = contents.unreadable.map { item in
                JSONText.object([("id", .string(item.id?.uuidString)), ("reason", .string(item.reason))])
            }
            console.out(
                JSONText.object([("payments", .array(present.map(\.json))), ("unreadable", .array(unreadable))]).text)
        } else {
            let rows = present.map { record in
                [
                    record.state.rawValue, record.amount.text, record.contact.username, record.card.masked,
                    (record.bookedAt ?? record.startedAt).formatted(.iso8601), record.id.uuidString,
                ]
            }
            console.table(
                ["STATE", "AMOUNT", "TO", "CARD", "DATE", "ID"], rows, options,
                ifEmpty: contents.unreadable.isEmpty ? "nothing was paid yet" : "no payment can be read")
        }
        for item in contents.unreadable {
            console.note(
                "the payment \(item.id?.uuidString ?? "of an unknown ID") is kept and cannot be read (\(item.reason));"
                    + " nothing was deleted; aquifer payments discard \(item.id?.uuidString ?? PaymentsDiscardCommand.unnamed)"
                    + " removes it for good")
        }
        return contents.unreadable.isEmpty ? .delivered : .store
    }

    private func check(_ payments: PaymentsService, _ console: Console) async throws(CommandError) -> ExitStatus {
        let known = try await payment(payments.desk)
        let record: PaymentRecord?
        do throws(PaymentError) { record = try await payments.check(known.id) } catch { throw CommandError(error) }
        return await PaymentReport(record ?? known, payments, options).print(console)
    }

    private func retry(_ payments: PaymentsService, _ console: Console) async throws(CommandError) -> ExitStatus {
        let record = await payments.desk.present(try await payment(payments.desk))
        guard record.state.canBeSentAgain else {
            // Decided, or on its way: there is nothing to send again, and its state says what to do.
            return await PaymentReport(record, payments, options).print(console)
        }
        do throws(PaymentError) { try payments.desk.expectOwn(record) } catch { throw CommandError(error) }
        let card: Card?
        do throws(VaultError) { card = try await payments.vault.card(record.card.id) } catch {
            throw CommandError(error)
        }
        guard let card else { throw .lostCard(of: record) }
        var besides: Set<UUID> = []
        if record.state != .unknown {
            let question = EarlierPayments(payments: payments, console: console, isMeant: arguments.has("--again"))
            besides = try await question.agreed(record.amount, to: record.contact)
        }
        let code = try console.securityCode(card, fromInput: arguments.has("--cvv-stdin"))
        if !options.quiet && !options.json {
            console.note("sending \(record.amount.text) to \(record.contact.name) again, with the same key")
        }
        let others = besides
        let sent = try await PaymentSending.run(
            record.amount, to: record.contact, besides: others, again: record.id, payments
        ) {
            () async throws(PaymentError) in
            try await payments.payAgain(record, with: card, code: code, besides: others)
        }
        return await PaymentReport(sent, payments, options).print(console)
    }

    private func giveUp(_ payments: PaymentsService, _ console: Console) async throws(CommandError) -> ExitStatus {
        let known = try await payment(payments.desk)
        let record: PaymentRecord?
        do throws(PaymentError) { record = try await payments.desk.giveUp(known.id) } catch {
            throw CommandError(error)
        }
        guard let record, record.state == .abandoned else {
            throw CommandError(
                status: .usage,
                message:
                    "only a payment that is not known of can be given up; this one is \((record ?? known).state.rawValue)"
            )
        }
        if options.json { console.out(record.json.text) }
        if !options.quiet {
            console.note(
                "the payment is given up; whether it was made is not known, and"
                    + " aquifer payments check \(record.id.uuidString) still asks")
        }
        return .delivered
    }

    /// The payment with the given ID.
    private func payment(_ desk: PaymentDesk) async throws(CommandError) -> PaymentRecord {
        var arguments = arguments
        let text = try arguments.next("the payment's ID")
        try arguments.end()
        guard let id = UUID(uuidString: text) else { throw .noPayment(text) }
        do throws(StoreError) {
            if let record = try await desk.ledger.record(id) { return record }
        } catch {
            guard case .unreadable(_, let reason) = error else { throw CommandError(error) }
            throw CommandError(
                status: .store,
                message: "the payment \(text) is kept and cannot be read (\(reason)); nothing was deleted or sent")
        }
        throw .noPayment(text)
    }
}

extension CommandError {
    fileprivate static func noPayment(_ text: String) -> CommandError {
        CommandError(
            status: .notFound, message: "\"\(text)\" is not the ID of a payment; aquifer payments list shows them")
    }

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

    /// The error of a payment that was not sent, could not be checked, or could not be recorded.
    init(_ error: PaymentError) {
        switch error {
        case .ledger, .notKept: self.init(status: .store, message: "\(error)")
        case .notAnswered(let reason):
            self.init(
                status: reason == .cancelled ? .interrupted : .unknown, message: "\(error); check again later")
        case .unresolved(let earlier): self = .doubled(earlier)
        case .otherServer(let server):
            let way =
                server == Services.referencePayments
                ? "that is the reference remote: leave --remote away"
                : "name that server with --remote payments=\(server)"
            self.init(status: .usage, message: "\(error); \(way)")
        case .noCard: self.init(status: .notFound, message: "\(error)")
        case .underWay: self.init(status: .unknown, message: "\(error)")
        case .cardExpired, .testCard: self.init(status: .usage, message: "\(error)")
        }
    }
}
