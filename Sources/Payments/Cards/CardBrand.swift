/// Who issued a card: what the first digits of its number say.
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

    /// As the brand writes itself.
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

    /// How many digits its numbers have, ascending.
    public var lengths: [Int] {
        switch self {
        case .visa: [16, 18, 19]
        case .mastercard, .hipercard, .elo: [16]
        case .amex: [15]
        case .diners: [14, 16, 19]
        case .discover: [16, 19]
        }
    }

    /// After how many digits a number is written with a space.
    public var gaps: [Int] {
        switch self {
        case .amex, .diners: [4, 10]
        case .visa, .mastercard, .discover, .hipercard, .elo: [4, 8, 12]
        }
    }

    /// How many digits its security code has.
    public var codeLength: Int { self == .amex ? 4 : 3 }
}
