import App
import Aquifer
import AquiferWording
import Foundation
import Payments

/// `aquifer pay @username AMOUNT`: sends money, once.
struct PayCommand {
    private let options: GlobalOptions
    private let username: String
    private let amount: Money
    private let cardID: String?
    private let codeFromInput: Bool
    private let isSecond: Bool

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        var arguments = arguments
        username = try arguments.next("the contact's @username")
        let text = try arguments.next("the amount")
        try arguments.end()
        do throws(MoneyError) { amount = try Money(parsing: text) } catch {
            throw CommandError(
                status: .usage, message: "\"\(text)\" is not an amount to pay: \(error.message(in: .english))")
        }
        cardID = arguments.value("--card")
        codeFromInput = arguments.has("--cvv-stdin")
        isSecond = arguments.has("--again")
        self.options = options
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let payments = services.payments
        let contact = try await contact(payments)
        let question = EarlierPayments(payments: payments, console: console, isMeant: isSecond)
        let besides = try await question.agreed(amount, to: contact)
        let card = try await card(payments, console)
        let code = try console.securityCode(card, fromInput: codeFromInput)
        if !options.quiet && !options.json {
            console.note("sending \(amount.text) to \(contact.name) with \(card.number.masked)")
        }
        let amount = amount
        let record = try await PaymentSending.run(amount, to: contact, besides: besides, payments) {
            () async throws(PaymentError) in
            try await payments.pay(amount, to: contact, with: card, code: code, besides: besides)
        }
        return await PaymentReport(record, payments, options).print(console)
    }

    private func contact(_ payments: PaymentsService) async throws(CommandError) -> Contact {
        let found: Contact?
        do throws(LoadError) { found = try await payments.contact(named: username) } catch { throw CommandError(error) }
        guard let found else {
            throw CommandError(
                status: .notFound, message: "\(username) is not among the contacts; aquifer contacts shows them")
        }
        return found
    }

    /// The named card, else the default card. If there is no card, this asks for one on a terminal, and stores it.
    private func card(_ payments: PaymentsService, _ console: Console) async throws(CommandError) -> Card {
        if let cardID { return try await payments.whole(try await payments.card(cardID)) }
        if let chosen = await payments.chosenCard(of: try await payments.cards()) {
            return try await payments.whole(chosen)
        }
        guard Descriptor.input.isTerminal, !codeFromInput else {
            throw CommandError(status: .notFound, message: "no card is kept; add one with aquifer cards add")
        }
        if !options.quiet { console.note("no card is kept yet; this one will be, sealed, for the next payments too") }
        let prompt = CardPrompt(payments: payments, console: console, now: options.configuration.now)
        return try await payments.whole(try await prompt.keep())
    }
}

extension Console {
    /// The security code of a card, from a line of standard input, or typed on the terminal without being displayed.
    func securityCode(_ card: Card, fromInput: Bool) throws(CommandError) -> SecurityCode {
        let text: String
        if fromInput {
            text = try line("the security code")
        } else {
            guard let secret = secret("Security code of \(card.number.masked): ") else {
                throw .usage("the security code is asked for on a terminal; without one, give it with --cvv-stdin")
            }
            text = secret
        }
        do throws(SecurityCodeError) { return try SecurityCode(text, for: card.number.brand) } catch {
            throw CommandError(status: .usage, message: error.message(in: .english))
        }
    }
}
