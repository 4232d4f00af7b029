import Aquifer
import AquiferCSQLite
import AquiferFoundation

/// Opens the connection that writes, and creates the database if necessary.
///
/// Opening a store of this version, the common case, costs only a read of the first 100 bytes and one setting. A
/// command line opens a store at each start.
enum Opening {
    private static let pageSize = 8192

    static func writer(
        _ path: String, _ durability: SQLiteStore.Durability, _ patience: Duration, _ mark: BirthMark?
    ) throws(StoreError) -> Connection {
        try mark?.check()
        let connection = try openOrCreate(path, patience)
        // Every statement needs the schema, which cannot be read while another process creates or closes the database.
        connection.wait(upTo: patience)
        defer { connection.wait(upTo: .zero) }
        try takeBackInterrupted(connection)
        let header = try FileHeader(connection)
        if let header {
            guard header.applicationID == Schema.applicationID else { throw .notAStore(path: path) }
            try Schema.expect(header.version, path)
        }
        // The file may have been emptied since the first check.
        if header == nil { try mark?.check() }
        // With twice the default page size, writes of 64 KB and more take a third less time (measured).
        if header == nil { try connection.execute("PRAGMA page_size = \(pageSize)") }
        try connection.execute("PRAGMA synchronous = \(durability.setting)")
        // On Apple systems a flush reaches the drive's cache only, unless SQLite is asked for more. Elsewhere it has no
        // effect.
        if durability == .power {
            try connection.execute("PRAGMA fullfsync = ON")
            try connection.execute("PRAGMA checkpoint_fullfsync = ON")
        }
        if header?.version != Schema.version || header?.isLogged != true {
            try prepare(connection, patience)
        }
        // The store works without its mark, and the next opening makes a mark that cannot be written now.
        try? mark?.make(connection)
        if let mark { try CommitCount.check(connection, mark) }
        return connection
    }

    private static func openOrCreate(_ path: String, _ patience: Duration) throws(StoreError) -> Connection {
        if POSIX.exists(path) || POSIX.isSpecial(path) { return try Connection(path, .readWrite) }
        let folder = FilePath.folder(of: path)
        try POSIX.makeFolder(folder)
        guard POSIX.isSpecial(folder) else { throw .notAStore(path: path) }  // it is a file
        // The folder is checked first: when SQLite cannot create the file, it reports that the file is missing.
        guard POSIX.isWritable(folder) else { throw .readOnly(path: path) }
        // One process at a time creates the database. A log without a database belongs to a deleted one, and must not
        // be read into the new one; but a log that another process has just begun must stay.
        if let lock = try POSIX.openToRead(folder) {
            // If folders cannot be locked (some network file systems), the file is created without a lock.
            let isOurs = try Waiting.until(patience) { (try? POSIX.tryLock(lock)) ?? true }
            guard isOurs else { throw .busy(path: path) }
            defer { POSIX.unlock(lock) }
            // Only a file that is certainly missing: the log of one that cannot be looked up has its last changes.
            if POSIX.isMissing(path, orShorterThan: 0) {
                for leftover in ["-wal", "-shm", "-journal"] { _ = try POSIX.remove(path + leftover) }
                try POSIX.makeEmpty(path)  // private before there is anything in it; its log gets the same mode
                try POSIX.flushFolders(of: path)
            }
        }
        return try Connection(path, .create)
    }

    /// Takes a transaction back that a loss of power has interrupted while the store was being created.
    ///
    /// Until then the header may be torn, which is no sign of a foreign file. SQLite does it before its first read, whosever
    /// file it is, and deletes the journal. So it is let only if both can be of a store's creation: a journal of a database
    /// that was empty, with a store's size of pages, beside what may be the beginning of a store.
    private static func takeBackInterrupted(_ connection: Connection) throws(StoreError) {
        guard let journal = try Self.start(of: connection.path + "-journal"), journal.count == 28,
            journal.starts(with: [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]),
            FileHeader.number(journal[16..<20]) == 0, FileHeader.number(journal[24..<28]) == pageSize,
            let file = try Self.start(of: connection.path, 100), FileHeader.mayBeTorn(file)
        else { return }
        _ = try connection.integer("PRAGMA schema_version")
    }

    /// The first bytes of a file; fewer if it is shorter, `nil` if there is none.
    private static func start(of path: String, _ count: Int = 28) throws(StoreError) -> [UInt8]? {
        guard let file = try POSIX.openToRead(path) else { return nil }
        return Array(try POSIX.read(file, upTo: count))
    }

