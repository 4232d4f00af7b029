import Aquifer
import AquiferFoundation

/// The default card, which is used for a payment when no other card is named.
///
/// The default is the card that was chosen last: by the user, by adding it, or by paying with it on the payment's
/// screen. After a card was declined, the next usable card is the default, until the declined one is chosen again or a
/// payment with it is approved. If there is no other card, the declined one remains the default.
struct DefaultCard: Sendable {
    private let choice: Cache<UUID>
    /// The date of each card's last decline, by the card's id, until the card is chosen again or a payment with it is
    /// approved.
    private let declines: Cache<[String: Date]>
    private let now: @Sendable () -> Date
    /// The changes of the store that keeps the choice.
    let changes: StoreChanges

    static let choiceKey = "chosen-card"
    private static let declinesKey = "declined-cards"
    /// The keys of the payments' store that are no payments.
    static let keys: Set<String> = [choiceKey, declinesKey]

    init(in store: any CacheStore, now: @escaping @Sendable () -> Date) {
        choice = Cache(key: Self.choiceKey, in: store, policy: .forever, now: now)
        declines = Cache(key: Self.declinesKey, in: store, policy: .forever, now: now)
        self.now = now
        changes = store.changes
    }

    func card(of cards: [CardSummary]) async -> CardSummary? {
        // A choice that cannot be read counts as none.
        let chosen = (try? await choice.load())?.value
        // Marks that cannot be read are ignored: payments remain possible, and the user sees the card before paying.
        let declined = (try? await declines.load())?.value ?? [:]
        let isGood = { (card: CardSummary) in declined[card.id.uuidString] == nil }
        let isUsable = { (card: CardSummary) in !card.expiry.isExpired(at: now()) }
        return cards.first { $0.id == chosen && isGood($0) }
            ?? cards.first { isUsable($0) && isGood($0) }
            ?? cards.first { $0.id == chosen }
            ?? cards.first(where: isUsable) ?? cards.first
    }

    func choose(_ card: UUID) async throws(StoreError) {
        try await choice.save(card)
        try await mark(card, declinedAt: nil)
    }

    /// Records the outcome of a payment with the card.
    func note(_ record: PaymentRecord) async throws(StoreError) {
        switch record.state {
        case .declined: try await mark(record.card.id, declinedAt: now())
        case .approved: try await mark(record.card.id, declinedAt: nil)
        case .sending, .unknown, .failed, .abandoned: break
        }
    }

    private func mark(_ card: UUID, declinedAt date: Date?) async throws(StoreError) {
        try await declines.update { marks in
            var marks = marks ?? [:]
            guard marks[card.uuidString] != date else { return nil }
            marks[card.uuidString] = date
            return marks
        }
    }
}
