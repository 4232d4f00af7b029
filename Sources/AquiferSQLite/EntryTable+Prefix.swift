import Aquifer
import AquiferFoundation

extension SQLiteStore {
    /// See `CacheStore.contents(prefix:)`. Reads a range of the indexes and its rows only, unless it finds damage there.
    public func contents(prefix: String) async throws(StoreError) -> StoreContents {
        try readers.read { table throws(StoreError) in try table.contents(prefix: prefix) } ?? StoreContents()
    }

    /// See `CacheStore.page(prefix:after:limit:)`. The entries come in the order of their keys' bytes. A page reads a range of the
    /// indexes and its rows. If it finds damage there, it reads everything, and is the last page.
    public func page(prefix: String, after: String?, limit: Int) async throws(StoreError) -> StorePage {
        let range = KeyRange(prefix: prefix, after: after, limit: max(1, limit))
        return try readers.read { table throws(StoreError) in try table.page(range) } ?? StorePage(StoreContents())
    }

    /// See `CacheStore.mostBytes()`: the size of the database, with its indexes and its free pages.
    public func mostBytes() async throws(StoreError) -> Int? {
        try readers.read { table throws(StoreError) in
            try table.kept.integer("PRAGMA page_count") * table.kept.integer("PRAGMA page_size")
        } ?? 0
    }

    /// See `CacheStore.deleteAll(prefix:)`. It is one transaction: all entries are deleted, or none.
    public func deleteAll(prefix: String) async throws(StoreError) {
        let isCommit = try await deletes { table throws(StoreError) in try table.deleteAll(prefix: prefix) }
        if isCommit { tell(.prefix(prefix)) }
    }
}

/// Listing and deleting the entries whose keys begin with the same bytes: a range of each index, because SQLite compares
/// keys as bytes.
extension EntryTable {
    /// The entries of a range, or of the whole table when anything in the range is damaged.
    func contents(prefix: String) throws(StoreError) -> StoreContents {
        try look { () throws(StoreError) in
            if !prefix.isEmpty, let entries = try undamaged(KeyRange(prefix: prefix)) {
                return StoreContents(entries: entries)
            }
            return try contentsNow().beginning(with: prefix)
        }
    }

    /// The entries of a part of a range, or the rest of the table when anything in this part is damaged.
    func page(_ range: KeyRange) throws(StoreError) -> StorePage {
        try look { () throws(StoreError) in try pageNow(range) }
    }

    /// The same, within one look or transaction of the caller.
    func pageNow(_ range: KeyRange) throws(StoreError) -> StorePage {
        if let entries = try undamaged(range) {
            let isLast = entries.count < range.limit
            return StorePage(StoreContents(entries: entries), next: isLast ? nil : entries.last?.key)
        }
        return StorePage(try contentsNow().beginning(with: range.prefix), after: range.after)
    }

    /// Deletes the rows of a range, and their keys in both indexes. Call it within a transaction.
    ///
    /// - Returns: false if there was none.
    /// - Throws: ``StoreError/damaged(path:reason:)`` when the indexes and the rows do not agree. Nothing may be committed then:
    ///   a row that an index does not know would stay.
    func deleteAll(prefix: String) throws(StoreError) -> Bool {
        if prefix.isEmpty { return try deleteEverything() }
        guard let ids = try agreedRows(KeyRange(prefix: prefix)) else {
            throw connection.damage("its indexes do not agree with its rows")
        }
        try kept.with("DELETE FROM entry WHERE id = ?1", to: "delete entries") { deletion throws(StoreError) in
            for id in ids {
                deletion.bind(1, id)
                try deletion.run()
            }
        }
        return !ids.isEmpty
    }

    /// Deletes row by row: SQLite would free the pages of a damaged index at once, and these may be those of another table.
    private func deleteEverything() throws(StoreError) -> Bool {
        try connection.execute("DELETE FROM entry NOT INDEXED WHERE +id IS NOT NULL", to: "delete all entries")
        let hasDeleted = connection.changes > 0
        for index in Schema.indexNames
        where try connection.integer("SELECT count(*) FROM entry INDEXED BY \(index)") > 0 {
            throw connection.damage("an index has rows that its table does not have")
        }
        return hasDeleted
    }

