import Aquifer
import AquiferCrypto
import Foundation

/// The number of the last version of a file of users that a server has used. It is kept with the keys, away from the file, so
/// that an older copy of the file is noticed: its tokens may have ended.
struct UsersGenerations: Sendable {
    private struct Content: Codable {
        /// The file that is used.
        var lineage: String
        /// The number of its last version.
        var number: UInt64
        /// Files that another one has replaced. None of their copies is used again.
        var retired: [String]
    }

    private static let title = "aquifer generation 1"
    private static let mostBytes = 1 << 20

    let path: String

    /// True if a server has used a file of users with these keys.
    var exists: Bool { POSIX.exists(path) }

    /// Refuses an older version of the file, and one that another file has replaced.
    ///
    /// - Throws: ``UsersError/older(path:mark:)``; the reason why the last number cannot be read.
    func check(_ file: String, lineage: String, number: UInt64) throws(UsersError) {
        guard let last = try read(for: file) else { return }
        guard !last.retired.contains(lineage), lineage != last.lineage || number >= last.number else {
            throw .older(path: file, mark: path)
        }
    }

    /// Notes a version that is used. The lock of the file is held.
    func raise(_ file: String, lineage: String, number: UInt64) throws(UsersError) {
        var next = Content(lineage: lineage, number: number, retired: [])
        if let last = try read(for: file) {
            if last.lineage == lineage, last.number >= number { return }
            next.retired = last.lineage == lineage ? last.retired : last.retired + [last.lineage]
        }
        do throws(StoreError) { try write(next) } catch { throw .store(error) }
    }

    private func read(for file: String) throws(UsersError) -> Content? {
        let bytes: Data
        do throws(StoreError) {
            guard let open = try POSIX.openToRead(path) else { return nil }
            bytes = try POSIX.read(open, upTo: Self.mostBytes)
        } catch { throw .store(error) }
        let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
        // Bytes that cannot be decoded are damaged, whatever the decoder's reason.
        guard parts.count == 2, String(decoding: parts[0], as: UTF8.self) == Self.head(Data(parts[1])),
            let content = try? JSONDecoder().decode(Content.self, from: Data(parts[1]))
        else { throw .damagedGeneration(path: file, mark: path) }
        return content
    }

    private func write(_ content: Content) throws(StoreError) {
        let body: Data
        do { body = try JSONEncoder().encode(content) } catch {
            throw .failed(operation: "write \(path)", reason: "\(type(of: error))")
        }
        let folder = FilePath.folder(of: path)
        try POSIX.makeFolder(folder)
        try OwnedFile.giveToOwner(of: FilePath.folder(of: folder), folder)
        try OwnedFile.replace(path, with: Data((Self.head(body) + "\n").utf8) + body)
    }

    private static func head(_ body: Data) -> String { "\(title) \(SHA256Hash.hash(body).hexadecimal)" }
}
