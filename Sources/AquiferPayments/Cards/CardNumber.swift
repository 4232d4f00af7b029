/// The number of a payment card, known to be well formed.
///
/// A number never shows more than its last four digits: not when it is printed, dumped, reflected or interpolated. It
/// cannot be encoded. Only ``CardVault`` stores it, sealed.
public struct CardNumber: Sendable, Hashable {
    /// The card's brand; `nil` for the remote's test card.
    public let brand: CardBrand?
    /// All digits, for the request to the remote and for the vault only.
    package let digits: String

    /// The one card that the reference remote always approves. It fails Luhn's check and is of no brand.
    private static let testCard = "1111111111111111"

    /// Reads a number as people type it, with spaces and dashes or without.
    ///
    /// - Parameters:
    ///   - text: The number as typed.
    ///   - allowsTestCard: True to accept the test card as well. The checks of all other numbers are the same.
    /// - Throws: ``CardNumberError``, for the first check that the number fails.
    public init(_ text: String, allowsTestCard: Bool = false) throws(CardNumberError) {
        let digits = try Self.digits(of: text)
        if digits.isEmpty { throw .empty }
        if digits == Self.testCard {
            guard allowsTestCard else { throw .testCardNotAllowed }
            brand = nil
            self.digits = digits
            return
        }
        guard let brand = CardBrand.of(digits: digits) else { throw .noBrand }
        guard brand.lengths.contains(digits.count) else { throw .wrongLength(expected: brand.lengths) }
        guard Self.passesLuhn(digits) else { throw .wrongCheckDigit }
        self.brand = brand
        self.digits = digits
    }

    /// A stored number, which was checked when it was added. It is not checked again, even if the rules have changed.
    init(stored digits: String) {
        self.digits = digits
        brand = CardBrand.of(digits: digits)
    }

    /// True if this is the number of the remote's test card, which no bank issued.
    public var isTestCard: Bool { digits == Self.testCard }

    /// The last four digits.
    public var lastFour: String { String(digits.suffix(4)) }

    /// The masked number, which may be shown: `•••• 1234`.
    public var masked: String { "•••• \(lastFour)" }

    /// The digits of a text of digits, spaces and dashes.
    ///
    /// - Throws: ``CardNumberError/notDigits`` if the text has other characters.
    static func digits(of text: String) throws(CardNumberError) -> String {
        var digits = ""
        for character in text where !character.isWhitespace && character != "-" {
            guard character.isASCII, character.isNumber else { throw .notDigits }
            digits.append(character)
        }
        return digits
    }

    /// True if the test card's number begins with these digits.
    static func isTestCardsBeginning(_ digits: String) -> Bool { testCard.hasPrefix(digits) }

    /// Luhn's check (ISO/IEC 7812-1). It detects any single wrong digit, and most swaps of neighbours.
    static func passesLuhn(_ digits: String) -> Bool {
        var sum = 0
        for (place, byte) in digits.utf8.reversed().enumerated() {
            let digit = Int(byte) - 48
            sum += place.isMultiple(of: 2) ? digit : digit * 2 - (digit > 4 ? 9 : 0)
        }
        return sum.isMultiple(of: 10)
    }
}

extension CardNumber: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// ``masked``.
    public var description: String { masked }
    /// ``masked``.
    public var debugDescription: String { masked }
    /// Nothing: `dump` and mirrors see no digits either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
