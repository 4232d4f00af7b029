import App
import Aquifer
import AquiferPayments
import AquiferWording
import Foundation

/// `aquifer pay @username AMOUNT`: sends money, once.
struct PayCommand: CommandHandler {
    private let call: CommandCall
    private let username: String
    private let amount: Money
    private let cardID: String?
    private let codeFromInput: Bool
    private let isSecond: Bool

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        username = call.words[0]
        let text = call.words[1]
        do throws(MoneyError) { amount = try Money(parsing: text) } catch {
            throw CommandError(
                status: .usage, message: "\"\(text)\" is not an amount to pay: \(error.message(in: .english))")
        }
        cardID = try call.arguments.value(Options.card)
        codeFromInput = call.arguments.has(Options.codeFromInput)
        isSecond = call.arguments.has(Options.again)
    }

    func run() async throws(CommandError) -> ExitStatus {
        let payments = call.services(patience: nil).payments
        let (options, console) = (call.options, call.console)
        let contact = try await contact(payments)
        // With --again the user means a payment besides any other.
        let madeBefore = isSecond ? nil : await payments.desk.made(to: contact)
        let question = EarlierPayments(
            payments: payments, console: console, isMeant: isSecond, isQuiet: options.quiet)
        let shown = try await question.agreed(amount, to: contact)
        let card = try await card(payments)
        let code = try console.securityCode(card, fromInput: codeFromInput)
        if !options.quiet && !options.json {
            console.note("sending \(amount.text) to \(contact.name) with \(card.number.masked)")
        }
        let amount = amount
        let record = try await PaymentSending.run(amount, to: contact, besides: shown.all, payments) {
            () async throws(PaymentError) in
            try await payments.pay(
                amount, to: contact, with: card, code: code, besides: shown.all, approved: shown.approved,
                madeBefore: madeBefore)
        }
        return await PaymentReport(record, payments, options).print(console)
    }

    private func contact(_ payments: PaymentsService) async throws(CommandError) -> Contact {
        let username = username
        let found = try await call.console.loading(call.options) { () async throws(LoadError) in
            try await payments.contacts(named: username)
        }.value
        guard let contact = found.first else {
            throw CommandError(
                status: .notFound, message: "\"\(username)\" is not among the contacts; aquifer contacts shows them")
        }
        guard found.count == 1 else {
            throw CommandError(
                status: .usage,
                message: "nothing was sent: \(found.count) contacts are called \"\(username)\"; aquifer contacts"
                    + " shows how each is spelled")
        }
        return contact
    }

    /// The named card, else the default card. If there is no card, this asks for one on a terminal, and stores it.
    private func card(_ payments: PaymentsService) async throws(CommandError) -> Card {
        if let cardID { return try await payments.whole(try await payments.card(cardID)) }
        if let chosen = await payments.chosenCard(of: try await payments.cards()) {
            return try await payments.whole(chosen)
        }
        guard Descriptor.input.isTerminal, !codeFromInput else {
            throw CommandError(status: .notFound, message: "no card is kept; add one with aquifer cards add")
        }
        if !call.options.quiet {
            call.console.note("no card is kept yet; this one will be, sealed, for the next payments too")
        }
        let prompt = CardPrompt(payments: payments, console: call.console, now: call.options.configuration.now)
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
