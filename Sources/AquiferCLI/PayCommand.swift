import App
import Aquifer
import Foundation
import Payments

/// `aquifer pay @username AMOUNT`: sends money, once.
struct PayCommand {
    private let options: GlobalOptions
    private let username: String
    private let amount: Money
    private let cardID: String?
    private let codeFromInput: Bool

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
        self.options = options
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let payments = services.payments
        let contact = try await contact(payments)
        let card = try await card(payments)
        let code = try console.securityCode(card, fromInput: codeFromInput)
        if !options.quiet && !options.json {
            console.note("sending \(amount.text) to \(contact.name) with \(card.number.masked)")
        }
        do throws(PaymentError) {
            let record = try await payments.pay(amount, to: contact, with: card, code: code)
            return PaymentReport(record, options).print(console)
        } catch {
            throw CommandError(error)
        }
    }

    private func contact(_ payments: PaymentsService) async throws(CommandError) -> Contact {
        let found: Contact?
        do throws(LoadError) { found = try await payments.contact(named: username) } catch { throw CommandError(error) }
        guard let found else {
            throw CommandError(
                status: .usage, message: "\(username) is not among the contacts; aquifer contacts shows them")
        }
        return found
    }

    private func card(_ payments: PaymentsService) async throws(CommandError) -> Card {
        let card: Card?
        do throws(VaultError) {
            let chosen = await payments.chosenCard(of: try await payments.vault.cards())?.id
            card = if let id = chosen { try await payments.vault.card(id) } else { nil }
        } catch { throw CommandError(error) }
        if let cardID { return try await payments.whole(try await payments.card(cardID)) }
        guard let card else {
            throw CommandError(status: .usage, message: "no card is kept; add one with aquifer cards add")
        }
        return card
    }
}

extension Console {
    /// The code of a card: a line of standard input, or what is typed without being shown.
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
