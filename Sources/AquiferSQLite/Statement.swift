import Aquifer
import AquiferCSQLite
import AquiferFoundation

/// A prepared statement of a ``Connection``, kept and reused.
package final class Statement {
    private let pointer: OpaquePointer
    private let connection: Connection
    private let purpose: String
    /// The first failure to bind a parameter since the last reset. The parameter is NULL then: the statement must not
    /// run.
    private var unbound = SQLITE_OK

    init(_ connection: Connection, _ sql: String, _ purpose: String) throws(StoreError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw connection.preparationError(code, purpose) }
        pointer = prepared
        self.connection = connection
        self.purpose = purpose
    }

    deinit { sqlite3_finalize(pointer) }

    /// Advances to the next row; true if there is one.
    package func step() throws(StoreError) -> Bool {
        if unbound != SQLITE_OK {
            defer { reset() }
            throw connection.error(unbound, purpose)
        }
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let error = connection.error(code, purpose)
            reset()
            throw error
        }
    }

    /// Runs a statement that returns nothing, and resets it.
    package func run() throws(StoreError) {
        defer { reset() }
        _ = try step()
    }

    /// Runs a statement with bytes as a parameter, which are not copied.
    func run(binding bytes: Data, at index: Int32) throws(StoreError) {
        try bytes.withUnsafeBytes { raw in
            bind(index, unowned: raw)
            return Result { () throws(StoreError) in try run() }
        }.get()
    }

    package func reset() {
        sqlite3_reset(pointer)
        unbound = SQLITE_OK
    }

    /// - Throws: when there was no memory to read a column of this row, which is no damage of the row.
    func checkMemory() throws(StoreError) {
        let code = sqlite3_errcode(connection.handle)
        if code & 0xff == SQLITE_NOMEM { throw connection.error(code, purpose) }
    }

    private func note(_ code: Int32) {
        if unbound == SQLITE_OK { unbound = code }
    }

    // MARK: Parameters, counted from 1

    /// Binds a text without copying it: the memory must stay valid until the statement is reset.
    func bind(_ index: Int32, unowned text: UnsafeBufferPointer<UInt8>) {
        text.withMemoryRebound(to: CChar.self) {
            note(sqlite3_bind_text(pointer, index, $0.baseAddress, Int32($0.count), nil))
        }
    }

    /// Binds bytes without copying them: the memory must stay valid until the statement is reset.
    func bind(_ index: Int32, unowned bytes: UnsafeRawBufferPointer) {
        if bytes.isEmpty {
            note(sqlite3_bind_zeroblob(pointer, index, 0))  // no address would bind NULL
        } else {
            note(sqlite3_bind_blob64(pointer, index, bytes.baseAddress, UInt64(bytes.count), nil))
        }
    }

    package func bind(_ index: Int32, _ integer: Int64) {
        note(sqlite3_bind_int64(pointer, index, integer))
    }

    package func bind(_ index: Int32, _ integer: Int64?) {
        if let integer { bind(index, integer) } else { note(sqlite3_bind_null(pointer, index)) }
    }

    package func bind(_ index: Int32, _ text: String?) {
        guard let text else {
            note(sqlite3_bind_null(pointer, index))
            return
        }
        withUTF8(text) { utf8 in
            utf8.withMemoryRebound(to: CChar.self) {
                note(aquifer_sqlite_bind_text_copy(pointer, index, $0.baseAddress, Int32($0.count)))
            }
        }
    }

    /// Binds bytes as a text, whether they are UTF-8 or not.
    func bind(_ index: Int32, bytesOfText bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                note(aquifer_sqlite_bind_text_copy(pointer, index, $0.baseAddress, Int32($0.count)))
            }
        }
    }

    // MARK: Columns, counted from 0

    package func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(pointer, column)
    }

    package func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(pointer, column) == SQLITE_NULL
    }

    package func isBlob(_ column: Int32) -> Bool {
        sqlite3_column_type(pointer, column) == SQLITE_BLOB
    }

    package func text(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(pointer, column) else { return nil }
        let count = Int(sqlite3_column_bytes(pointer, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The bytes of a column, valid until the statement is stepped or reset.
    package func blob(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(pointer, column)
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(pointer, column)))
    }
}

/// Runs `use` on the bytes of a text.
func withUTF8<Value, Failure: Error>(
    _ text: String, _ use: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Value
) throws(Failure) -> Value {
    let result = text.utf8.withContiguousStorageIfAvailable { bytes in
        Result { () throws(Failure) in try use(bytes) }
    }
    if let result { return try result.get() }
    return try Array(text.utf8).withUnsafeBufferPointer(use)
}

/// The statements of a connection that were prepared once, by their SQL: preparing one takes longer than a short one runs.
final class KeptStatements {
    private let connection: Connection
    private var statements: [String: Statement] = [:]

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Runs `body` with a statement, which is reset afterwards.
    ///
    /// - Parameter purpose: completes "the store could not …" when the statement fails.
    func with<Value>(
        _ sql: String, to purpose: String = "read the database",
        _ body: (Statement) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        // Nobody else has it meanwhile, not even `body`.
        guard let known = statements.removeValue(forKey: sql) else {
            let new = try connection.prepare(sql, to: purpose)
            return try use(new, sql, body)
        }
        do throws(StoreError) {
            return try use(known, sql, body)
        } catch {
            // The schema may have been damaged since: preparing it anew tells so.
            _ = try connection.prepare(sql, to: purpose)
            throw error
        }
    }

    /// The number that a statement returns.
    func integer(_ sql: String) throws(StoreError) -> Int {
        try with(sql) { statement throws(StoreError) in try statement.step() ? Int(statement.integer(0)) : 0 }
    }

    /// One that failed is not kept.
    private func use<Value>(
        _ statement: Statement, _ sql: String, _ body: (Statement) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let value = try body(statement)
        statement.reset()
        statements[sql] = statement
        return value
    }
}

extension EntryTable {
    /// See ``Connection/dataVersion()``.
    func dataVersion() throws(StoreError) -> Int { try kept.integer("PRAGMA data_version") }
}
