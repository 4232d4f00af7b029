import Foundation

/// Takes an input apart: the first bytes choose, and the rest is what is decoded. It has an answer for every input.
struct FuzzInput {
    private var left: Data

    init(_ data: Data) {
        left = data
    }

    /// The next byte; 0 after the last.
    mutating func byte() -> UInt8 { left.popFirst() ?? 0 }

    /// The next number of 8 bytes.
    mutating func number() -> UInt64 { (0..<8).reduce(0) { sum, _ in sum << 8 | UInt64(byte()) } }

    /// The next bytes: a length in one byte, and as many of them as there are.
    mutating func bytes() -> Data {
        let count = Int(byte())
        defer { left = left.dropFirst(count) }
        return Data(left.prefix(count))
    }

    /// The next text. Bytes that are not UTF-8 become U+FFFD.
    mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }

    /// The next text, or none.
    mutating func optionalText() -> String? { byte() & 1 == 0 ? nil : text() }

    /// The rest.
    var rest: Data { Data(left) }

    /// The rest, as a text.
    var restText: String { String(decoding: left, as: UTF8.self) }
}

extension Data {
    /// The input as a text.
    var asText: String { String(decoding: self, as: UTF8.self) }
}

extension StringProtocol {
    /// True if the texts are equal byte for byte.
    func isSame(_ other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}
