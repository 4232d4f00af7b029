import AquiferFoundation

/// The reason why a text is not valid base58 of the expected length.
public enum Base58Error: Error, Sendable, Hashable, CustomStringConvertible {
    /// A character that base58 does not have, and its position, counted from 1.
    case wrongLetter(Character, at: Int)
    /// The text decodes to `found` bytes instead of `expected` bytes.
    case wrongLength(expected: Int, found: Int)
    /// The text is longer than any base58 text that this library reads.
    case tooLong(limit: Int)

    /// A description in one line.
    public var description: String {
        switch self {
        case .wrongLetter(let letter, let place):
            "letter \(place), \"\(letter)\", is none of base58 (which has no 0, O, I and l)"
        case .wrongLength(let expected, let found):
            "it stands for \(found) \(found == 1 ? "byte" : "bytes"), not \(expected)"
        case .tooLong(let limit): "it has more than \(limit) letters"
        }
    }
}

/// Base58 as Bitcoin and Solana write it. Leading zero bytes are leading `1`s.
public enum Base58 {
    /// The maximum length of a text to decode, in UTF-8 bytes. Decoding takes quadratic time.
    public static let limit = 2048

    private static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)
    /// The value of each ASCII character; 255 for a character that base58 does not have.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 128)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// Encodes bytes as base58.
    public static func encode(_ bytes: Data) -> String {
        let zeros = bytes.prefix { $0 == 0 }.count
        // The digits of base 58, little-endian; each byte can add digits.
        var digits: [UInt8] = []
        for byte in bytes.dropFirst(zeros) {
            var carry = Int(byte)
            for at in digits.indices {
                carry += Int(digits[at]) << 8
                digits[at] = UInt8(carry % 58)
                carry /= 58
            }
            while carry > 0 {
                digits.append(UInt8(carry % 58))
                carry /= 58
            }
        }
        let letters = [UInt8](repeating: alphabet[0], count: zeros) + digits.reversed().map { alphabet[Int($0)] }
        return String(decoding: letters, as: UTF8.self)
    }

    /// Decodes a base58 text.
    ///
    /// - Throws: ``Base58Error``.
    public static func decode(_ text: String) throws(Base58Error) -> Data {
        Data(try decode(letters: Array(text.utf8)))
    }

    /// Decodes a base58 text in UTF-8. A caller that decodes a secret must wipe the result; no other copy of the
    /// decoded bytes remains.
    static func decode(letters: [UInt8]) throws(Base58Error) -> [UInt8] {
        guard letters.count <= limit else { throw .tooLong(limit: limit) }
        let zeros = letters.prefix { $0 == alphabet[0] }.count
        var bytes: [UInt8] = []  // little-endian until the end
        bytes.reserveCapacity(letters.count)
        for (place, letter) in letters.enumerated() {
            guard letter < 128, values[Int(letter)] != 255 else {
                let rest = String(decoding: letters[place...], as: UTF8.self)
                throw .wrongLetter(rest.first ?? "?", at: place + 1)
            }
            var carry = Int(values[Int(letter)])
            for at in bytes.indices {
                carry += Int(bytes[at]) * 58
                bytes[at] = UInt8(carry & 255)
                carry >>= 8
            }
            while carry > 0 {
                bytes.append(UInt8(carry & 255))
                carry >>= 8
            }
        }
        for _ in 0..<zeros { bytes.append(0) }
        bytes.reverse()
        return bytes
    }

    /// Decodes a base58 text of exactly `count` bytes.
    ///
    /// - Throws: ``Base58Error``.
    public static func decode(_ text: String, count: Int) throws(Base58Error) -> Data {
        let bytes = try decode(text)
        guard bytes.count == count else { throw .wrongLength(expected: count, found: bytes.count) }
        return bytes
    }
}

/// A value of a fixed number of bytes that is written in base58: a key, a signature or a blockhash.
public protocol Base58Value: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// The length of the value in bytes.
    static var length: Int { get }
    /// The bytes.
    var bytes: Data { get }
    /// Creates a value from its bytes; `nil` if their number is not ``length``.
    init?(bytes: Data)
}

extension Base58Value {
    /// Decodes a value from a base58 text.
    ///
    /// - Throws: ``Base58Error``.
    public init(_ text: String) throws(Base58Error) {
        let bytes = try Base58.decode(text, count: Self.length)
        guard let value = Self(bytes: bytes) else {
            throw .wrongLength(expected: Self.length, found: bytes.count)
        }
        self = value
    }

    /// Creates a value from a constant in the source code. An invalid constant is a programming error and stops the
    /// program.
    package init(constant: StaticString) {
        guard let value = try? Self("\(constant)") else {  // the reason would be told to nobody
            preconditionFailure("\(constant) is not base58 of \(Self.length) bytes")
        }
        self = value
    }

    /// The base58 text.
    public var description: String { Base58.encode(bytes) }

    /// Compares the bytes lexicographically, as Solana does.
    public static func < (one: Self, other: Self) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }

    /// Decodes a value from a base58 text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do throws(Base58Error) { self = try Self(text) } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
        }
    }

    /// Encodes the value as a base58 text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