    private static func prepare(_ connection: Connection, _ patience: Duration) throws(StoreError) {
        let hasTables = try Waiting.until(patience) { () throws(StoreError) in
            try Waiting.unlessBusy { () throws(StoreError) in
                try connection.execute("BEGIN EXCLUSIVE")
                do throws(StoreError) {
                    if try isNew(connection) { try connection.execute(Schema.creation) }
                    try connection.execute("COMMIT")
                } catch {
                    try? connection.execute("ROLLBACK")  // the first error is the one to tell
                    throw error
                }
            }
        }
        guard hasTables else { throw .busy(path: connection.path) }
        // The log is turned on after the tables, so that the header with the application's number is in the file and
        // not in the log.
        let isLogged = try Waiting.until(patience) { () throws(StoreError) in
            try Waiting.unlessBusy { () throws(StoreError) in try connection.execute("PRAGMA journal_mode = WAL") }
        }
        guard isLogged else { throw .busy(path: connection.path) }
    }

    /// True if the file has no tables. It is checked again: another process may have written to it since its header was read.
    private static func isNew(_ connection: Connection) throws(StoreError) -> Bool {
        let found = try connection.integer("PRAGMA user_version")
        try Schema.expect(found, connection.path)
        if found == Schema.version { return false }
        guard try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 else {
            throw .notAStore(path: connection.path)
        }
        return true
    }
}

/// The first 100 bytes of a database (sqlite.org/fileformat2.html, 1.3).
private struct FileHeader {
    let version: Int
    let applicationID: Int
    /// True when changes go to a log beside the file (WAL).
    let isLogged: Bool

    /// Reads the header; `nil` for an empty file.
    init?(_ connection: Connection) throws(StoreError) {
        var bytes = [UInt8](repeating: 0, count: 100)
        var size: Int64 = 0
        let code = aquifer_sqlite_peek(connection.handle, &size, &bytes, 100)
        guard code == SQLITE_OK else { throw connection.error(code, "read \(connection.path)") }
        if size == 0 { return nil }
        guard bytes.starts(with: Array("SQLite format 3\0".utf8)) else { throw .notAStore(path: connection.path) }
        version = Self.number(bytes[60..<64])
        applicationID = Self.number(bytes[68..<72])
        // SQLite treats a database with an unknown number here as read-only.
        guard (1...2).contains(bytes[18]), (1...2).contains(bytes[19]) else {
            throw connection.damage("its header names an unknown way of writing")
        }
        isLogged = bytes[18] == 2 && bytes[19] == 2
    }

    /// True if these may be the first bytes of a store whose creation was interrupted: of each, it was written or not.
    static func mayBeTorn(_ bytes: [UInt8]) -> Bool {
        func agree(_ known: [UInt8], at place: Int) -> Bool {
            zip(bytes.dropFirst(place), known).allSatisfy { $0 == 0 || $0 == $1 }
        }
        let number = withUnsafeBytes(of: UInt32(Schema.applicationID).bigEndian) { Array($0) }
        return agree(Array("SQLite format 3\0".utf8), at: 0) && agree(number, at: 68)
    }

    static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}

/// The tables.
enum Schema {
    /// `AQFR`, the application's number in the file's header, which identifies a file of this store.
    static let applicationID = 0x4151_4652
    /// Versions 1 to 4 were written before the first release. This number differs from theirs in more than one bit, so that no
    /// flipped bit makes a database look like one of them.
    static let version = 8

    /// Refuses a file of another version. One of version 0 is not made yet.
    static func expect(_ found: Int, _ path: String) throws(StoreError) {
        guard found == version || found == 0 else {
            throw .otherVersion(path: path, found: found, supported: version)
        }
    }

    /// The statements that make the tables, inside a transaction.
    static let creation =
        "\(table); \(indexes); PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)"

    /// The bytes come last: SQLite reads a row from its start, and a list of entries must not read them.
    static let table =
        """
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL,
            saved_at INTEGER NOT NULL, -- the bits of the seconds since 2001
            etag TEXT,
            last_modified TEXT,
            kind INTEGER NOT NULL,
            header_checksum INTEGER NOT NULL,
            bytes_checksum INTEGER NOT NULL,
            sent_at INTEGER, -- of the origin, NULL without one: bits as above
            answered_at INTEGER,
            ask_at INTEGER, -- these three are about asking, NULL without one: bits as above
            stale_until INTEGER,
            is_immutable INTEGER, -- 1 or NULL
            bytes BLOB NOT NULL
        )
        """

    /// Two indexes of the same keys: a flipped bit in one of them must not make an entry appear to be missing, and
    /// reading all rows to find out would take too long (see ``EntryTable/select(_:)``).
    static let indexes =
        """
        CREATE UNIQUE INDEX entry_key ON entry(key); CREATE UNIQUE INDEX entry_key_again ON entry(key)
        """
    static let indexNames = ["entry_key", "entry_key_again"]
    static let dropIndexes = indexNames.map { "DROP INDEX IF EXISTS \($0)" }.joined(separator: "; ")
    /// Removes the indexes from the schema without freeing their pages: a damaged index may name pages that are not its
    /// own, and freed pages are overwritten.
    static let forgetIndexes =
        """
        PRAGMA writable_schema = ON;
        DELETE FROM sqlite_schema WHERE type = 'index' AND name IN ('entry_key', 'entry_key_again');
        PRAGMA writable_schema = RESET
        """
}
