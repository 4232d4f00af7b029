import Aquifer
import CSQLite
import Foundation

/// One connection to a database, for one thread at a time: whoever holds it sees to that.
package final class Connection {
    let handle: OpaquePointer
    package let path: String

    /// How a connection is opened.
    package enum Mode: Sendable {
        case readOnly, readWrite, create

        var flags: Int32 {
            switch self {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        }
    }

    package init(_ path: String, _ mode: Mode) throws(StoreError) {
        self.path = path
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, mode.flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            let error = Self.error(code, opened, "open \(path)", path)
            sqlite3_close(opened)
            throw error
        }
        handle = opened
    }

    deinit { sqlite3_close_v2(handle) }

    /// How long calls wait, on their thread, for another connection before they fail with `busy`. At first not at all.
    func wait(upTo patience: Duration) {
        let (seconds, attoseconds) = patience.components
        let milliseconds = Double(seconds) * 1e3 + Double(attoseconds) / 1e15
        sqlite3_busy_timeout(handle, Int32(min(max(milliseconds, 0), 1e9)))
    }

    /// Runs statements that return nothing.
    package func execute(_ sql: String, to purpose: String = "set up the database") throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, purpose) }
    }

    /// The number that a statement returns.
    package func integer(_ sql: String) throws(StoreError) -> Int {
        let statement = try prepare(sql)
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// - Parameter purpose: completes "the store could not …" when the statement fails.
    package func prepare(_ sql: String, to purpose: String = "read the database") throws(StoreError) -> Statement {
        try Statement(self, sql, purpose)
    }

    /// The bytes of a row of the table of entries, as the statement that found the row and is not reset yet sees them.
    func blob(_ row: Int64, _ size: Int) throws(StoreError) -> Data {
        var opened: OpaquePointer?
        let code = sqlite3_blob_open(handle, "main", "entry", "bytes", row, 0, &opened)
        defer { sqlite3_blob_close(opened) }
        guard code == SQLITE_OK, let opened else { throw error(code, "read an entry") }
        guard sqlite3_blob_bytes(opened) == size, let memory = malloc(size) else {
            throw .failed(operation: "read an entry", reason: "it is longer or shorter than its length")
        }
        let read = sqlite3_blob_read(opened, memory, Int32(size), 0)
        guard read == SQLITE_OK else {
            free(memory)
            throw error(read, "read an entry")
        }
        return Data(bytesNoCopy: memory, count: size, deallocator: .free)
    }

    func error(_ code: Int32, _ operation: String) -> StoreError {
        Self.error(code, handle, operation, path)
    }

    /// What one of SQLite's result codes means in the store's terms.
    private static func error(_ code: Int32, _ handle: OpaquePointer?, _ operation: String, _ path: String)
        -> StoreError
    {
        let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        switch code & 0xff {
        case SQLITE_FULL: return .full(path: path)
        case SQLITE_READONLY, SQLITE_PERM: return .readOnly(path: path)
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: return .busy(path: path)
        case SQLITE_NOTADB: return .notAStore(path: path)
        case SQLITE_CORRUPT: return .failed(operation: operation, reason: "the database is damaged (\(reason))")
        case SQLITE_IOERR, SQLITE_CANTOPEN:
            // SQLite knows "disk full" only as ENOSPC, and says "cannot open" for every reason there is.
            switch handle.map({ StoreError.system(aquifer_sqlite_last_errno($0), operation, path: path) }) {
            case .none, .failed: return .failed(operation: operation, reason: reason)
            case .some(let known): return known
            }
        default: return .failed(operation: operation, reason: reason)
        }
    }
}
