import App
import Aquifer
import Foundation
import Payments

/// `aquifer cards list | add | default ID | remove ID | rotate-key | accept-older | discard-older`.
struct CardsCommand {
    private let name: String
    private let arguments: Arguments
    private let options: GlobalOptions

    init(_ name: String, _ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        self.name = name
        self.arguments = arguments
        self.options = options
        if name != "cards remove" && name != "cards default" { try arguments.end() }
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let payments = services.payments
        switch name {
        case "cards add": try await add(payments, console)
        case "cards default": try await choose(payments, console)
        case "cards remove": try await remove(payments, console)
        case "cards rotate-key": try await rotateKey(payments, console)
        case "cards accept-older": try await acceptOlder(payments, console)
        case "cards discard-older": try await discardOlder(payments, console)
        default: try await list(payments, console)
        }
        return .delivered
    }

    private func rotateKey(_ payments: PaymentsService, _ console: Console) async throws(CommandError) {
        do throws(VaultError) { try await payments.vault.rotateKey() } catch { throw CommandError(error) }
        if !options.quiet { console.note("the cards are sealed with a new key") }
    }

    private func list(_ payments: PaymentsService, _ console: Console) async throws(CommandError) {
        let cards = try await payments.cards()
        let chosen = await payments.chosenCard(of: cards)?.id
        if options.json {
            let items = cards.map { $0.json(isDefault: $0.id == chosen) }
            return console.out(JSONText.object([("cards", .array(items))]).text)
        }
        let rows = cards.map { card in
            [
                card.masked, card.brandName(.english), card.expiry.text, card.holder,
                card.id == chosen ? "default" : "",
                card.id.uuidString,
            ]
        }
        console.table(
            ["NUMBER", "BRAND", "EXPIRY", "HOLDER", "DEFAULT", "ID"], rows, options,
            ifEmpty: "no card is kept; add one with aquifer cards add")
    }

    private func add(_ payments: PaymentsService, _ console: Console) async throws(CommandError) {
        let card = try await CardPrompt(payments: payments, console: console, now: options.configuration.now).keep()
        if options.json { return console.out(card.json(isDefault: true).text) }
        console.out("\(card.id.uuidString)")
        if !options.quiet {
            console.note("\(card.brandName(.english)) \(card.masked) is kept, sealed, and is the default")
        }
    }

    private func choose(_ payments: PaymentsService, _ console: Console) async throws(CommandError) {
        let card = try await named(payments)
        do throws(StoreError) { try await payments.choose(card.id) } catch { throw CommandError(error) }
        if options.json { return console.out(card.json(isDefault: true).text) }
        if !options.quiet { console.note("payments are made with \(card.masked) unless told otherwise") }
    }

    private func remove(_ payments: PaymentsService, _ console: Console) async throws(CommandError) {
        let card = try await named(payments)
        do throws(VaultError) { _ = try await payments.vault.remove(card.id) } catch { throw CommandError(error) }
        if options.json {
            console.out(JSONText.object([("removed", .string(card.id.uuidString))]).text)
        } else if !options.quiet {
            console.note("\(card.masked) is gone")
        }
    }

    private func acceptOlder(_ payments: PaymentsService, _ console: Console) async throws(CommandError) {
        let wasOlder: Bool
        do throws(VaultError) { wasOlder = try await payments.vault.acceptOlder() } catch { throw CommandError(error) }
        try tell(
            wasOlder,
            "the older copy is used from now on; look at its cards with aquifer cards list, and remove what"
                + " should not be there", console)
    }

    private func discardOlder(_ payments: PaymentsService, _ console: Console) async throws(CommandError) {
        let wasOlder: Bool
        do throws(VaultError) { wasOlder = try await payments.vault.discardOlder() } catch { throw CommandError(error) }
        try tell(wasOlder, "the cards of the older copy are gone; add yours with aquifer cards add", console)
    }

    private func tell(_ wasOlder: Bool, _ message: String, _ console: Console) throws(CommandError) {
        guard wasOlder else {
            throw CommandError(status: .usage, message: "the cards are no older copy; nothing was changed")
        }
        if options.json { return console.out(JSONText.object([("changed", .bool(true))]).text) }
        if !options.quiet { console.note(message) }
    }

    /// The card with the given ID.
    private func named(_ payments: PaymentsService) async throws(CommandError) -> CardSummary {
        var arguments = arguments
        let card = try await payments.card(try arguments.next("the card's ID"))
        try arguments.end()
        return card
    }
}

extension PaymentsService {
    /// The stored cards.
    func cards() async throws(CommandError) -> [CardSummary] {
        do throws(VaultError) { return try await vault.cards() } catch { throw CommandError(error) }
    }

    /// The card of an ID, or of the beginning of one.
    func card(_ text: String) async throws(CommandError) -> CardSummary {
        let found = try await cards().filter { text.count >= 4 && $0.id.uuidString.hasPrefix(text.uppercased()) }
        guard found.count == 1 else {
            throw CommandError(
                status: .notFound, message: "\"\(text)\" is not the ID of one card; aquifer cards list shows them")
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
    /// The error of a failed operation of the vault.
    init(_ error: VaultError) { self.init(status: .store, message: "\(error)") }
}

extension CardSummary {
    func json(isDefault: Bool) -> JSONText {
        .object(fields + [("isDefault", .bool(isDefault))])
    }

    var json: JSONText { .object(fields) }

    private var fields: [(String, JSONText)] {
        [
            ("id", .string(id.uuidString)), ("brand", .string(brand?.rawValue)), ("masked", .string(masked)),
            ("holder", .string(holder)), ("expiry", .string(expiry.text)), ("isTestCard", .bool(isTestCard)),
        ]
    }
}
