import Aquifer
import CSQLite
import Foundation

/// Opens the connection that writes, making or upgrading the database first if need be.
///
/// The common case, a store of this version, costs no more than opening, a look at the first 100 bytes, and one
/// setting: a command line opens a store at each start.
enum Opening {
    static func writer(
        _ path: String, _ durability: SQLiteStore.Durability, _ patience: Duration
    ) throws(StoreError) -> Connection {
        let connection = try openOrCreate(path)
        // Every statement needs the schema, and reading it fails while another process makes, upgrades or closes.
        connection.wait(upTo: patience)
        defer { connection.wait(upTo: .zero) }
        let header = try FileHeader(connection)
        if let header {
            guard header.applicationID == Schema.applicationID else { throw .notAStore(path: path) }
            guard header.version <= Schema.version else {
                throw .newerVersion(path: path, found: header.version, supported: Schema.version)
            }
        }
        // Measured: with 64 KB and more to write, twice the default page takes a third less time.
        if header == nil { try connection.execute("PRAGMA page_size = 8192") }
        try connection.execute("PRAGMA synchronous = \(durability.setting)")
        // The version of a file in use may be newer than the file says, never older: the rest is in the log.
        if header?.version != Schema.version || header?.isLogged != true {
            try prepare(connection, patience)
        }
        return connection
    }

    private static func openOrCreate(_ path: String) throws(StoreError) -> Connection {
        if POSIX.exists(path) { return try Connection(path, .readWrite) }
        let folder = (path as NSString).deletingLastPathComponent
        try POSIX.makeFolder(folder)
        // Asked first: when SQLite cannot make the file it says that it is missing.
        guard POSIX.isWritable(folder) else { throw .readOnly(path: path) }
        let connection = try Connection(path, .create)
        try POSIX.makePrivate(path)  // before there is anything in it; SQLite gives its log the same mode
        return connection
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
        // After the tables, so that the file's header, which tells ours from others', is in the file and not the log.
        let isLogged = try Waiting.until(patience) { () throws(StoreError) in
            try unlessBusy { () throws(StoreError) in try connection.execute("PRAGMA journal_mode = WAL") }
        }
        guard isLogged else { throw .busy(path: connection.path) }
    }

    /// Someone may have written to the file since its header was looked at.
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

/// What the first 100 bytes of a database say (sqlite.org/fileformat2.html, 1.3).
private struct FileHeader {
    let version: Int
    let applicationID: Int
    /// Whether changes go to a log beside the file (WAL).
    let isLogged: Bool

    /// `nil` for an empty file.
    init?(_ connection: Connection) throws(StoreError) {
        var bytes = [UInt8](repeating: 0, count: 100)
        var size: Int64 = 0
        let code = aquifer_sqlite_peek(connection.handle, &size, &bytes, 100)
        guard code == SQLITE_OK else { throw connection.error(code, "read \(connection.path)") }
        if size == 0 { return nil }
        guard bytes.starts(with: Array("SQLite format 3\0".utf8)) else { throw .notAStore(path: connection.path) }
        version = Self.number(bytes[60..<64])
        applicationID = Self.number(bytes[68..<72])
        isLogged = bytes[18] == 2 && bytes[19] == 2
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
