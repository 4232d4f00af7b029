extension String {
    /// True if two texts are equal byte for byte, as servers compare names. `==` treats the composed and the decomposed
    /// form of a letter as equal.
    package func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// The text in which each occurrence of some bytes is replaced, from the first one on.
    ///
    /// `replacing(_:with:)` and Foundation's `replacingOccurrences(of:with:)` compare characters: they pass over `%22` if
    /// a combining mark follows it, which makes another character of the last letter. Foreign text may have one anywhere.
    package func replacingExactly(_ old: String, with new: String) -> String {
        let (old, bytes) = (Array(old.utf8), Array(utf8))
        guard !old.isEmpty else { return self }
        var (rest, result) = (bytes[...], [UInt8]())
        while let found = rest.firstRange(of: old) {
            result += rest[..<found.lowerBound]
            result += new.utf8
            rest = rest[found.upperBound...]
        }
        return String(decoding: result + rest, as: UTF8.self)
    }
}
