import Aquifer
import AquiferWording

/// An error in a card's number. It never contains the number.
public enum CardNumberError: Error, Sendable, Hashable {
    /// Nothing was typed.
    case empty
    /// The text has characters other than digits, spaces and dashes.
    case notDigits
    /// The number begins as no number of a known brand does.
    case noBrand
    /// The number has another length than its brand's numbers. `expected` has their lengths in digits, ascending.
    case wrongLength(expected: [Int])
    /// Luhn's check fails: a digit is wrong, or two are swapped.
    case wrongCheckDigit
    /// The number is the test card's, and the remote does not accept the test card.
    case testCardNotAllowed

    /// The message for the user.
    public func message(in language: Language) -> String {
        switch self {
        case .empty: language.text("card.number.empty")
        case .notDigits: language.text("card.number.notDigits")
        case .noBrand: language.text("card.number.noBrand")
        case .wrongLength(let expected):
            language.text("card.number.wrongLength", ["lengths": Self.list(expected, language)])
        case .wrongCheckDigit: language.text("card.number.wrongCheckDigit")
        case .testCardNotAllowed: language.text("card.number.testCardNotAllowed")
        }
    }

    /// "16", "16 or 19", "14, 16 or 19".
    private static func list(_ numbers: [Int], _ language: Language) -> String {
        let texts = numbers.map { "\($0)" }
        guard let last = texts.last, texts.count > 1 else { return texts.first ?? "" }
        return language.text("list.or", ["items": texts.dropLast().joined(separator: ", "), "last": last])
    }
}
