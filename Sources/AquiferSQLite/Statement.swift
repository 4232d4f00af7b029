import Aquifer
import AquiferFoundation
import CSQLite

/// A prepared statement of a ``Connection``, kept and reused.
package final class Statement {
    private let pointer: OpaquePointer
    private let connection: Connection
    private let purpose: String

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
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let error = connection.error(code, purpose)
            sqlite3_reset(pointer)
            throw error
        }
    }

    /// Runs a statement that returns nothing, and resets it.
    package func run() throws(StoreError) {
        defer { reset() }
        _ = try step()
    }

    package func reset() {
        sqlite3_reset(pointer)
    }

    // MARK: Parameters, counted from 1

    /// Binds a text without copying it: the memory must stay valid until the statement is reset.
    func bind(_ index: Int32, unowned text: UnsafeBufferPointer<UInt8>) {
        text.withMemoryRebound(to: CChar.self) {
            _ = sqlite3_bind_text(pointer, index, $0.baseAddress, Int32($0.count), nil)
        }
    }

    /// Binds bytes without copying them: the memory must stay valid until the statement is reset.
    func bind(_ index: Int32, unowned bytes: UnsafeRawBufferPointer) {
        if bytes.isEmpty {
            sqlite3_bind_zeroblob(pointer, index, 0)  // no address would bind NULL
        } else {
            sqlite3_bind_blob64(pointer, index, bytes.baseAddress, UInt64(bytes.count), nil)
        }
    }

    package func bind(_ index: Int32, _ integer: Int64) {
        sqlite3_bind_int64(pointer, index, integer)
    }

    package func bind(_ index: Int32, _ integer: Int64?) {
        if let integer { bind(index, integer) } else { sqlite3_bind_null(pointer, index) }
    }

    package func bind(_ index: Int32, _ text: String?) {
        guard let text else {
            sqlite3_bind_null(pointer, index)
            return
        }
        withUTF8(text) { utf8 in
            utf8.withMemoryRebound(to: CChar.self) {
                _ = aquifer_sqlite_bind_text_copy(pointer, index, $0.baseAddress, Int32($0.count))
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

func withUTF8<Value>(_ text: String, _ use: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
    text.utf8.withContiguousStorageIfAvailable(use) ?? Array(text.utf8).withUnsafeBufferPointer(use)
}
