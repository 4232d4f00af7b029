import Foundation

/// A value in a file, as JSON behind a line with its checksum. A flipped bit or a cut file is an error, and never
/// another value.
///
/// A whole file that cannot be read was written by another version, as was one without a checksum.
enum SealedJSON {
    /// The file is not as it was written.
    struct Damaged: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path) is damaged; put a copy of it back, or delete it" }
    }

    /// Another version has written the file. It is left as it is.
    struct OtherVersion: Error, CustomStringConvertible {
        let path: String
        var description: String {
            "\(path) was written by another version of Aquifer, perhaps before its first release; it is left as it is: move it away"
                + " or delete it"
        }
    }

    private static let title = Data("sealed ".utf8)

    static func encode(_ value: some Encodable) throws -> Data {
        let json = try JSONEncoder().encode(value)
        return title + Data("\(ETag.of(json))\n".utf8) + json
    }

    static func read<Value: Decodable>(_ type: Value.Type, from file: URL) throws -> Value {
        let bytes = try Data(contentsOf: file)
        guard bytes.starts(with: title) else {
            // Without a checksum there is JSON, or it is damaged.
            if (try? JSONSerialization.jsonObject(with: bytes, options: .fragmentsAllowed)) != nil {
                throw OtherVersion(path: file.path)
            }
            throw Damaged(path: file.path)
        }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { throw Damaged(path: file.path) }
        let json = Data(bytes[(end + 1)...])
        guard bytes[title.count..<end].elementsEqual(ETag.of(json).utf8) else { throw Damaged(path: file.path) }
        do { return try JSONDecoder().decode(type, from: json) } catch { throw OtherVersion(path: file.path) }
    }
}
