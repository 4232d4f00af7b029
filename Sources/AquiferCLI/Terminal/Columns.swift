extension String {
    /// The width of the text in columns of a terminal: two for a wide letter or an emoji, none for a combining mark.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// The longest beginning of the text that fits into this number of columns.
    func prefix(columns: Int) -> String {
        var taken = 0
        return String(
            prefix { letter in
                taken += letter.columns
                return taken <= columns
            })
    }
}

extension Character {
    /// The width of the letter and its marks in columns of a terminal.
    fileprivate var columns: Int {
        if let byte = asciiValue { return byte < 0x20 || byte == 0x7F ? 0 : 1 }
        // A joined emoji has the width of a single one, and so has the pair of letters of a flag.
        if unicodeScalars.contains("\u{FE0F}") { return 2 }
        return unicodeScalars.map(\.columns).max() ?? 0
    }
}

extension Unicode.Scalar {
    fileprivate var columns: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .control: return 0
        case .format where properties.isDefaultIgnorableCodePoint: return 0
        default: break
        }
        if value < 0x1100 { return 1 }
        if properties.isEmojiPresentation || Self.wide.contains(where: { $0.contains(value) }) { return 2 }
        return 1
    }

    /// The blocks of wide letters (East Asian Width W and F). Wide emoji are detected by their property.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
    ]
}
