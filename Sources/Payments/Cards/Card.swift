import AquiferFoundation

/// A card that can be paid with. Not encodable: only ``CardVault`` keeps it.
public struct Card: Sendable, Hashable, Identifiable {
    /// The identifier, made when the card was added. It is unrelated to the card's number.
    public let id: UUID
    /// The card's number. It is masked wherever it is shown.
    public let number: CardNumber
    /// The name on the card, without spaces around it. See ``HolderName``.
    public let holder: String
    /// The expiry date.
    public let expiry: Expiry

    /// A card.
    public init(id: UUID = UUID(), number: CardNumber, holder: String, expiry: Expiry) {
        self.id = id
        self.number = number
        self.holder = holder.trimmed
        self.expiry = expiry
    }

    /// The part of the card that may be shown and sent to a page.
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

/// The part of a card that may be shown: everything but its number.
public struct CardSummary: Sendable, Hashable, Codable, Identifiable, CustomStringConvertible {
    /// The card's identifier.
    public let id: UUID
    /// The card's brand; `nil` for the test card.
    public let brand: CardBrand?
    /// The masked number: `•••• 1234`.
    public let masked: String
    /// The name on the card.
    public let holder: String
    /// The expiry date.
    public let expiry: Expiry
    /// True if this is the remote's test card, which screens must label as such.
    public let isTestCard: Bool

    /// A summary of a card.
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
