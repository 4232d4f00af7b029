extension String {
    /// The largest number of combining marks of one letter that stay on its line.
    package static let mostMarks = 8

    /// The text on one line, without characters that control a terminal, forge a line or are invisible. All text from a
    /// server, a file name or a user is printed in this form.
    ///
    /// - Line feeds, carriage returns, tabs and the line and paragraph separators become a space.
    /// - Other control characters (ESC among them), bidirectional marks, embeddings, overrides and isolates, and
    ///   invisible characters become `�`. Several in a row become one.
    /// - Emoji keep the joiners and variation selectors that make them.
    /// - A letter keeps its first eight combining marks, so that it stays on its line.
    package var harmless: String {
        // Most text is plain ASCII and needs no change.
        if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
        var text = HarmlessText()
        var rest = unicodeScalars.makeIterator()
        var next = rest.next()
        while let scalar = next {
            next = rest.next()
            text.append(scalar, before: next)
        }
        return String(text.scalars)
    }
}

extension Unicode.Scalar {
    /// True if the scalar has an effect beyond its display: it moves the cursor, ends a line, changes the direction of
    /// its neighbours, or is invisible.
    package var isHarmful: Bool {
        if value < 0x7F { return value < 0x20 }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        default: break
        }
        // All bidirectional controls and zero-width characters; the annotation characters are invisible, too.
        return properties.isDefaultIgnorableCodePoint || ("\u{FFF9}"..."\u{FFFB}").contains(self)
    }

    fileprivate var isSpacing: Bool {
        switch properties.generalCategory {
        case .lineSeparator, .paragraphSeparator: true
        case .control: properties.isWhitespace
        default: false
        }
    }

    /// True if the scalar is drawn over the one before it.
    package var isMark: Bool {
        guard value >= 0x300 else { return false }
        return properties.generalCategory == .nonspacingMark || properties.generalCategory == .enclosingMark
    }
}

/// Builds harmless text, scalar by scalar.
private struct HarmlessText {
    var scalars = String.UnicodeScalarView()
    /// The last scalar that was kept, if the next one follows it directly.
    private var last: Unicode.Scalar?
    private var replacement: Unicode.Scalar?
    private var marks = 0

    mutating func append(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) {
        guard scalar.isHarmful, !isPartOfEmoji(scalar, before: next) else { return keep(scalar) }
        let shown: Unicode.Scalar = scalar.isSpacing ? " " : "\u{FFFD}"
        last = nil
        marks = 0
        guard replacement != shown else { return }
        replacement = shown
        scalars.append(shown)
    }

    private mutating func keep(_ scalar: Unicode.Scalar) {
        marks = scalar.isMark ? marks + 1 : 0
        guard marks <= String.mostMarks else { return }
        last = scalar
        replacement = nil
        scalars.append(scalar)
    }

    /// True for a joiner between two emoji, and for a selector after one.
    private func isPartOfEmoji(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
        guard let last else { return false }
        let followsEmoji = last.value > 0x7F && (last.properties.isEmoji || last == "\u{FE0F}")
        switch scalar {
        case "\u{200D}": return followsEmoji && next.map { $0.value > 0x7F && $0.properties.isEmoji } ?? false
        case "\u{FE0E}", "\u{FE0F}": return followsEmoji && last != "\u{FE0F}" || next == "\u{20E3}"
        default: return false
        }
    }
}
