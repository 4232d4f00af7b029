import App
import Aquifer
import Foundation
import Payments

/// `aquifer payments list | check ID | retry ID`: the payments made.
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
        let desk = services.payments.desk
        if name == "payments check" { return try await check(desk, console) }
        if name == "payments retry" { return try await retry(services.payments, console) }
        let records: [PaymentRecord]
        do throws(StoreError) { records = try await desk.ledger.records() } catch { throw CommandError(error) }
        var present: [PaymentRecord] = []
        for record in records { present.append(await desk.present(record)) }
        if options.json {
            console.out(JSONText.object([("payments", .array(present.map(\.json)))]).text)
            return .delivered
        }
        let rows = present.map { record in
            [
                record.state.rawValue, record.amount.text, record.contact.username, record.card.masked,
                (record.bookedAt ?? record.startedAt).formatted(.iso8601), record.id.uuidString,
            ]
        }
        console.table(["STATE", "AMOUNT", "TO", "CARD", "DATE", "ID"], rows, options, ifEmpty: "nothing was paid yet")
        return .delivered
    }

    private func check(_ desk: PaymentDesk, _ console: Console) async throws(CommandError) -> ExitStatus {
        let (text, id) = try payment()
        let record: PaymentRecord?
        do throws(LoadError) { record = try await desk.check(id) } catch {
            throw CommandError(
                status: CommandError(error).status,
                message: "it is still not known what became of the payment: \(error); check again later")
        }
        guard let record else { throw .noPayment(text) }
        return PaymentReport(record, options).print(console)
    }

    private func retry(_ payments: PaymentsService, _ console: Console) async throws(CommandError) -> ExitStatus {
        let (text, id) = try payment()
        let known: PaymentRecord?
        do throws(StoreError) { known = try await payments.desk.ledger.record(id) } catch { throw CommandError(error) }
        guard let known else { throw .noPayment(text) }
        let record = await payments.desk.present(known)
        guard record.state == .unknown else {
            // Decided, or never sent: there is nothing to send again, and its state says what to do.
            return PaymentReport(record, options).print(console)
        }
        let card: Card?
        do throws(VaultError) { card = try await payments.vault.card(record.card.id) } catch {
            throw CommandError(error)
        }
        guard let card else {
            throw CommandError(
                status: .usage,
                message: "the card \(record.card.masked) is not kept any more, and another one would be another"
                    + " payment; ask with aquifer payments check \(id.uuidString)")
        }
        let code = try console.securityCode(card, fromInput: arguments.has("--cvv-stdin"))
        if !options.quiet && !options.json {
            console.note("sending \(record.amount.text) to \(record.contact.name) again, with the same key")
        }
        do throws(PaymentError) {
            return PaymentReport(try await payments.payAgain(record, with: card, code: code), options).print(console)
        } catch {
            throw CommandError(error)
        }
    }

    /// The ID that was given, as text and as what it says.
    private func payment() throws(CommandError) -> (String, UUID) {
        var arguments = arguments
        let text = try arguments.next("the payment's ID")
        try arguments.end()
        guard let id = UUID(uuidString: text) else { throw .noPayment(text) }
        return (text, id)
    }
}

/// What became of a payment, in words, JSON and an exit status.
struct PaymentReport {
    private let record: PaymentRecord
    private let options: GlobalOptions

    init(_ record: PaymentRecord, _ options: GlobalOptions) {
        self.record = record
        self.options = options
    }

    func print(_ console: Console) -> ExitStatus {
        if options.json { console.out(record.json.text) }
        switch record.state {
        case .approved:
            if !options.json {
                console.out(
                    "approved: \(record.amount.text) to \(record.contact.username), number \(record.number ?? 0)")
            }
            return .delivered
        case .declined:
            console.note("the card was declined, no money went; try another one with --card")
            return .declined
        case .failed:
            console.note("the payment was not made: the server could not be reached, or did not take it; try again")
            return .unavailable
        case .sending, .unknown:
            console.note(
                "it is not known whether the payment was made: no answer that makes sense came;"
                    + " ask with aquifer payments check \(record.id.uuidString), or send it again, as the same payment,"
                    + " with aquifer payments retry \(record.id.uuidString)")
            return .unavailable
        }
    }
}

extension PaymentRecord {
    /// The payment, for programs.
    var json: JSONText {
        .object([
            ("id", .string(id.uuidString)), ("state", .string(state.rawValue)),
            ("number", number.map { .int($0) } ?? .null), ("value", .raw(amount.decimal)),
            ("startedAt", .string(startedAt.formatted(.iso8601))), ("bookedAt", .string(bookedAt?.formatted(.iso8601))),
            ("destination_user", contact.json), ("card", card.json),
        ])
    }
}

extension CommandError {
    fileprivate static func noPayment(_ text: String) -> CommandError {
        CommandError(
            status: .usage, message: "\"\(text)\" is not the ID of a payment; aquifer payments list shows them")
    }

    /// A payment that was not sent.
    init(_ error: PaymentError) {
        switch error {
        case .ledger: self.init(status: .store, message: "\(error)")
        case .noCard, .cardExpired, .testCard, .underWay: self.init(status: .usage, message: "\(error)")
        }
    }
}
