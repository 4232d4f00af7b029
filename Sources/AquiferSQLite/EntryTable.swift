import Aquifer
import AquiferCSQLite
import AquiferFoundation

/// The statements on the table of entries, over one connection.
final class EntryTable {
    let connection: Connection
    let kept: KeptStatements
    private var prepared: [Query: Statement] = [:]
    private var selectStatement: Statement?
    private var upsertStatement: Statement?

    private enum Query: String {
        case selectAgain, delete, remainder, begin, look, commit, rollback

        var sql: String {
            switch self {
            case .selectAgain: EntryTable.select("entry_key_again")
            case .delete: "DELETE FROM entry WHERE id IN (\(EntryTable.rows)) AND +key = ?1"
            case .remainder: EntryTable.rows
            case .begin: "BEGIN IMMEDIATE"
            case .look: "BEGIN"
            case .commit: "COMMIT"
            case .rollback: "ROLLBACK"
            }
        }

        var purpose: String {
            switch self {
            case .selectAgain: "read an entry"
            case .delete, .remainder: "delete an entry"
            case .look: "read the entries"
            case .begin, .commit, .rollback: "change an entry"
            }
        }
    }

    /// True if each commit is counted (``CommitCount``).
    let countsCommits: Bool
    private var count: Statement?
    /// The number of the last commit of this table; 0 if it has not committed, or does not count.
    private(set) var committed: UInt64 = 0

    init(_ connection: Connection, countsCommits: Bool = false) {
        self.connection = connection
        kept = KeptStatements(connection)
        self.countsCommits = countsCommits
    }

    /// The fully verified entry under `key`.
    ///
    /// If one index lacks the key or leads to a wrong row, the other index is searched before the entry counts as
    /// missing or damaged.
    ///
    /// - Throws: ``StoreError/unreadable(key:reason:)`` for damage of this entry or of its index pages;
    ///   ``StoreError/damaged(path:reason:)`` when the schema is damaged, so that no entry can be found.
    func select(_ key: String) throws(StoreError) -> StoredEntry? { try row(key)?.entry }

    /// The same, with its checksums.
    func row(_ key: String) throws(StoreError) -> (entry: StoredEntry, seal: EntrySeal)? {
        var damage: StoreError?
        do throws(StoreError) {
            if let found = try select(key, try selecting()) { return found }
        } catch {
            guard case .unreadable = error else { throw error }
            damage = error
        }
        if let found = try select(key, try statement(.selectAgain)) { return found }
        if let damage { throw damage }
        return nil
    }

    /// Stores `entry` under `key`. It replaces any earlier entry.
    ///
    /// - Returns: true: that is always a change.
    /// - Throws: ``StoreError/damaged(path:reason:)`` when the two indexes do not lead from the key to the same row of
    ///   its own. Nothing is changed then.
    func upsert(_ entry: StoredEntry, _ key: String) throws(StoreError) -> Bool {
        try upsert(entry, key, EntrySeal(entry, key: key))
    }

    /// The same, with its checksums.
    func upsert(_ entry: StoredEntry, _ key: String, _ seal: EntrySeal) throws(StoreError) -> Bool {
        let statement = try upserting()
        statement.bind(2, entry.savedAt.bits)
        statement.bind(3, entry.validators.etag)
        statement.bind(4, entry.validators.lastModified)
        statement.bind(5, Int64(entry.kind.rawValue))
        statement.bind(6, Int64(bitPattern: seal.header))
        statement.bind(7, Int64(bitPattern: seal.body))
        statement.bind(9, entry.origin?.sentAt.bits)
        statement.bind(10, entry.origin?.answeredAt?.bits)
        statement.bind(11, entry.asking.askAt?.bits)
        statement.bind(12, entry.asking.staleUntil?.bits)
        statement.bind(13, entry.asking.isImmutable ? 1 : nil)
        try withUTF8(key) { utf8 throws(StoreError) in
            statement.bind(1, unowned: utf8)
            try statement.run(binding: entry.bytes, at: 8)
        }
        if connection.changes == 0 { throw connection.damage("its indexes lead to different rows") }
        return true
    }

    /// Deletes the rows of `key` that either index knows.
    ///
    /// - Returns: false if there was none.
    /// - Throws: ``StoreError/damaged(path:reason:)`` when an index leads from the key to a row that is not its own.
    func delete(_ key: String) throws(StoreError) -> Bool {
        let deletion = try statement(.delete)
        deletion.bind(1, key)
        try deletion.run()
        let hasDeleted = connection.changes > 0
        if !hasDeleted { try checkThatIndexesAreWhole() }
        let remainder = try statement(.remainder)
        remainder.bind(1, key)
        defer { remainder.reset() }
        if try remainder.step() { throw connection.damage("an index leads to the row of another key") }
        return hasDeleted
    }

    /// Takes the exclusive right to write, among all processes.
    func begin() throws(StoreError) { try statement(.begin).run() }

