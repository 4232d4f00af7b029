extension StringProtocol {
    /// The text without the white space and the line breaks at its ends.
    package var trimmed: String { trimmed(of: { $0.isSpace || $0.isLineBreak }) }

    /// The text without the spaces and tabs at its ends. Line breaks stay.
    package var trimmedOfSpaces: String { trimmed(of: \.isSpace) }

    private func trimmed(of isOutside: (Unicode.Scalar) -> Bool) -> String {
        // By scalars, as Foundation trims: a space with an accent is one character, and its space is removed.
        let scalars = unicodeScalars.drop(while: isOutside)
        guard let last = scalars.lastIndex(where: { !isOutside($0) }) else { return "" }
        return String(String.UnicodeScalarView(scalars[...last]))
    }
}

extension Unicode.Scalar {
    /// True for the characters that Foundation's `whitespaces` has: those of Unicode's class, the tab, and U+200B.
    fileprivate var isSpace: Bool {
        self == "\t" || value == 0x200B || properties.generalCategory == .spaceSeparator
    }

    fileprivate var isLineBreak: Bool {
        switch value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}
