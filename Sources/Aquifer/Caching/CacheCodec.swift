import AquiferFoundation

/// Converts a value to bytes and back.
public struct CacheCodec<Value: Sendable>: Sendable {
    /// Encodes a value.
    public var encode: @Sendable (Value) throws -> Data
    /// Decodes a value, and throws when `encode` did not make the bytes.
    public var decode: @Sendable (Data) throws -> Value
    /// True for bytes of this version of the codec.
    var isCurrent: @Sendable (Data) -> Bool = { _ in true }

    /// A codec of two functions.
    public init(
        encode: @escaping @Sendable (Value) throws -> Data, decode: @escaping @Sendable (Data) throws -> Value
    ) {
        self.encode = encode
        self.decode = decode
    }
}

extension CacheCodec {
    /// The beginning of bytes with a version. No text or JSON begins so, and other bytes do not by chance.
    private static var versionMark: Data { Data([0xF6]) + Data("version".utf8) }

    /// This codec with a version, which an app raises when it reads more from an answer than before: a new optional field is missing
    /// in the copies of earlier versions, and the server, asked whether they are still the latest, would say yes for ever.
    ///
    /// ```swift
    /// let cache = Cache<[Article]>(key: "articles", in: store, codec: .json.versioned(1))
    /// ```
    ///
    /// A copy of another version is still read, and stands in for the latest. But a load asks whatever its age, and sends no validators, so
    /// that the whole value comes. Bytes without a version, as before the first call of this function, are such a copy.
    public func versioned(_ version: UInt8) -> CacheCodec {
        let (encode, decode, mark) = (encode, decode, Self.versionMark)
        var codec = CacheCodec(
            encode: { mark + [version] + (try encode($0)) },
            decode: { try decode($0.starts(with: mark) ? Data($0.dropFirst(mark.count + 1)) : $0) })
        codec.isCurrent = { $0.starts(with: mark + [version]) }
        return codec
    }
}

extension CacheCodec where Value: Codable {
    /// JSON, for any `Codable` type: the easiest codec. Dates are stored as seconds in full precision.
    public static var json: CacheCodec {
        CacheCodec(encode: { try JSONEncoder().encode($0) }, decode: { try JSONDecoder().decode(Value.self, from: $0) })
    }
}

extension CacheCodec where Value: BinaryCodable {
    /// The value's own compact form. For values of thousands of items it is several times as fast as JSON.
    public static var binary: CacheCodec {
        CacheCodec(encode: { BinaryWriter.encode($0) }, decode: { try BinaryReader.decode($0) })
    }
}

/// A value with its own compact binary form.
///
/// Fields are written and read in the same order. The bytes begin with `format`. Raise it when the form changes: old
/// bytes then become unreadable instead of being read wrongly. A type that still reads them names its `oldestFormat`, and
/// asks the reader for its `format`.
public protocol BinaryCodable: Sendable {
    /// The number of this form, for the value and all that it holds.
    static var format: UInt8 { get }
    /// The oldest form that is still read: `format`, unless the type says otherwise.
    static var oldestFormat: UInt8 { get }
    /// Reads the fields in the order they were written.
    init(from reader: inout BinaryReader) throws(BinaryReader.Failure)
    /// Writes the fields.
    func write(to writer: inout BinaryWriter)
}

extension BinaryCodable {
    /// Only the newest form is read.
    public static var oldestFormat: UInt8 { format }
}

/// Writes fields one after another: little-endian integers, byte counts before texts.
public struct BinaryWriter {
    private var bytes: [UInt8] = []

    /// The bytes of a value, its format first.
    public static func encode<Value: BinaryCodable>(_ value: Value) -> Data {
        var writer = BinaryWriter()
        writer.bytes.append(Value.format)
        value.write(to: &writer)
        return Data(writer.bytes)
    }

    /// Makes room for this many bytes more.
    public mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    /// Writes a whole number in as few bytes as it needs (LEB128).
    public mutating func write(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Writes a date, exactly.
    public mutating func write(_ value: Date) {
        withUnsafeBytes(of: value.timeIntervalSinceReferenceDate.bitPattern.littleEndian) {
            bytes.append(contentsOf: $0)
        }
    }

    /// Writes a UUID: 16 bytes.
    public mutating func write(_ value: UUID) {
        withUnsafeBytes(of: value.uuid) { bytes.append(contentsOf: $0) }
    }

    /// Writes a text as UTF-8.
    public mutating func write(_ value: String) {
        var value = value
        value.withUTF8 { text in
            write(UInt64(text.count))
            bytes.append(contentsOf: text)
        }
    }

    /// Writes a text that may be absent.
    public mutating func write(_ value: String?) {
        guard let value else { return bytes.append(0) }
        bytes.append(1)
        write(value)
    }

    /// Writes a count, then each element.
    public mutating func write<Element: BinaryCodable>(_ values: [Element]) {
        write(UInt64(values.count))
        for value in values { value.write(to: &self) }
    }
}

/// Reads the bytes of a ``BinaryWriter``. Never reads past the end, even if the bytes are arbitrary.
public struct BinaryReader {
    /// The bytes were not written by a writer of this format.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// The mistake and its place.
        public let description: String

