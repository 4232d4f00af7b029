import Foundation

/// A value in a file, as JSON behind a line with its checksum. A flipped bit or a cut file is an error, and never
/// another value.
///
/// Files of versions without checksums have the JSON alone, and can be read.
enum SealedJSON {
    /// The file is not as it was written.
    struct Damaged: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path) is damaged; put a copy of it back, or delete it" }
    }

    private static let title = Data("sealed ".utf8)

    static func encode(_ value: some Encodable) throws -> Data {
        let json = try JSONEncoder().encode(value)
        return title + Data("\(ETag.of(json))\n".utf8) + json
    }

    static func read<Value: Decodable>(_ type: Value.Type, from file: URL) throws -> Value {
        let bytes = try Data(contentsOf: file)
        do {
            guard bytes.starts(with: title) else { return try JSONDecoder().decode(type, from: bytes) }
            guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { throw Damaged(path: file.path) }
            let json = Data(bytes[(end + 1)...])
            guard bytes[title.count..<end].elementsEqual(ETag.of(json).utf8) else { throw Damaged(path: file.path) }
            return try JSONDecoder().decode(type, from: json)
        } catch is DecodingError { throw Damaged(path: file.path) }
    }
}
