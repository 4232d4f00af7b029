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
        try await declines.update { marks in
            var marks = marks ?? [:]
            return marks.removeValue(forKey: card.uuidString) == nil ? nil : marks
        }
    }

    /// Records the outcome of a payment with the card, unless it is older than the last choice of the card or than the outcome of
    /// another payment with it. An outcome can be found out long after it.
    func note(_ record: PaymentRecord) async throws(StoreError) {
        guard record.isDecided else { return }
        let date = record.date
        // A choice that cannot be read counts as none.
        if let chosen = try? await choice.load(), chosen.value == record.card.id, chosen.savedAt > date { return }
        let (card, isDeclined) = (record.card.id.uuidString, record.state == .declined)
        try await declines.update { marks in
            var marks = marks ?? [:]
            if let last = marks[card], last > date { return nil }
            guard isDeclined || marks[card] != nil else { return nil }
            marks[card] = isDeclined ? date : nil
            return marks
        }
    }
}
