import Aquifer

/// The security code of a card (CVV), for one payment.
///
/// It may not be kept once the payment is authorized, not even sealed (PCI DSS 3.3.1): so it cannot be encoded, and is
/// never shown.
public struct SecurityCode: Sendable, Hashable {
    /// For the request to the remote only. A text, as a code may begin with zero.
    package let digits: String

    /// Reads what people type.
    ///
    /// - Parameter brand: Whose card it is of; `nil` for the test card, which has a code of three digits.
    /// - Throws: ``SecurityCodeError``.
    public init(_ text: String, for brand: CardBrand?) throws(SecurityCodeError) {
        let digits = text.filter { !$0.isWhitespace }
        if digits.isEmpty { throw .empty }
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { throw .notDigits }
        let length = Self.length(for: brand)
        guard digits.count == length else { throw .wrongLength(expected: length) }
        self.digits = digits
    }

    /// How many digits the code of such a card has.
    public static func length(for brand: CardBrand?) -> Int { brand?.codeLength ?? 3 }
}

extension SecurityCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `•••`.
    public var description: String { "•••" }
    /// Always `•••`.
    public var debugDescription: String { "•••" }
    /// Nothing: `dump` and mirrors see no digits either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What is wrong with a security code. It never holds the code.
public enum SecurityCodeError: Error, Sendable, Hashable {
    /// Nothing was typed.
    case empty
    /// There is something other than digits.
    case notDigits
    /// The codes of such cards have another length.
    case wrongLength(expected: Int)

    /// What the customer is told.
    public func message(in language: Language) -> String {
        switch self {
        case .empty: language.pick("Enter the security code.", "Digite o código de segurança.")
        case .notDigits:
            language.pick("The security code has only digits.", "O código de segurança só tem algarismos.")
        case .wrongLength(let expected):
            language.pick(
                "This card’s security code has \(expected) digits.",
                "O código de segurança deste cartão tem \(expected) algarismos.")
        }
    }
}
