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
