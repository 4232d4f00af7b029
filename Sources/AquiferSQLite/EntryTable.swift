import Aquifer
import CSQLite
import Foundation

/// The statements on the table of entries, over one connection.
final class EntryTable {
    private let connection: Connection
    private var prepared: [Query: Statement] = [:]
    private var selectStatement: Statement?
    private var upsertStatement: Statement?

    private enum Query: String {
        case delete = "DELETE FROM entry WHERE key = ?1"
        case begin = "BEGIN IMMEDIATE"
        case commit = "COMMIT"
        case rollback = "ROLLBACK"
        case list = """
            SELECT key, saved_at, etag, last_modified, kind, header_checksum, length(bytes) FROM entry
            """

        var purpose: String {
            switch self {
            case .delete: "delete an entry"
            case .list: "list the entries"
            case .begin, .commit, .rollback: "change an entry"
            }
        }
    }

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// The entry under `key`, checked to the last bit.
    func select(_ key: String) throws(StoreError) -> StoredEntry? {
        let statement = try selecting()
        return try withUTF8(key) { utf8 in
            statement.bind(1, unowned: utf8)
            defer { statement.reset() }
            return Result { () throws(StoreError) in try statement.step() ? try entry(statement, key) : nil }
        }.get()
    }

    /// Stores `entry` under `key` in place of what is there.
    func upsert(_ entry: StoredEntry, _ key: String) throws(StoreError) {
        let statement = try upserting()
        let seal = EntrySeal(entry, key: key)
        statement.bind(2, Int64(bitPattern: entry.savedAt.timeIntervalSinceReferenceDate.bitPattern))
        statement.bind(3, entry.validators.etag)
        statement.bind(4, entry.validators.lastModified)
        statement.bind(5, Int64(entry.kind.rawValue))
        statement.bind(6, Int64(bitPattern: seal.header))
        statement.bind(7, Int64(bitPattern: seal.body))
        try withUTF8(key) { utf8 in
            entry.bytes.withUnsafeBytes { bytes in
                statement.bind(1, unowned: utf8)
                statement.bind(8, unowned: bytes)
                return Result { () throws(StoreError) in try statement.run() }
            }
        }.get()
    }

    func delete(_ key: String) throws(StoreError) {
        let statement = try statement(.delete)
        statement.bind(1, key)
        try statement.run()
    }

    /// Every entry whose header is whole.
    func list() throws(StoreError) -> [StoredEntry.Summary] {
        let statement = try statement(.list)
        defer { statement.reset() }
        var summaries: [StoredEntry.Summary] = []
        while try statement.step() {
            guard let key = statement.text(0) else { continue }
            let size = Int(statement.integer(6))
            guard let header = EntryHeader(statement, key: key, size: size, first: 1) else { continue }
            summaries.append(
                StoredEntry.Summary(
                    key: key, size: size, savedAt: header.savedAt, validators: header.validators, kind: header.kind))
        }
        return summaries
    }

    /// Takes the right to write, from other processes too.
    func begin() throws(StoreError) { try statement(.begin).run() }

    func commit() throws(StoreError) { try statement(.commit).run() }

    /// Undoes what was done since `begin`.
    func rollback() {
        // SQLite has already rolled back on its own after some errors; then this one has nothing left to do.
        try? statement(.rollback).run()
    }

    private func entry(_ statement: Statement, _ key: String) throws(StoreError) -> StoredEntry {
        let size = Int(statement.integer(6))
        guard let header = EntryHeader(statement, key: key, size: size, first: 0) else {
            throw .unreadable(key: key, reason: "the header's checksum is wrong")
        }
        let bytes = try size < Self.large ? small(statement, key) : connection.blob(statement.integer(7), size)
        guard
            bytes.withUnsafeBytes({ EntrySeal.body($0, header: header.checksum) })
                == UInt64(bitPattern: statement.integer(5))
        else { throw .unreadable(key: key, reason: "the checksum of its bytes is wrong") }
        return StoredEntry(bytes: bytes, savedAt: header.savedAt, validators: header.validators, kind: header.kind)
    }

    private func small(_ statement: Statement, _ key: String) throws(StoreError) -> Data {
        guard statement.isBlob(8) else { throw .unreadable(key: key, reason: "its bytes are not bytes") }
        let raw = statement.blob(8)
        return raw.isEmpty ? Data() : Data(raw)
    }

    /// From this size on the bytes are read into place: SQLite's own copy of them costs more than a second look-up.
    private static let large = 16_384

    private func selecting() throws(StoreError) -> Statement {
        if let selectStatement { return selectStatement }
        let statement = try connection.prepare(
            """
            SELECT saved_at, etag, last_modified, kind, header_checksum, bytes_checksum, length(bytes), id,
                CASE WHEN length(bytes) < \(Self.large) THEN bytes END
            FROM entry WHERE key = ?1
            """, to: "read an entry")
        selectStatement = statement
        return statement
    }

    private func upserting() throws(StoreError) -> Statement {
        if let upsertStatement { return upsertStatement }
        let statement = try connection.prepare(
            """
            INSERT INTO entry(key, saved_at, etag, last_modified, kind, header_checksum, bytes_checksum, bytes)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT(key) DO UPDATE SET
                saved_at = excluded.saved_at, etag = excluded.etag, last_modified = excluded.last_modified,
                kind = excluded.kind, header_checksum = excluded.header_checksum,
                bytes_checksum = excluded.bytes_checksum, bytes = excluded.bytes
            """, to: "store an entry")
        upsertStatement = statement
        return statement
    }

    private func statement(_ query: Query) throws(StoreError) -> Statement {
        if let statement = prepared[query] { return statement }
        let statement = try connection.prepare(query.rawValue, to: query.purpose)
        prepared[query] = statement
        return statement
    }
}

/// The columns that tell of an entry: `saved_at, etag, last_modified, kind, header_checksum` from column `first`.
private struct EntryHeader {
    let savedAt: Date
    let validators: Validators
    let kind: StoredEntry.Kind
    let checksum: UInt64

    /// `nil` if they are not what was stored.
    init?(_ statement: Statement, key: String, size: Int, first: Int32) {
        guard let kind = UInt8(exactly: statement.integer(first + 3)).flatMap(StoredEntry.Kind.init) else { return nil }
        self.kind = kind
        let bits = UInt64(bitPattern: statement.integer(first))
        savedAt = Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
        validators = Validators(etag: statement.text(first + 1), lastModified: statement.text(first + 2))
        checksum = UInt64(bitPattern: statement.integer(first + 4))
        let expected = EntrySeal.header(key: key, savedAt: savedAt, validators: validators, kind: kind, size: size)
        guard checksum == expected else { return nil }
    }
}
