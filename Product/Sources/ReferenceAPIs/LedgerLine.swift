import Foundation

/// A transaction as a line of the ledger: JSON, a tab, and the checksum of the JSON.
extension LedgerTransaction {
    private static let tab = UInt8(ascii: "\t")

    /// The transaction of a line; `nil` if the line is not as it was written.
    init?(line: Data) {
        // JSON has no tab of its own here: the encoder writes none, and escapes those in texts.
        guard let tab = line.firstIndex(of: Self.tab) else { return nil }
        let json = Data(line[line.startIndex..<tab])
        guard line[(tab + 1)...].elementsEqual(ETag.of(json).utf8) else { return nil }
        // The reason does not matter: the line is damaged.
        guard let transaction = try? JSONDecoder().decode(LedgerTransaction.self, from: json) else { return nil }
        self = transaction
    }

    /// True for a line of a version before the first release, which has no checksum.
    static func isOfEarlierVersion(_ line: Data) -> Bool {
        // What is no transaction is damaged.
        !line.contains(tab) && (try? JSONDecoder().decode(LedgerTransaction.self, from: line)) != nil
    }

    /// The line, with its end.
    func line() throws -> Data {
        let json = try JSONEncoder().encode(self)
        return json + [Self.tab] + Data("\(ETag.of(json))\n".utf8)
    }
}

/// The length of a ledger up to the last answered line, in a file beside it (`transactions.jsonl.end`).
///
/// Without it, a ledger that was cut, or whose last line has lost its end, would look like one whose writer was killed.
struct LedgerEnd {
    private let path: String

    init(of ledger: String) { path = ledger + ".end" }

    /// Records the length. The holder of the ledger's lock calls this.
    func write(_ length: Int) {
        let text = "\(length)"
        // The transaction is on disk. If this file cannot be written, it names an earlier length, which is true too.
        try? Data("\(text) \(ETag.of(Data(text.utf8)))\n".utf8).write(to: URL(filePath: path), options: .atomic)
    }

    /// Compares the recorded length with the length of the complete lines.
    func check(_ length: Int) throws(TransactionLedger.Failure) {
        if LedgerFile.isMissing(path) { return }  // a ledger that was just begun
        // Whatever cannot be read here, the user is told of.
        guard let answered = try? Self.length(in: Data(contentsOf: URL(filePath: path))) else {
            throw .unusable("\(path) is damaged; delete it if no transaction is missing")
        }
        guard length >= answered else {
            throw .unusable(
                "\(path.dropLast(4)) has lost transactions that were answered; put a copy of it back, or delete \(path)"
            )
        }
    }

    private static func length(in bytes: Data) -> Int? {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 2, words[1] == "\(ETag.of(Data(words[0].utf8)))\n" else { return nil }
        return Int(words[0])
    }
}
