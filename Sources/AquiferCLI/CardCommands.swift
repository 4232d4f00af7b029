import App
import Aquifer
import Foundation
import Payments

/// `aquifer cards list | add | remove ID | rotate-key`.
struct CardsCommand {
    private let name: String
    private let arguments: Arguments
    private let options: GlobalOptions

    init(_ name: String, _ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        self.name = name
        self.arguments = arguments
        self.options = options
        if name != "cards remove" { try arguments.end() }
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let payments = services.payments
        switch name {
        case "cards add": try await add(payments, console)
        case "cards remove": try await remove(payments, console)
        case "cards rotate-key": try await rotateKey(payments, console)
        default: list(try await payments.cards(), console)
        }
        return .delivered
    }

    private func rotateKey(_ payments: PaymentsService, _ console: Console) async throws(CommandError) {
        do throws(VaultError) { try await payments.vault.rotateKey() } catch { throw CommandError(error) }
        if !options.quiet { console.note("the cards are sealed with a new key") }
    }

    private func list(_ cards: [CardSummary], _ console: Console) {
        if options.json { return console.out(JSONText.object([("cards", .array(cards.map(\.json)))]).text) }
        let rows = cards.map { [$0.masked, $0.brandName(.english), $0.expiry.text, $0.holder, $0.id.uuidString] }
        console.table(
            ["NUMBER", "BRAND", "EXPIRY", "HOLDER", "ID"], rows, options,
            ifEmpty: "no card is kept; add one with aquifer cards add")
    }

    private func add(_ payments: PaymentsService, _ console: Console) async throws(CommandError) {
        let number = try cardNumber(try console.ask("Card number: "), payments)
        let holder = try cardHolder(try console.ask("Name on the card: "))
        let expiry = try cardExpiry(try console.ask("Expiry (MM/YY): "), of: number)
        let card: CardSummary
        do throws(VaultError) { card = try await payments.add(number, holder: holder, expiry: expiry) } catch {
            throw CommandError(error)
        }
        if options.json { return console.out(card.json.text) }
        console.out("\(card.id.uuidString)")
        if !options.quiet { console.note("\(card.brandName(.english)) \(card.masked) is kept, sealed") }
    }

    private func remove(_ payments: PaymentsService, _ console: Console) async throws(CommandError) {
        var arguments = arguments
        let card = try await payments.card(try arguments.next("the card's ID"))
        try arguments.end()
        do throws(VaultError) { _ = try await payments.vault.remove(card.id) } catch { throw CommandError(error) }
        if options.json {
            console.out(JSONText.object([("removed", .string(card.id.uuidString))]).text)
        } else if !options.quiet {
            console.note("\(card.masked) is gone")
        }
    }

    private func cardNumber(_ text: String, _ payments: PaymentsService) throws(CommandError) -> CardNumber {
        do throws(CardNumberError) {
            return try CardNumber(text, allowsTestCard: payments.allowsTestCard)
        } catch { throw CommandError(status: .usage, message: error.message(in: .english)) }
    }

    private func cardHolder(_ text: String) throws(CommandError) -> String {
        do throws(HolderNameError) {
            return try HolderName.parse(text)
        } catch { throw CommandError(status: .usage, message: error.message(in: .english)) }
    }

    private func cardExpiry(_ text: String, of number: CardNumber) throws(CommandError) -> Expiry {
        if number.isTestCard, let expiry = Expiry(ofTestCard: text) { return expiry }
        do throws(ExpiryError) {
            return try Expiry(parsing: text, now: options.configuration.now())
        } catch { throw CommandError(status: .usage, message: error.message(in: .english)) }
    }
}

extension PaymentsService {
    /// The cards kept.
    func cards() async throws(CommandError) -> [CardSummary] {
        do throws(VaultError) { return try await vault.cards() } catch { throw CommandError(error) }
    }

    /// The card of an ID, or of the beginning of one.
    func card(_ text: String) async throws(CommandError) -> CardSummary {
        let found = try await cards().filter { text.count >= 4 && $0.id.uuidString.hasPrefix(text.uppercased()) }
        guard found.count == 1 else {
            throw CommandError(
                status: .usage, message: "\"\(text)\" is not the ID of one card; aquifer cards list shows them")
        }
        return found[0]
    }

    /// A card with its number, for a payment.
    func whole(_ card: CardSummary) async throws(CommandError) -> Card {
        do throws(VaultError) {
            if let whole = try await vault.card(card.id) { return whole }
        } catch { throw CommandError(error) }
        throw CommandError(.noCard)
    }
}

extension CommandError {
    /// A vault that failed.
    init(_ error: VaultError) { self.init(status: .store, message: "\(error)") }
}

extension CardSummary {
    var json: JSONText {
        .object([
            ("id", .string(id.uuidString)), ("brand", .string(brand?.rawValue)), ("masked", .string(masked)),
            ("holder", .string(holder)), ("expiry", .string(expiry.text)), ("isTestCard", .bool(isTestCard)),
        ])
    }
}