    /// The headers of a range, if both indexes and all rows and headers of it agree; `nil` otherwise.
    private func undamaged(_ range: KeyRange) throws(StoreError) -> [StoredEntry.Summary]? {
        var entries: [StoredEntry.Summary] = []
        let isWhole = try agree(range, columns: EntryHeader.columns) { statement, key throws(StoreError) in
            guard let header = EntryHeader(statement, key: key, first: 2) else {
                try statement.checkMemory()
                return false
            }
            entries.append(header.summary(key))
            return true
        }
        return isWhole ? entries : nil
    }

    /// The numbers of the rows of a range, if both indexes and the rows have the same keys; `nil` otherwise.
    private func agreedRows(_ range: KeyRange) throws(StoreError) -> [Int64]? {
        var ids: [Int64] = []
        let isWhole = try agree(range, columns: "0") { statement, _ in
            ids.append(statement.integer(0))
            return true
        }
        return isWhole ? ids : nil
    }

    /// True if both indexes lead from the same keys of a range to the same rows, each row has its key, and `use` accepts it.
    private func agree(
        _ range: KeyRange, columns: String, _ use: (Statement, _ key: String) throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        do throws(StoreError) {
            let (keys, again) = (try keys(range, "entry_key"), try keys(range, "entry_key_again"))
            guard keys.count == again.count, zip(keys, again).allSatisfy({ $0 == $1 }) else { return false }
            let sql = "SELECT id, key, \(columns) FROM entry NOT INDEXED WHERE id = ?1"
            return try kept.with(sql, to: "list entries") { row throws(StoreError) in
                for (id, key) in keys {
                    row.bind(1, id)
                    guard try row.step() else { return false }
                    guard let own = row.text(1) else {
                        try row.checkMemory()
                        return false
                    }
                    guard own.utf8.elementsEqual(key.text.utf8), try use(row, own)
                    else { return false }
                    row.reset()
                }
                return true
            }
        } catch {
            // Damaged pages of an index are no damage of the rows: the table decides.
            guard case .damaged = error else { throw error }
            return false
        }
    }

    /// The keys of a range in one index, with the numbers of their rows, in the order of the index.
    private func keys(_ range: KeyRange, _ index: String) throws(StoreError) -> [(id: Int64, key: StoreKey)] {
        let sql = "SELECT id, key FROM entry INDEXED BY \(index) WHERE \(range.condition) ORDER BY key LIMIT ?3"
        return try kept.with(sql, to: "list entries") { statement throws(StoreError) in
            range.bind(to: statement)
            return try keys(statement)
        }
    }

    private func keys(_ statement: Statement) throws(StoreError) -> [(id: Int64, key: StoreKey)] {
        var keys: [(id: Int64, key: StoreKey)] = []
        while try statement.step() {
            guard let key = statement.text(1) else {
                try statement.checkMemory()
                throw connection.damage("an index has a row without a key")
            }
            keys.append((statement.integer(0), StoreKey(key)))
        }
        return keys
    }
}

/// Keys that begin with a prefix, or the first of them after one of them.
struct KeyRange {
    let prefix: String
    let after: String?
    /// The most keys.
    let limit: Int

    init(prefix: String, after: String? = nil, limit: Int = .max) {
        (self.prefix, self.limit) = (prefix, limit)
        // A place before the range would list what is not in it.
        self.after = after.flatMap { $0.utf8.lexicographicallyPrecedes(prefix.utf8) ? nil : $0 }
    }

    /// What is true of each key of the range, in SQL.
    var condition: String {
        let end = prefix.isEmpty ? "" : " AND key < ?2"
        return (after == nil ? "key >= ?1" : "key > ?1") + end
    }

    func bind(to statement: Statement) {
        statement.bind(1, after ?? prefix)
        if let last = prefix.utf8.last {
            // No byte of UTF-8 is greater than 0xF4. The end is no UTF-8, and no key: SQLite only compares with it.
            statement.bind(2, bytesOfText: prefix.utf8.dropLast() + [last + 1])
        }
        statement.bind(3, Int64(limit))
    }
}
