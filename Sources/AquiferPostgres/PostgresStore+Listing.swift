import Aquifer
import AquiferFoundation

/// The ids of the entries whose keys begin with a prefix.
struct KeyRange {
    let prefix: Parameter
    /// The first id, and the first one after the last; null if there is no end.
    let first: Parameter
    let end: Parameter

    init(_ prefix: String) {
        let bytes = Data(prefix.utf8)
        // The id of a long key has only its beginning. The statement compares the whole key.
        let beginning = Data(bytes.prefix(Statement.beginning))
        self.prefix = .bytes(bytes)
        first = .bytes(beginning)
        end = beginning.next.map { .bytes($0) } ?? .null
    }
}

extension PostgresStore {
    /// See `CacheStore.contents()`.
    public func contents() async throws(StoreError) -> StoreContents { try await contents(prefix: "") }

    /// See `CacheStore.contents(prefix:)`. It reads in pages: an entry that is stored or deleted meanwhile may be in the
    /// list or not.
    public func contents(prefix: String) async throws(StoreError) -> StoreContents {
        let range = KeyRange(prefix)
        var contents = StoreContents()
        var last = Data()
        while true {
            let answers = try await ask(
                [.init(.list, [range.prefix, range.first, range.end, .bytes(last)])], to: "list the entries")
            guard let rows = answers.first else { return contents }
            for row in 0..<rows.count { add(rows, row, to: &contents) }
            guard rows.count == Statement.page, let id = rows.bytes(rows.count - 1, 0) else { return contents }
            last = id
        }
    }

    private func add(_ rows: Rows, _ row: Int, to contents: inout StoreContents) {
        let id = rows.bytes(row, 0) ?? Data()
        do throws(SealedEntry.Damage) {
            let head = try Row.verified(rows.bytes(row, 1) ?? Data(), size: Int(rows.integer(row, 2) ?? 0))
            guard Self.isID(id, of: head.summary.key) else { throw SealedEntry.Damage("it is another key's") }
            contents.entries.append(head.summary)
        } catch { contents.damaged.append(Self.damaged(id, error)) }
    }

    /// An entry whose header cannot be read, by the id of its row.
    static func damaged(_ id: Data, _ damage: SealedEntry.Damage) -> DamagedEntry {
        let key = id.count <= Statement.longest ? String(validating: id, as: UTF8.self) : nil
        return DamagedEntry(key: key, place: "\(placeName) \(id.hexadecimal)", reason: damage.reason)
    }

    /// The key of the entry in a row, by its header.
    static func key(of head: Data, _ id: Data) throws(SealedEntry.Damage) -> String {
        // The bytes are verified with the entry.
        let lengths = try head.withUnsafeBytes { raw in
            Result { () throws(SealedEntry.Damage) in try EntryCoding.lengths(raw, fileSize: nil) }
        }.get()
        let found = try Row.verified(head, size: lengths.body)
        guard isID(id, of: found.summary.key) else { throw SealedEntry.Damage("it is another key's") }
        return found.summary.key
    }

    private static let placeName = "entry"

    private static func isID(_ id: Data, of key: String) -> Bool {
        let bytes = Data(key.utf8)
        return bytes.count <= Statement.longest
            ? id == bytes : id.count == Statement.longest && id.starts(with: bytes.prefix(Statement.beginning))
    }

    /// Deletes a row that is still damaged; true if it was.
    func removeIfDamaged(_ damaged: DamagedEntry) async throws(StoreError) -> Bool {
        let words = damaged.place.split(separator: " ")
        guard words.count == 2, words[0] == Self.placeName, let id = Data(hexadecimal: words[1]), !id.isEmpty else {
            return false
        }
        // A row is found by its id as by a key. The id of a long key is longer than the longest key that is its own.
        guard let found = try await ask([.init(.read, [.bytes(id)])], to: "look at a damaged entry").first,
            let row = Row(found)
        else { return false }
        let size = try await self.size(row, id)
        // A whole entry has replaced it by now.
        if let head = try? Row.verified(row.head, size: size), Self.isID(id, of: head.summary.key) { return false }
        let change: StoreChange = damaged.key.map { .entry($0) } ?? .everything
        return try await doubting(change) { () throws(StoreError) in
            try await self.change(
                [.init(.deleteSeen, told(change) + [.bytes(id), .bytes(row.mark)])], "remove a damaged entry")
        }
    }

    private func size(_ row: Row, _ id: Data) async throws(StoreError) -> Int {
        guard row.pieces > 0 else { return row.bytes?.count ?? 0 }
        let pieces = try await ask([.init(.pieces, [.bytes(id), .bytes(row.mark)])], to: "look at a damaged entry")
        return (0..<(pieces.first?.count ?? 0)).reduce(0) { $0 + (pieces.first?.bytes($1, 0)?.count ?? 0) }
    }
}
