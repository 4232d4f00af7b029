import AquiferFoundation

/// Solana's compact 16-bit numbers: seven bits per byte, the lowest bits first, at most three bytes.
public enum CompactU16 {
    /// Encodes a number.
    public static func encode(_ value: UInt16) -> Data {
        var rest = value
        var bytes = Data()
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
        return bytes
    }
}

/// Reads Solana's wire format and borsh sequentially.
struct WireReader {
    /// The reason why bytes could not be read.
    enum Failure: Error, Hashable {
        /// The bytes end too early.
        case truncated
        /// A value is not written in the form of its type.
        case malformed
    }

    private let bytes: Data
    private var next: Int

    init(_ bytes: Data) {
        self.bytes = bytes
        next = bytes.startIndex
    }

    /// The number of bytes left.
    var left: Int { bytes.endIndex - next }

    mutating func take(_ count: Int) throws(Failure) -> Data {
        guard count >= 0, count <= left else { throw .truncated }
        defer { next += count }
        return Data(bytes[next..<next + count])
    }

    mutating func byte() throws(Failure) -> UInt8 {
        guard left > 0 else { throw .truncated }
        defer { next += 1 }
        return bytes[next]
    }

    /// Reads a little-endian number.
    mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws(Failure) -> Number {
        try take(Number.bitWidth / 8).reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    /// Reads a compact number, which must be in its shortest form. Each number therefore has only one encoding.
    mutating func compactU16() throws(Failure) -> Int {
        var value = 0
        for place in 0..<3 {
            let byte = try byte()
            value |= Int(byte & 0x7F) << (7 * place)
            guard byte & 0x80 == 0 else { continue }
            guard value <= UInt16.max, place == 0 || byte != 0 else { throw .malformed }
            return value
        }
        throw .malformed
    }

    mutating func key() throws(Failure) -> PublicKey {
        guard let key = PublicKey(bytes: try take(PublicKey.length)) else { throw .truncated }
        return key
    }

    /// Reads a borsh flag: one byte, 0 or 1.
    mutating func flag() throws(Failure) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw .malformed
        }
    }

    /// Reads a borsh text: its length in bytes, then its UTF-8.
    mutating func text() throws(Failure) -> String {
        let count = try number(UInt32.self)
        guard count <= left else { throw .truncated }
        guard let text = String(data: try take(Int(count)), encoding: .utf8) else { throw .malformed }
        return text
    }

    /// Reads a borsh optional: a flag, and the value if the flag is set.
    mutating func optional<Value>(
        _ read: (inout WireReader) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        try flag() ? try read(&self) : nil
    }
}

/// Writes Solana's wire format and borsh.
struct WireWriter {
    private(set) var bytes = Data()

    mutating func append(_ data: Data) { bytes.append(data) }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    /// Writes a little-endian number.
    mutating func number<Number: FixedWidthInteger>(_ value: Number) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Writes a count as a compact number. The count always fits, because nothing that is written here has more than
    /// 65 535 elements.
    mutating func count(_ value: Int) { bytes.append(CompactU16.encode(UInt16(clamping: value))) }

    mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    /// Writes a borsh text: its length in bytes, then its UTF-8.
    mutating func text(_ value: String) {
        number(UInt32(clamping: value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }
}
