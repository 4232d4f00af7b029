import Aquifer
import AquiferCSQLite
import AquiferConcurrency
import AquiferFoundation
import Dispatch

/// One connection to a database, for one thread at a time. Its holder ensures that.
package final class Connection {
    let handle: OpaquePointer
    package let path: String
    /// The identity of the file when the connection was opened.
    private let identity: POSIX.Identity?

    /// The mode in which a connection is opened.
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
        // Only files are opened: a pipe would block, and a device would swallow the bytes.
        if POSIX.isSpecial(path) { throw .notAStore(path: path) }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, mode.flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            let error = Self.error(code, opened, "open \(path)", path)
            sqlite3_close(opened)
            throw error
        }
        handle = opened
        identity = POSIX.identity(path)
        // The file is never mapped into memory: a truncated file or a failing device would end the process. Some
        // systems' SQLite maps by default.
        try execute("PRAGMA mmap_size = 0")
    }

    /// True while the opened file is still the one at its path.
    var isCurrent: Bool { identity != nil && POSIX.identity(path) == identity }

    /// True within a transaction.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    deinit { sqlite3_close_v2(handle) }

    /// Sets the time for which calls wait, on their thread, for another connection before they fail with `busy`. A new
    /// connection does not wait.
    func wait(upTo patience: Duration) {
        sqlite3_busy_timeout(handle, patience.milliseconds(in: 0...1_000_000_000))
    }

    /// Flushes the written bytes of the file to the device.
    func flush() throws(StoreError) {
        let code = aquifer_sqlite_flush(handle)
        guard code == SQLITE_OK else { throw error(code, "flush \(path)") }
    }

    /// Flushes the names of the file, its log and its folders to the device. SQLite flushes the log's name only, and ignores
    /// a failure: a loss of power then takes the log away, with its commits. The log is not beside a symbolic link.
    func flushName() throws(StoreError) { try POSIX.flushFolders(of: POSIX.resolved(path)) }

    /// The number of rows that the last statement changed.
    var changes: Int32 { sqlite3_changes(handle) }

    /// Leaves the log as it is when the connection closes. SQLite would move what is good in it, and delete the rest.
    func keepLog() {
        // If the log is moved all the same, the error was told before.
        _ = aquifer_sqlite_keep_log(handle)
    }

    /// Allows statements to change the schema table itself, which some systems forbid.
    func allowSchemaChanges() {
        // If it stays forbidden, the statements fail.
        _ = aquifer_sqlite_allow_schema_changes(handle)
    }

    /// A number that changes whenever another connection has changed the database.
    func dataVersion() throws(StoreError) -> Int { try integer("PRAGMA data_version") }

    /// The number of commits so far, of all connections; `nil` if it is not known. It may begin anew, and wraps around.
    ///
    /// Call it after a read of a database with a write-ahead log.
    var commits: UInt32? {
        var commits: UInt32 = 0
        return aquifer_sqlite_commits(handle, &commits) == SQLITE_OK ? commits : nil
    }

    /// Runs statements that return nothing.
    package func execute(_ sql: String, to purpose: String = "set up the database") throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw preparationError(code, purpose) }
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

    /// The bytes of a row of the table of entries, as seen by the statement that found the row. The statement must not
    /// be reset yet.
    func blob(_ row: Int64, _ size: Int) throws(StoreError) -> Data {
        var opened: OpaquePointer?
        let code = sqlite3_blob_open(handle, "main", "entry", "bytes", row, 0, &opened)
        defer { sqlite3_blob_close(opened) }
        // The row or its bytes are missing although the statement has just found them: the database is damaged.
        if code == SQLITE_ERROR { throw damage(String(cString: sqlite3_errmsg(handle))) }
        guard code == SQLITE_OK, let opened else { throw error(code, "read an entry") }
        guard sqlite3_blob_bytes(opened) == size else { throw damage("an entry is longer or shorter than its length") }
        return try POSIX.data(size) { memory throws(StoreError) in
            let read = sqlite3_blob_read(opened, memory.baseAddress, Int32(size), 0)
            guard read == SQLITE_OK else { throw error(read, "read an entry") }
        }
    }

    func error(_ code: Int32, _ operation: String) -> StoreError {
        Self.error(code, handle, operation, path)
    }

    /// The error for a statement that cannot be prepared. All statements are the store's own: an unknown table, column
    /// or index is missing from the schema.
    func preparationError(_ code: Int32, _ operation: String) -> StoreError {
        code == SQLITE_ERROR ? damage(String(cString: sqlite3_errmsg(handle))) : error(code, operation)
    }

    /// The error for a damaged database.
    func damage(_ reason: String) -> StoreError { .damaged(path: path, reason: reason) }
}

