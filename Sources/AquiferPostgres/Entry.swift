import Aquifer
import AquiferFoundation

/// An entry as a row holds it: its header, and its bytes in the row or, of a large one, in pieces.
struct Row: Sendable {
    /// The number of bytes up to which they are in the row, and of each piece of more.
    static let largest = 1 << 20

    let mark: Data
    let head: Data
    /// The bytes; `nil` if they are in pieces.
    let bytes: Data?
    let pieces: Int

    /// The only row of an answer to `read`; `nil` if there is none.
    init?(_ rows: Rows) {
        guard rows.count > 0 else { return nil }
        mark = rows.bytes(0, 0) ?? Data()
        head = rows.bytes(0, 1) ?? Data()
        bytes = rows.bytes(0, 2)
        pieces = Int(rows.integer(0, 3) ?? 0)
    }

    /// A new mark: the entry differs from every other one by it.
    static func newMark() -> Data {
        // Each draw asks the system: two are enough.
        withUnsafeBytes(of: (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))) { Data($0) }
    }

    /// The verified entry.
    ///
    /// - Throws: `StoreError.unreadable` if the row is not what was stored under the key.
    static func entry(_ head: Data, _ bytes: Data, for key: String) throws(StoreError) -> StoredEntry {
        do throws(SealedEntry.Damage) {
            let found = try verified(head, size: bytes.count)
            guard found.summary.key.utf8.elementsEqual(key.utf8) else {
                throw SealedEntry.Damage("it is another key's")
            }
            return try found.entry(bytes)
        } catch { throw error.error(key) }
    }

    /// The verified header of an entry of this many bytes.
    static func verified(_ head: Data, size: Int) throws(SealedEntry.Damage) -> EntryCoding.Head {
        try head.withUnsafeBytes { raw in
            Result { () throws(SealedEntry.Damage) in
                let lengths = try EntryCoding.lengths(raw, fileSize: raw.count + size)
                guard lengths.body == size else { throw SealedEntry.Damage("shorter or longer than its header says") }
                return try EntryCoding.head(raw, lengths)
            }
        }.get()
    }
}

extension Data {
    /// The bytes in parts of the given size, the last one shorter.
    func parts(of size: Int) -> [Data] {
        stride(from: startIndex, to: endIndex, by: size).map { Data(self[$0..<Swift.min($0 + size, endIndex)]) }
    }

    /// The first bytes, in the order of bytes, that come after everything that begins with these; `nil` if nothing does.
    var next: Data? {
        guard let place = lastIndex(where: { $0 < 0xFF }) else { return nil }
        return Data(self[startIndex..<place]) + [self[place] + 1]
    }
}
