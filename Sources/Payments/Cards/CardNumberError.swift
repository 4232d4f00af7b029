import Aquifer

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
        case .empty:
            language.pick("Enter the card number.", "Digite o número do cartão.")
        case .notDigits:
            language.pick("A card number has only digits.", "O número do cartão só tem algarismos.")
        case .noBrand:
            language.pick("Cards of this kind aren’t accepted.", "Cartões desse tipo não são aceitos.")
        case .wrongLength(let expected):
            language.pick(
                "This card’s number has \(Self.list(expected, "or")) digits.",
                "O número deste cartão tem \(Self.list(expected, "ou")) algarismos.")
        case .wrongCheckDigit:
            language.pick(
                "A digit is wrong. Check the card number.", "Há um algarismo errado. Confira o número do cartão.")
        case .testCardNotAllowed:
            language.pick("The test card isn’t accepted here.", "O cartão de teste não é aceito aqui.")
        }
    }

    /// "16", "16 or 19", "14, 16 or 19".
    private static func list(_ numbers: [Int], _ or: String) -> String {
        let texts = numbers.map { "\($0)" }
        guard let last = texts.last, texts.count > 1 else { return texts.first ?? "" }
        return texts.dropLast().joined(separator: ", ") + " \(or) " + last
    }
}
