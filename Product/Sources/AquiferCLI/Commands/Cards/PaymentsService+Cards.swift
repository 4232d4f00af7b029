import App
import AquiferPayments

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
    init(_ error: VaultError) { self.init(status: .store, error, Advice.on(error)) }
}
