import Aquifer
import AquiferCSQLite
import AquiferFoundation

/// Finding and repairing damage of the table and its indexes.
extension EntryTable {
    /// A row as it is stored, with its number.
    private struct Row {
        var id: Int64
        /// The key in the row itself.
        var key: String?
        /// The header, if it is valid for a key in the row or in an index.
        var whole: (key: String, header: EntryHeader)?
        /// The key to report for a damaged row. Indexes have their own copies of the keys.
        var likelyKey: String?
    }

    /// All rows, divided into valid and damaged headers, and the rows that only an index has. Reads no bytes of entries.
    func contents() throws(StoreError) -> StoreContents {
        try look { () throws(StoreError) in try contentsNow() }
    }

    /// The same, within one look or transaction of the caller.
    func contentsNow() throws(StoreError) -> StoreContents {
        var contents = StoreContents()
        let rows = try rows()
        for (id, key) in try lost(rows) {
            contents.damaged.append(
                DamagedEntry(key: key, place: Self.place(id), reason: "the table has lost its row"))
        }
        for row in rows {
            if let (key, header) = row.whole {
                contents.entries.append(header.summary(key))
            } else {
                contents.damaged.append(
                    DamagedEntry(
                        key: row.likelyKey, place: Self.place(row.id), reason: "the header's checksum is wrong"))
            }
        }
        return contents
    }

    /// Deletes a row whose header is damaged or that only an index has, and no other row. Call it within a transaction
    /// that has changed nothing yet.
    func remove(_ id: Int64) throws(StoreError) -> Bool {
        let reader = EntryTable(try Connection(connection.path, .readOnly))
        let rows = try reader.rows()
        let isDamaged = rows.contains { $0.id == id && $0.whole == nil }
        let isLost = try reader.lost(rows)[id] != nil
        guard isDamaged || isLost else { return false }
        try mend(removing: id)
        return true
    }

    /// Throws ``StoreError/damaged(path:reason:)`` if both indexes lack rows of the table: what is listed could not be
    /// found, nor be deleted. SQLite counts the rows without reading them.
    func checkThatIndexesAreWhole() throws(StoreError) {
        let count = try connection.integer("SELECT count(*) FROM entry NOT INDEXED")
        for index in Schema.indexNames
        where try connection.integer("SELECT count(*) FROM entry INDEXED BY \(index)") >= count {
            return
        }
        if count > 0 { throw connection.damage("its indexes lack rows of its table") }
    }

    /// The rows that an index has and the table has lost, with their keys. A flipped bit in a page of the table can hide
    /// the rows behind it without a trace in the table itself.
    private func lost(_ rows: [Row]) throws(StoreError) -> [Int64: String] {
        var mayBeLost = false
        for index in Schema.indexNames {
            do throws(StoreError) {
                // SQLite counts the rows of an index without reading its keys.
                let count = try kept.integer("SELECT count(*) FROM entry INDEXED BY \(index)")
                mayBeLost = mayBeLost || count > rows.count
            } catch {
                // A damaged index tells nothing: the other one and the table do.
                guard case .damaged = error else { throw error }
            }
        }
        guard mayBeLost else { return [:] }
        let (ids, keys) = (Set(rows.map(\.id)), Set(rows.compactMap { $0.whole?.key ?? $0.key }.map { Data($0.utf8) }))
        var lost: [Int64: String] = [:]
        for (id, found) in try keysInIndexes() where !ids.contains(id) {
            // A damaged index may lead elsewhere with the key of a row that is there.
            lost[id] = found.first { !keys.contains(Data($0.utf8)) }
        }
        return lost
    }

    /// A change of the table. It returns false if there was nothing to change.
    typealias Change = (EntryTable) throws(StoreError) -> Bool

    /// Repairs the indexes and carries out a change that their damage has prevented, in one transaction.
    ///
    /// SQLite refuses to write in a transaction that has found damage, so that the repair needs a new one. The decision
    /// of the first transaction is valid in the second only if no other process has written in between.
    ///
    /// - Parameter version: the ``Connection/dataVersion()`` at which the change was decided; `nil` if it is valid at
    ///   any version.
    func mend(andCarryOut change: Change, decidedAt version: Int? = nil) throws(StoreError) {
        try begin()
        do throws(StoreError) {
            if let version, try dataVersion() != version {
                let reason = "\(connection.path) was changed while it was mended; try again"
                throw .failed(operation: "keep a change", reason: reason)
            }
            try mend()
            _ = try change(self)
            try commit()
        } catch {
            rollback()
            throw error
        }
    }

