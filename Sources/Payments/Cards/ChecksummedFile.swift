import Aquifer
import AquiferFoundation

/// A small private file that is not secret: a title with a version in 8 bytes, a content of a fixed size, and a checksum
/// of both in 8 bytes.
struct ChecksummedFile: Sendable {
    /// The result of a read.
    enum Reading: Sendable, Hashable {
        /// The content.
        case content(Data)
        /// There is no such file.
        case missing
        /// The file is cut, or has changed since it was written.
        case damaged
    }

    let file: PrivateFile
    let title: Data
    /// The size of the content in bytes.
    let count: Int

    func read() throws(VaultError) -> Reading {
        let bytes: Data?
        do throws(VaultError) { bytes = try file.read() } catch {
            // A folder or a pipe in its place has no content.
            guard case .damaged = error else { throw error }
            return .damaged
        }
        guard let bytes else { return .missing }
        let size = title.count + count
        guard bytes.count == size + 8, bytes.prefix(title.count) == title,
            bytes.suffix(8) == Self.checksum(of: bytes.prefix(size))
        else { return .damaged }
        return .content(Data(bytes[title.count..<size]))
    }

    /// Prepares the write of a content. A lack of space makes this fail, and not the commit. The caller holds the
    /// folder's lock.
    func prepare(_ content: Data) throws(VaultError) {
        let bytes = title + content
        try file.prepare(bytes + Self.checksum(of: bytes))
    }

    private static func checksum(of bytes: Data) -> Data {
        let sum = bytes.withUnsafeBytes { Checksum.xxh64($0) }
        return withUnsafeBytes(of: sum.bigEndian) { Data($0) }
    }
}
