/// A text that is searched for in a list. Its case and accents do not count: "marcia" finds Márcia.
public struct SearchText: Sendable, Hashable {
    private let wanted: String

    /// The text that the user typed; space around it does not count.
    public init(_ text: String) {
        wanted = Self.folded(text.trimmed)
    }

    /// True if any of the texts contains it. An empty search is contained in everything.
    public func isIn(_ texts: String...) -> Bool { isIn(texts) }

    /// True if any of the texts contains it. An empty search is contained in everything.
    public func isIn(_ texts: [String]) -> Bool {
        wanted.isEmpty || texts.contains { Self.folded($0).contains(wanted) }
    }

    /// The text without case, accents and differences of width.
    private static func folded(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        var hasBase = false
        for scalar in text.decomposed.unicodeScalars {
            // In the scripts of Europe a mark is an accent. In others it makes another letter, and counts.
            if hasBase && scalar.properties.generalCategory == .nonspacingMark { continue }
            hasBase = scalar.value < 0x510
            plain.append(scalar.ofUsualWidth)
        }
        // Through capitals, so that ß and SS, ς and σ are the same; first lowercased, because ẞ is its own capital.
        return String(plain).lowercased().uppercased().lowercased()
    }
}

extension Unicode.Scalar {
    /// The same letter in the width that its script is usually written in: `Ａ` is `A`, `ｱ` is `ア`.
    fileprivate var ofUsualWidth: Unicode.Scalar {
        switch value {
        case 0xFF01...0xFF5E: Unicode.Scalar(value - 0xFEE0) ?? self
        case 0xFF61...0xFF9F: Self.katakana[Int(value - 0xFF61)]
        default: self
        }
    }

    /// The letters that U+FF61 to U+FF9F are the narrow forms of.
    private static let katakana = Array(
        """
        。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\
        \u{3099}\u{309A}
        """.unicodeScalars)
}
