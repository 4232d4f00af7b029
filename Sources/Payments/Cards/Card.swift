import Foundation

/// A card that can be paid with. Not encodable: only ``CardVault`` keeps it.
public struct Card: Sendable, Hashable, Identifiable {
    /// Ours, made when the card was added; says nothing of the number.
    public let id: UUID
    /// Its number, masked wherever it is shown.
    public let number: CardNumber
    /// The name on it, without spaces around it. See ``HolderName``.
    public let holder: String
    /// When it ends.
    public let expiry: Expiry

    /// A card.
    public init(id: UUID = UUID(), number: CardNumber, holder: String, expiry: Expiry) {
        self.id = id
        self.number = number
        self.holder = holder.trimmingCharacters(in: .whitespacesAndNewlines)
        self.expiry = expiry
    }

    /// What may be shown and sent to a page.
    public var summary: CardSummary {
        CardSummary(
            id: id, brand: number.brand, masked: number.masked, holder: holder, expiry: expiry,
            isTestCard: number.isTestCard)
    }
}

extension Card: CustomStringConvertible {
    /// Brand, last four digits and expiry: `Visa •••• 1111, 01/30`.
    public var description: String { summary.description }
}

/// What of a card may be shown: all but its number.
public struct CardSummary: Sendable, Hashable, Codable, Identifiable, CustomStringConvertible {
    /// The card's.
    public let id: UUID
    /// Who issued it; `nil` for the test card.
    public let brand: CardBrand?
    /// `•••• 1234`.
    public let masked: String
    /// The name on it.
    public let holder: String
    /// When it ends.
    public let expiry: Expiry
    /// Whether it is the remote's test card, which is to be labelled as such.
    public let isTestCard: Bool

    /// What is shown of a card.
    public init(
        id: UUID, brand: CardBrand?, masked: String, holder: String, expiry: Expiry, isTestCard: Bool = false
    ) {
        self.id = id
        self.brand = brand
        self.masked = masked
        self.holder = holder
        self.expiry = expiry
        self.isTestCard = isTestCard
    }

    /// Brand, last four digits and expiry: `Visa •••• 1111, 01/30`.
    public var description: String { "\(brand?.name ?? "Test card") \(masked), \(expiry.text)" }
}