/// The connections that read, each opened when first needed and then kept.
///
/// Reading runs on the caller's thread: it takes microseconds, and a hop to another thread takes longer. No task
/// suspends while it holds a connection, so that waiting for one, when all are in use, is short too.
final class ReaderPool: @unchecked Sendable {
    /// The maximum size of the first connection's page cache in kilobytes, so that a recently read page is not read
    /// from the file again. Only this connection has a large cache, and it is used first. The cache replaces a memory
    /// map of the file, which would end the process when the file is truncated. Measured: 64 KB take 36 µs from the
    /// file, 17 µs from the cache, and took 20 µs from a map.
    private static let mainCacheKilobytes = 20_000
    private static let cacheKilobytes = 2_000

    private let path: String
    private let mark: BirthMark?
    private let patience: Duration
    /// Counts the connections that may still be taken. Wait for it outside the lock.
    private let free: DispatchSemaphore
    private let lock = Lock()
    private var idle: [EntryTable] = []
    private var opened = 0
    /// The number of times that the database was replaced: earlier connections are closed.
    private var generation = 0

    init(_ path: String, limit: Int, patience: Duration, mark: BirthMark?) {
        self.path = path
        self.mark = mark
        self.patience = patience
        free = DispatchSemaphore(value: max(1, limit))
    }

    /// Reads from the file that is at the path now; `nil` if there is none.
    ///
    /// - Throws: ``StoreError/lost(path:)`` if the file is missing or empty, and cannot be recreated.
    func read<Value>(_ body: (EntryTable) throws(StoreError) -> Value) throws(StoreError) -> Value? {
        while true {
            try mark?.check()
            guard let (table, generation) = try take() else { return nil }
            guard table.connection.isCurrent else {
                renew()
                giveBack(table, generation)
                continue
            }
            defer { giveBack(table, generation) }
            return try body(table)
        }
    }

    /// Closes all connections, because the database was replaced.
    func renew() {
        let old = lock.withLock {
            generation += 1
            opened -= idle.count
            defer { idle = [] }
            return idle
        }
        withExtendedLifetime(old) {}  // closed without the lock
    }

    private func take() throws(StoreError) -> (EntryTable, generation: Int)? {
        free.wait()
        lock.lock()
        let generation = generation
        if let table = idle.popLast() {
            lock.unlock()
            return (table, generation)
        }
        opened += 1
        let isMain = opened == 1
        lock.unlock()
        do throws(StoreError) {
            let connection = try Connection(path, .readOnly)
            // Readers never wait for writers. They wait, for milliseconds, only while the log is recovered after a
            // crash, or deleted by the last process that closes the store.
            connection.wait(upTo: patience)
            let kilobytes = isMain ? Self.mainCacheKilobytes : Self.cacheKilobytes
            try connection.execute("PRAGMA cache_size = -\(kilobytes)")
            return (EntryTable(connection), generation)
        } catch {
            lock.withLock { opened -= 1 }
            free.signal()
            // An entry is missing only with a file that is certainly missing.
            if POSIX.isMissing(path, orShorterThan: 0) {
                try mark?.check()
                return nil
            }
            throw error
        }
    }

    private func giveBack(_ table: EntryTable, _ generation: Int) {
        lock.withLock {
            // A transaction that could not be ended would read an old state for ever.
            if generation == self.generation, !table.connection.isInTransaction {
                idle.append(table)
            } else {
                opened -= 1
            }
        }
        free.signal()
    }
}