    /// Reads in one state of the database, whatever other processes write meanwhile.
    func look<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        // Both are prepared before the first one runs: without memory, a transaction would stay open.
        let (begin, end) = (try statement(.look), try statement(.rollback))
        // There is no transaction if it could not begin.
        defer { try? end.run() }
        try begin.run()
        return try body()
    }

    func commit() throws(StoreError) {
        guard countsCommits else { return try statement(.commit).run() }
        let count: Statement
        if let known = self.count {
            count = known
        } else {
            try connection.flushName()
            count = try CommitCount.next(connection)
        }
        let number = try CommitCount.number(count, connection)
        try statement(.commit).run()
        // A rolled back transaction may have made the table that this statement needs.
        self.count = count
        committed = number
    }

    /// Carries out a change as a commit of its own. SQLite commits nothing where nothing was to change, unless commits are counted.
    ///
    /// - Parameter isOneStatement: true if the change is one statement, which is its own commit outside of a transaction.
    func commit(_ isOneStatement: Bool, _ change: Change) throws(StoreError) {
        if isOneStatement, !countsCommits {
            _ = try change(self)
            return
        }
        try begin()
        do throws(StoreError) {
            _ = try change(self)
            try commit()
        } catch {
            rollback()
            throw error
        }
    }

    /// Undoes all changes since `begin`.
    func rollback() {
        // SQLite rolls back by itself after some errors; this rollback then has nothing to do.
        try? statement(.rollback).run()
    }

    private func select(
        _ key: String, _ statement: Statement
    ) throws(StoreError) -> (entry: StoredEntry, seal: EntrySeal)? {
        try withUTF8(key) { utf8 throws(StoreError) in
            statement.bind(1, unowned: utf8)
            defer { statement.reset() }
            do throws(StoreError) { return try statement.step() ? try entry(statement, key) : nil } catch {
                guard case .damaged(_, let reason) = error else { throw error }
                throw .unreadable(key: key, reason: "the database is damaged: \(reason)")
            }
        }
    }

    private func entry(
        _ statement: Statement, _ key: String
    ) throws(StoreError) -> (entry: StoredEntry, seal: EntrySeal) {
        // SQLite copies the bytes of a short entry for each `length(bytes)`: their own count tells the same.
        let isSmall = statement.isBlob(2)
        let raw = isSmall ? statement.blob(2) : UnsafeRawBufferPointer(start: nil, count: 0)
        if isSmall, raw.isEmpty { try statement.checkMemory() }
        let size = isSmall ? raw.count : Int(statement.integer(2))
        guard let header = EntryHeader(statement, key: key, first: 3, size: size) else {
            try statement.checkMemory()
            throw .unreadable(key: key, reason: "the header's checksum is wrong")
        }
        guard isSmall || size >= Self.large else { throw .unreadable(key: key, reason: "its bytes are not bytes") }
        let bytes = isSmall ? nil : try connection.blob(statement.integer(1), size)
        let found = bytes?.withUnsafeBytes { EntrySeal.body($0, header: header.checksum) }
        let seal = EntrySeal(header: header.checksum, body: found ?? EntrySeal.body(raw, header: header.checksum))
        guard seal.body == UInt64(bitPattern: statement.integer(0)) else {
            throw .unreadable(key: key, reason: "the checksum of its bytes is wrong")
        }
        return (header.entry(bytes ?? (raw.isEmpty ? Data() : Data(raw))), seal)
    }

    /// The size in bytes from which an entry is read directly into its memory: SQLite's own copy costs more than a
    /// second look-up.
    private static let large = 16_384

    /// The rows of a key, by either index.
    private static let rows =
        """
        SELECT id FROM entry INDEXED BY entry_key WHERE key = ?1
        UNION ALL SELECT id FROM entry INDEXED BY entry_key_again WHERE key = ?1
        """

    private static func select(_ index: String) -> String {
        """
        SELECT bytes_checksum, id, CASE WHEN length(bytes) < \(large) THEN bytes ELSE length(bytes) END,
            \(EntryHeader.stored)
        FROM entry INDEXED BY \(index) WHERE key = ?1
        """
    }

    private func selecting() throws(StoreError) -> Statement {
        if let selectStatement { return selectStatement }
        let statement = try connection.prepare(Self.select("entry_key"), to: "read an entry")
        selectStatement = statement
        return statement
    }

    private func upserting() throws(StoreError) -> Statement {
        if let upsertStatement { return upsertStatement }
        let statement = try connection.prepare(
            """
            INSERT INTO entry(
                key, saved_at, etag, last_modified, kind, header_checksum, bytes_checksum, bytes, sent_at, answered_at,
                ask_at, stale_until, is_immutable)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
            ON CONFLICT(key) DO UPDATE SET \(EntryHeader.replaced)
                WHERE +entry.key = excluded.key AND entry.id =
                    (SELECT other.id FROM entry AS other INDEXED BY entry_key WHERE other.key = excluded.key)
                AND entry.id =
                    (SELECT other.id FROM entry AS other INDEXED BY entry_key_again WHERE other.key = excluded.key)
            """, to: "store an entry")
        upsertStatement = statement
        return statement
    }

    private func statement(_ query: Query) throws(StoreError) -> Statement {
        if let statement = prepared[query] { return statement }
        let statement = try connection.prepare(query.sql, to: query.purpose)
        prepared[query] = statement
        return statement
    }
}

extension EntryTable {
    /// The entry under a key with its mark, or its damage.
    func seen(_ key: String) throws(StoreError) -> Result<SeenEntry?, StoreError> {
        do throws(StoreError) {
            return .success(try row(key).map { SeenEntry(entry: $0.entry, mark: $0.seal.mark) })
        } catch {
            // A failure that is not about one entry is that of all.
            guard case .unreadable = error else { throw error }
            return .failure(error)
        }
    }

    /// The entries of a range.
    func seen(_ range: KeyRange) throws(StoreError) -> SeenPage {
        let listed = try pageNow(range)
        var page = SeenPage(entries: [], damaged: listed.contents.damaged, next: listed.next)
        for entry in listed.contents.entries {
            switch try seen(entry.key) {
            case .success(let seen?): page.entries.append((entry.key, .success(seen)))
            case .success(nil): throw connection.damage("a row is not found by its key")
            case .failure(let error): page.entries.append((entry.key, .failure(error)))
            }
        }
        return page
    }
}

extension EntrySeal {
    var mark: Data { withUnsafeBytes(of: (header, body)) { Data($0) } }
}
