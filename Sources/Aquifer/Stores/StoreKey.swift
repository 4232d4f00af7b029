/// A key that compares by its UTF-8 bytes, as stores do. Canonically equivalent Swift strings are equal, but as keys
/// they differ.
struct StoreKey: Hashable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    init(checking text: String) throws(StoreError) {
        guard !text.isEmpty else { throw .invalidKey(text) }
        self.text = text
    }

    static func == (a: StoreKey, b: StoreKey) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    func hash(into hasher: inout Hasher) {
        hasher.combine(Checksum.xxh64(text))
    }
}
