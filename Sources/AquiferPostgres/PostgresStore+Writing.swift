import Aquifer
import AquiferConcurrency
import AquiferFoundation

extension PostgresStore: DoubtingStore {}

/// Writes, and the messages that tell others of them.
extension PostgresStore {
    /// Replaces an entry that is as it was seen. Returns its new mark; `nil` if it is another one by now.
    func replace(_ key: String, _ seen: Data, _ entry: StoredEntry) async throws(StoreError) -> Data? {
        let (key, mark) = (try StoreKey(checking: key), Row.newMark())
        let isMade = try await turns.run(key) { () throws(StoreError) in
            try await doubting(.entry(key.text)) { () throws(StoreError) in
                try await write(entry, key, .replace, over: seen, mark: mark)
            }
        }
        if isMade { changes.post(.entry(key.text)) }
        return isMade ? mark : nil
    }

    /// Writes an entry; true if the statement has found what it was to write over.
    func write(
        _ entry: StoredEntry, _ key: StoreKey, _ statement: Statement, over seen: Data? = nil,
        mark: Data = Row.newMark()
    ) async throws(StoreError) -> Bool {
        let id = Parameter.text(key.text)
        let head = try EntryCoding.head(of: entry, key: key.text)
        let pieces = entry.bytes.count > Row.largest ? entry.bytes.parts(of: Row.largest) : []
        let body: Parameter = pieces.isEmpty ? .bytes(entry.bytes) : .null
        let told = told(.entry(key.text))
        let parameters = [id, .bytes(mark), .bytes(head), body, .integer(Int64(pieces.count))]
        var steps = [Request.Step(statement, told + parameters + (seen.map { [.bytes($0)] } ?? []))]
        for (number, piece) in pieces.enumerated() {
            steps.append(.init(.piece, [id, .bytes(mark), .integer(Int64(number)), .bytes(piece)]))
        }
        var insertion: Insertion?
        if statement == .insert, entry.bytes.count <= Insertion.largest, case .text(let message) = told[1] {
            insertion = Insertion(key: key.text, mark: mark, head: head, bytes: entry.bytes, told: message)
        }
        return try await change(steps, "save \"\(key.text)\"", insertion: insertion)
    }

    /// The channel and the message with which others are told of a change.
    func told(_ change: StoreChange) -> [Parameter] {
        [.text(schema.channel), .text(ToldChange.text(change, from: instance))]
    }

    /// The same for several entries.
    func told(entries keys: [String]) -> [Parameter] {
        [.text(schema.channel), .text(ToldChange.text(entries: keys, from: instance))]
    }

    /// The same for the end of a lease.
    func toldOfLease(_ key: String) -> [Parameter] {
        [.text(schema.leases), .text(ToldChange.text(.entry(key), from: instance))]
    }

    /// The sign that this machine lives.
    var presenceOfThis: Presence { owner.loop.connecting.presence }
    var schemaName: String { schema.name }
}
