/// A key that compares by its UTF-8 bytes, as stores do. Canonically equivalent Swift strings are equal, but as keys
/// they differ.
package struct StoreKey: Hashable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package init(checking text: String) throws(StoreError) {
        guard !text.isEmpty else { throw .invalidKey(text) }
        self.text = text
    }

    package static func == (a: StoreKey, b: StoreKey) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(Checksum.xxh64(text))
    }
}
