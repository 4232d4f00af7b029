import Aquifer
import AquiferWording

/// The name on a card.
public enum HolderName {
    /// The maximum length of a name in characters.
    public static let longest = 60

    /// The name, with single spaces between its words and none around it.
    ///
    /// - Throws: ``HolderNameError``. Digits are refused: a number typed into the wrong field would be shown.
    public static func parse(_ text: String) throws(HolderNameError) -> String {
        // Scalars, not characters: a combining mark makes a character of the space before it, which is then no space.
        let words = text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace)
        let name = words.map(String.init).joined(separator: " ")
        if name.isEmpty { throw .empty }
        guard name.count <= longest, name.utf8.count <= longest * 4 else { throw .tooLong }
        let isName = name.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .decimalNumber, .letterNumber, .otherNumber, .control, .format, .surrogate, .privateUse, .unassigned:
                false
            default: true
            }
        }
        guard isName, name.contains(where: \.isLetter) else { throw .notAName }
        return name
    }
}

/// An error in the name on a card.
public enum HolderNameError: Error, Sendable, Hashable {
    /// Nothing was typed.
    case empty
    /// It has digits, control characters, or no letter.
    case notAName
    /// It has more than ``HolderName/longest`` characters.
    case tooLong

    /// The message for the user.
    public func message(in language: Language) -> String {
        switch self {
        case .empty: language.text("card.holder.empty")
        case .notAName: language.text("card.holder.notAName")
        case .tooLong: language.text("card.holder.tooLong")
        }
    }
}