        /// A failure for this reason.
        public init(_ reason: String) { description = reason }
    }

    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    /// The form in which the bytes were written.
    public private(set) var format: UInt8 = 0

    /// Decodes the value of these bytes.
    public static func decode<Value: BinaryCodable>(_ data: Data) throws(Failure) -> Value {
        do {
            return try data.withUnsafeBytes { bytes in
                var reader = BinaryReader(bytes)
                reader.format = try reader.byte()
                guard reader.format >= Value.oldestFormat, reader.format <= Value.format else {
                    throw Failure(
                        "format \(reader.format), this version reads \(Value.oldestFormat) to \(Value.format)")
                }
                let value = try Value(from: &reader)
                guard reader.offset == bytes.count else {
                    throw Failure("\(bytes.count - reader.offset) bytes too many")
                }
                return value
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure("\(error)")
        }
    }

    private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Reads a whole number. Only the form that a writer gives it is one: a number has no two forms.
    public mutating func uint() throws(Failure) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64 {
            let next = try byte()
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 {
                guard shift == 0 || next > 0, shift < 63 || next < 2 else {
                    throw failure("a number in a form that is not written")
                }
                return value
            }
            shift += 7
        }
        throw failure("a number without an end")
    }

    /// Reads a date.
    public mutating func date() throws(Failure) -> Date {
        let start = try take(8)
        let bits = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        return Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
    }

    /// Reads a UUID.
    public mutating func uuid() throws(Failure) -> UUID {
        UUID(uuid: bytes.loadUnaligned(fromByteOffset: try take(16), as: uuid_t.self))
    }

    /// Reads a text.
    public mutating func string() throws(Failure) -> String {
        let count = try uint()
        guard count <= UInt64(bytes.count - offset) else { throw failure("a text longer than the bytes") }
        let start = try take(Int(count))
        let text = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + Int(count))])
        // `String(validating:)` looks its generic types up at each call, which takes longer than a short text does.
        var string = text.withMemoryRebound(to: UInt8.self) { String(decoding: $0, as: UTF8.self) }
        // A text that had to be repaired is not the one that was written.
        guard string.withUTF8({ Checksum.areSame(UnsafeRawBufferPointer($0), text) }) else {
            throw failure("a text that is not UTF-8")
        }
        return string
    }

    /// Reads a text that may be absent.
    public mutating func optionalString() throws(Failure) -> String? {
        switch try byte() {
        case 0: nil
        case 1: try string()
        default: throw failure("a mark that is neither 0 nor 1")
        }
    }

    /// Reads a count, then that many elements.
    public mutating func array<Element: BinaryCodable>(of type: Element.Type = Element.self) throws(Failure)
        -> [Element]
    {
        let count = try uint()
        // Each element takes at least one byte: an impossible count must not reserve memory.
        guard count <= UInt64(bytes.count - offset) else { throw failure("more elements than bytes") }
        var elements: [Element] = []
        elements.reserveCapacity(Int(count))
        for _ in 0..<count { elements.append(try Element(from: &self)) }
        return elements
    }

    private mutating func byte() throws(Failure) -> UInt8 {
        bytes[try take(1)]
    }

    private mutating func take(_ count: Int) throws(Failure) -> Int {
        guard bytes.count - offset >= count else { throw failure("the bytes end early") }
        defer { offset += count }
        return offset
    }

    private func failure(_ reason: String) -> Failure { Failure("\(reason) at byte \(offset)") }
}

extension Array: BinaryCodable where Element: BinaryCodable {
    /// The elements' format.
    public static var format: UInt8 { Element.format }

    /// The oldest format of the elements that is read.
    public static var oldestFormat: UInt8 { Element.oldestFormat }

    /// Reads a count, then that many elements.
    public init(from reader: inout BinaryReader) throws(BinaryReader.Failure) {
        self = try reader.array()
    }

    /// Writes a count, then each element.
    public func write(to writer: inout BinaryWriter) { writer.write(self) }
}
