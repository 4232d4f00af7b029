import Aquifer
import CSQLite
import Foundation

/// Opens the connection that writes, and creates or upgrades the database if necessary.
///
/// Opening a store of this version, the common case, costs only a read of the first 100 bytes and one setting. A
/// command line opens a store at each start.
enum Opening {
    static func writer(
        _ path: String, _ durability: SQLiteStore.Durability, _ patience: Duration, _ mark: BirthMark?
    ) throws(StoreError) -> Connection {
        try mark?.check()
        let connection = try openOrCreate(path, patience)
        // Every statement needs the schema, which cannot be read while another process creates, upgrades or closes the
        // database.
        connection.wait(upTo: patience)
        defer { connection.wait(upTo: .zero) }
        let header = try FileHeader(connection)
        if let header {
            guard header.applicationID == Schema.applicationID else { throw .notAStore(path: path) }
            guard header.version <= Schema.version else {
                throw .newerVersion(path: path, found: header.version, supported: Schema.version)
            }
        }
        // The file may have been emptied since the first check.
        if header == nil { try mark?.check() }
        // With twice the default page size, writes of 64 KB and more take a third less time (measured).
        if header == nil { try connection.execute("PRAGMA page_size = 8192") }
        try connection.execute("PRAGMA synchronous = \(durability.setting)")
        // On Apple systems a flush reaches the drive's cache only, unless SQLite is asked for more. Elsewhere it has no
        // effect.
        if durability == .power {
            try connection.execute("PRAGMA fullfsync = ON")
            try connection.execute("PRAGMA checkpoint_fullfsync = ON")
        }
        // The version of a file in use may be newer than its header, never older, because recent changes are in the
        // log.
        if header?.version != Schema.version || header?.isLogged != true {
            try prepare(connection, patience)
        }
        // The store works without its mark, and the next opening makes a mark that cannot be written now.
        try? mark?.make(connection)
        return connection
    }

    private static func openOrCreate(_ path: String, _ patience: Duration) throws(StoreError) -> Connection {
        if POSIX.exists(path) || POSIX.isSpecial(path) { return try Connection(path, .readWrite) }
        let folder = (path as NSString).deletingLastPathComponent
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
            if !POSIX.exists(path) {
                for leftover in ["-wal", "-shm", "-journal"] { _ = try POSIX.remove(path + leftover) }
                try POSIX.makeEmpty(path)  // private before there is anything in it; its log gets the same mode
            }
        }
        return try Connection(path, .create)
    }

    private static func prepare(_ connection: Connection, _ patience: Duration) throws(StoreError) {
        let hasTables = try Waiting.until(patience) { () throws(StoreError) in
            try unlessBusy { () throws(StoreError) in
                try connection.execute("BEGIN EXCLUSIVE")
                do throws(StoreError) {
                    try check(connection)
                    try Schema.migrate(connection)
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
            try unlessBusy { () throws(StoreError) in try connection.execute("PRAGMA journal_mode = WAL") }
        }
        guard isLogged else { throw .busy(path: connection.path) }
    }

    /// Checks the file again: another process may have written to it since its header was read.
    private static func check(_ connection: Connection) throws(StoreError) {
        let found = try connection.integer("PRAGMA user_version")
        guard found <= Schema.version else {
            throw .newerVersion(path: connection.path, found: found, supported: Schema.version)
        }
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
        guard found > 0 || tables == 0 else { throw .notAStore(path: connection.path) }
    }

    private static func unlessBusy(_ body: () throws(StoreError) -> Void) throws(StoreError) -> Bool {
        do throws(StoreError) {
            try body()
            return true
        } catch .busy {
            return false
        }
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

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
