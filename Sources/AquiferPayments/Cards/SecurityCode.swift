import Aquifer
import AquiferWording

/// The security code of a card (CVV), for one payment.
///
/// A security code may not be stored after the authorization of the payment, not even sealed (PCI DSS 3.3.1). So it
/// cannot be encoded, and is never shown.
public struct SecurityCode: Sendable, Hashable {
    /// The digits, for the request to the remote only. They are a text because a code may begin with zero.
    package let digits: String

    /// Reads what people type.
    ///
    /// - Parameters:
    ///   - text: The code as typed.
    ///   - brand: The card's brand; `nil` for the test card, whose code has three digits.
    /// - Throws: ``SecurityCodeError``.
    public init(_ text: String, for brand: CardBrand?) throws(SecurityCodeError) {
        let digits = text.filter { !$0.isWhitespace }
        if digits.isEmpty { throw .empty }
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { throw .notDigits }
        let length = Self.length(for: brand)
        guard digits.count == length else { throw .wrongLength(expected: length) }
        self.digits = digits
    }

    /// The length of the code of such a card in digits.
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

/// An error in a security code. It never contains the code.
public enum SecurityCodeError: Error, Sendable, Hashable {
    /// Nothing was typed.
    case empty
    /// The text has characters other than digits.
    case notDigits
    /// The codes of such cards have another length: `expected`, in digits.
    case wrongLength(expected: Int)

    /// The message for the user.
    public func message(in language: Language) -> String {
        switch self {
        case .empty: language.text("card.code.empty")
        case .notDigits: language.text("card.code.notDigits")
        case .wrongLength(let expected): language.text("card.code.wrongLength", ["expected": expected])
        }
    }
}
