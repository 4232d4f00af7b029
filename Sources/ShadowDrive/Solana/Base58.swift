import Foundation

/// Why a text is not the base58 of what it should be.
public enum Base58Error: Error, Sendable, Hashable, CustomStringConvertible {
    /// A letter that base58 does not have, and its place, counted from 1.
    case wrongLetter(Character, at: Int)
    /// It is the base58 of so many bytes, and not of those it should be.
    case wrongLength(expected: Int, found: Int)
    /// It has more letters than anything this library reads.
    case tooLong(limit: Int)

    /// One line.
    public var description: String {
        switch self {
        case .wrongLetter(let letter, let place):
            "letter \(place), \"\(letter)\", is none of base58 (which has no 0, O, I and l)"
        case .wrongLength(let expected, let found): "it stands for \(found) bytes, not \(expected)"
        case .tooLong(let limit): "it has more than \(limit) letters"
        }
    }
}

/// Base58 as Bitcoin and Solana write it: leading zero bytes are leading `1`s.
public enum Base58 {
    /// The longest text that is decoded, in letters. Decoding takes the square of the length.
    public static let limit = 2048

    private static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)
    /// The value of each ASCII letter; 255 for those that are none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 128)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// The text of these bytes.
    public static func encode(_ bytes: Data) -> String {
        let zeros = bytes.prefix { $0 == 0 }.count
        // Little-endian digits of base 58, grown as each byte comes in.
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

    /// The bytes of a text.
    ///
    /// - Throws: ``Base58Error``.
    public static func decode(_ text: String) throws(Base58Error) -> Data {
        Data(try decode(letters: Array(text.utf8)))
    }

    /// The bytes of a text in UTF-8. Who decodes a secret wipes what comes back; no other copy is left.
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

    /// The bytes of a text that must stand for so many.
    ///
    /// - Throws: ``Base58Error``.
    public static func decode(_ text: String, count: Int) throws(Base58Error) -> Data {
        let bytes = try decode(text)
        guard bytes.count == count else { throw .wrongLength(expected: count, found: bytes.count) }
        return bytes
    }
}

/// Bytes of a fixed number that are written in base58: keys, signatures, blockhashes.
public protocol Base58Value: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// How many bytes it has.
    static var length: Int { get }
    /// The bytes.
    var bytes: Data { get }
    /// A value of these bytes; `nil` if they are not ``length``.
    init?(bytes: Data)
}

extension Base58Value {
    /// The value that a text stands for.
    ///
    /// - Throws: ``Base58Error``.
    public init(_ text: String) throws(Base58Error) {
        let bytes = try Base58.decode(text, count: Self.length)
        guard let value = Self(bytes: bytes) else {
            throw .wrongLength(expected: Self.length, found: bytes.count)
        }
        self = value
    }

    /// A constant of the source. Anything wrong with it is a mistake of the programmer, and stops the program.
    package init(constant: StaticString) {
        guard let value = try? Self("\(constant)") else {  // the reason would be told to nobody
            preconditionFailure("\(constant) is not base58 of \(Self.length) bytes")
        }
        self = value
    }

    /// The base58 text.
    public var description: String { Base58.encode(bytes) }

    /// In the order of the bytes, as Solana sorts.
    public static func < (one: Self, other: Self) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }

    /// From a base58 text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do throws(Base58Error) { self = try Self(text) } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
        }
    }

    /// As a base58 text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
