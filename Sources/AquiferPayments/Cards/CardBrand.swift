/// The brand of a card. The first digits of the card's number determine it.
public enum CardBrand: String, Sendable, Hashable, Codable, CaseIterable {
    /// Visa.
    case visa
    /// Mastercard.
    case mastercard
    /// American Express: 15 digits, a code of four.
    case amex
    /// Diners Club.
    case diners
    /// Discover.
    case discover
    /// Hipercard, of Brazil.
    case hipercard
    /// Elo, of Brazil: its ranges lie within Visa's and Discover's.
    case elo

    /// The name as the brand writes it.
    public var name: String {
        switch self {
        case .visa: "Visa"
        case .mastercard: "Mastercard"
        case .amex: "American Express"
        case .diners: "Diners Club"
        case .discover: "Discover"
        case .hipercard: "Hipercard"
        case .elo: "Elo"
        }
    }

    /// The possible lengths of the brand's numbers in digits, ascending.
    public var lengths: [Int] {
        switch self {
        case .visa: [16, 18, 19]
        case .mastercard, .hipercard, .elo: [16]
        case .amex: [15]
        case .diners: [14, 16, 19]
        case .discover: [16, 19]
        }
    }

    /// The positions, in digits, after which a number is written with a space.
    public var gaps: [Int] {
        switch self {
        case .amex, .diners: [4, 10]
        case .visa, .mastercard, .discover, .hipercard, .elo: [4, 8, 12]
        }
    }

    /// The length of the brand's security code in digits.
    public var codeLength: Int { self == .amex ? 4 : 3 }
}
