import AquiferCPostgres
import AquiferFoundation

/// The rows that a statement has answered, in the server's binary format.
///
/// Nothing changes them, so every thread may read them.
final class Rows: @unchecked Sendable {
    private let result: OpaquePointer

    /// Takes a result of libpq over, and frees it in the end.
    init(owning result: OpaquePointer) {
        self.result = result
    }

    deinit { PQclear(result) }

    /// The number of rows.
    var count: Int { Int(PQntuples(result)) }

    /// The bytes of a field; `nil` if it is null.
    func bytes(_ row: Int, _ column: Int32) -> Data? {
        guard PQgetisnull(result, Int32(row), column) == 0, let start = PQgetvalue(result, Int32(row), column) else {
            return nil
        }
        return Data(bytes: start, count: Int(PQgetlength(result, Int32(row), column)))
    }

    /// A number of 2, 4 or 8 bytes; `nil` if the field is null.
    func integer(_ row: Int, _ column: Int32) -> Int64? {
        guard PQgetisnull(result, Int32(row), column) == 0, let start = PQgetvalue(result, Int32(row), column) else {
            return nil
        }
        let raw = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, Int32(row), column)))
        let isNegative = (raw.first ?? 0) & 0x80 != 0
        return raw.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
    }
}

/// A parameter of a statement, in the server's binary format.
enum Parameter: Sendable {
    case bytes(Data)
    /// A text, or its UTF-8 as bytes, as the statement wants it.
    case text(String)
    case integer(Int64)
    case null

    /// The types of the server (`pg_type.dat`).
    enum Kind: UInt32 {
        case bytes = 17
        case integer = 20
        case text = 25
        /// Several of `integer`, of `bytes`; see ``Parameter/list(_:of:)``.
        case listOfIntegers = 1016
        case listOfBytes = 1001
        /// Several of `text`.
        case listOfTexts = 1009
    }

    /// Calls `body` with the bytes of this parameter; with `nil` if it is null.
    func withBytes<Value>(_ body: (UnsafeRawBufferPointer?) -> Value) -> Value {
        switch self {
        case .null: return body(nil)
        case .bytes(let data): return data.withUnsafeBytes { body($0) }
        case .integer(let number): return withUnsafeBytes(of: number.bigEndian) { body($0) }
        case .text(var text): return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        }
    }
}

/// Calls `body` with pointers to all parameters, which are valid during the call.
func withPointers<Value>(
    _ parameters: [Parameter], _ body: ([UnsafePointer<CChar>?], [Int32]) -> Value
) -> Value {
    var (pointers, lengths) = ([UnsafePointer<CChar>?](), [Int32]())
    pointers.reserveCapacity(parameters.count)
    lengths.reserveCapacity(parameters.count)
    func collect(_ place: Int) -> Value {
        guard place < parameters.count else { return body(pointers, lengths) }
        return parameters[place].withBytes { raw in
            // A null pointer means null to libpq: no bytes have a place, too.
            let empty = UnsafeRawPointer(emptyPlace)
            pointers.append(raw.map { $0.baseAddress ?? empty }?.assumingMemoryBound(to: CChar.self))
            lengths.append(Int32(raw?.count ?? 0))
            return collect(place + 1)
        }
    }
    return collect(0)
}

/// The place of parameters without bytes.
private nonisolated(unsafe) let emptyPlace = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
