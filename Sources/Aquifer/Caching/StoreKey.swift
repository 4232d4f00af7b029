/// A key as stores compare it, by its UTF-8 bytes: two Swift strings are equal when they are canonically
/// equivalent, two keys are not.
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