    /// Rebuilds the indexes from the rows, after it has corrected damaged keys of rows from an index. Call it within a
    /// transaction that has changed nothing yet. It deletes only the row to remove, and damaged rows whose key another
    /// row has.
    func mend(removing id: Int64? = nil) throws(StoreError) {
        // The rows are read over a separate connection, while this one holds the right to write: SQLite refuses to
        // write in a transaction that has found damage.
        let reader = EntryTable(try Connection(connection.path, .readOnly))
        let rows = try reader.rows()
        var kept: [Data: Row] = [:]
        var removed = id.map { [$0] } ?? []
        var renamed: [(Int64, String)] = []
        for row in rows where row.id != id {
            // Rows without a key are left unchanged: they share no key with another row.
            guard let key = row.whole?.key ?? row.key else { continue }
            if row.whole != nil, key.utf8.elementsEqual((row.key ?? "").utf8) == false { renamed.append((row.id, key)) }
            let place = Data(key.utf8)
            guard let other = kept[place] else {
                kept[place] = row
                continue
            }
            // Later rows have greater numbers: when two rows are valid, the later one was stored last.
            let isBetter = row.whole != nil || other.whole == nil
            removed.append(isBetter ? other.id : row.id)
            if isBetter { kept[place] = row }
        }
        if Schema.indexNames.allSatisfy({ reader.isSound($0, rows) }) {
            try connection.execute(Schema.dropIndexes, to: "mend the database")
        } else {
            connection.allowSchemaChanges()
            try connection.execute(Schema.forgetIndexes, to: "mend the database")
        }
        for id in removed { try change(id, "DELETE FROM entry WHERE id = ?1") }
        for (id, key) in renamed { try change(id, "UPDATE entry SET key = ?2 WHERE id = ?1", key) }
        try connection.execute(Schema.indexes, to: "mend the database")
    }

    /// The place of a damaged entry in ``StoreContents``.
    private static func place(_ row: Int64) -> String { "row \(row)" }

    /// The number of the row in the place of a damaged entry.
    static func row(of damaged: DamagedEntry) -> Int64? {
        damaged.place.hasPrefix("row ") ? Int64(damaged.place.dropFirst(4)) : nil
    }

    private func change(_ id: Int64, _ sql: String, _ key: String? = nil) throws(StoreError) {
        let statement = try connection.prepare(sql, to: "mend the database")
        statement.bind(1, id)
        if let key { statement.bind(2, key) }
        try statement.run()
    }

    /// True if every key in an index belongs there, so that its pages are its own. The index may lack some rows.
    private func isSound(_ index: String, _ rows: [Row]) -> Bool {
        var left = Dictionary(rows.map { ($0.id, $0.key) }) { $1 }
        // An index that cannot be read completely is damaged.
        do throws(StoreError) {
            let statement = try connection.prepare("SELECT id, key FROM entry INDEXED BY \(index)")
            while try statement.step() {
                guard let key = left.removeValue(forKey: statement.integer(0)), key == statement.text(1) else {
                    return false
                }
            }
            return true
        } catch {
            return false
        }
    }

    /// All rows, read from the table itself without an index.
    private func rows() throws(StoreError) -> [Row] {
        try kept.with("SELECT id, key, \(EntryHeader.columns) FROM entry NOT INDEXED", to: "list the entries") {
            statement throws(StoreError) in try rows(statement)
        }
    }

    private func rows(_ statement: Statement) throws(StoreError) -> [Row] {
        var rows: [Row] = []
        var keys: [Int64: [String]]?
        while try statement.step() {
            var row = Row(id: statement.integer(0), key: statement.text(1))
            row.likelyKey = row.key
            if let key = row.key, let header = EntryHeader(statement, key: key, first: 2) {
                row.whole = (key, header)
            } else {
                try statement.checkMemory()
                // The indexes are read only if a row is damaged.
                if keys == nil { keys = try keysInIndexes() }
                for key in keys?[row.id] ?? [] {
                    row.likelyKey = key
                    guard let header = EntryHeader(statement, key: key, first: 2) else { continue }
                    row.whole = (key, header)
                    break
                }
            }
            rows.append(row)
        }
        return rows
    }

    /// The keys that the indexes have for each row.
    private func keysInIndexes() throws(StoreError) -> [Int64: [String]] {
        var keys: [Int64: [String]] = [:]
        for index in Schema.indexNames {
            do throws(StoreError) {
                let statement = try connection.prepare(
                    "SELECT id, key FROM entry INDEXED BY \(index)", to: "list the entries")
                while try statement.step() {
                    guard let key = statement.text(1) else {
                        try statement.checkMemory()
                        continue
                    }
                    keys[statement.integer(0), default: []].append(key)
                }
            } catch {
                // A damaged index gives no keys: the table decides.
                guard case .damaged = error else { throw error }
            }
        }
        return keys
    }
}
