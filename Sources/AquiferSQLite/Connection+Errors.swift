import Aquifer
import AquiferCSQLite
import AquiferFoundation

extension Connection {
    /// The store error for a result code of SQLite.
    static func error(_ code: Int32, _ handle: OpaquePointer?, _ operation: String, _ path: String)
        -> StoreError
    {
        let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        switch code & 0xff {
        case SQLITE_FULL: return .full(path: path)
        case SQLITE_READONLY, SQLITE_PERM: return .readOnly(path: path)
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: return .busy(path: path)
        case SQLITE_NOTADB: return .notAStore(path: path)
        case SQLITE_CORRUPT: return .damaged(path: path, reason: reason)
        case SQLITE_CONSTRAINT
        where handle.map(sqlite3_extended_errcode) == Int32(AQUIFER_SQLITE_CONSTRAINT_UNIQUE):
            // One index has a key that the other one lacks.
            return .damaged(path: path, reason: reason)
        case SQLITE_IOERR, SQLITE_CANTOPEN:
            // SQLite recognizes a full disk only by ENOSPC, and reports "cannot open" for any other reason.
            switch handle.map({ StoreError.system(aquifer_sqlite_last_errno($0), operation, path: path) }) {
            case .none, .failed:
                // The log could not be created, and its error number is lost.
                let folder = FilePath.folder(of: path)
                if code & 0xff == SQLITE_CANTOPEN {
                    if !POSIX.isWritable(folder) { return .readOnly(path: path) }
                    // Without a descriptor left, nothing else can be opened either. To open and close the database would end its locks.
                    do throws(StoreError) { _ = try POSIX.openToRead(folder) } catch { return error }
                }
                return .failed(operation: operation, reason: "\(reason) (\(path))")
            case .some(let known): return known
            }
        default: return .failed(operation: operation, reason: "\(reason) (\(path))")
        }
    }
}
