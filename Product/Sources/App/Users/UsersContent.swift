import Aquifer
import AquiferCrypto
import Foundation

/// The contents of a file of users: a first line with the version of the format, the number of the change and a checksum of all, and the
/// users with the place of their data, as JSON.
struct UsersContent: Sendable {
    /// The part below the first line.
    private struct Body: Codable {
        let lineage: String
        let place: UsersPlace?
        let users: [UserRecord]
    }

    private static let title = "aquifer users"
    /// Versions 1 and 2 were written before the first release.
    private static let version = 3

    /// The first line, which is another one after each change.
    private(set) var head = ""
    /// The number of the change.
    private(set) var number: UInt64 = 0
    /// Identifies the file among those that have had this path.
    let lineage: String
    /// The place of the users' data; `nil` if no server has used the file yet.
    var place: UsersPlace?
    var users: [UserRecord]

    /// New contents.
    init(users: [UserRecord]) { (lineage, self.users) = (AccessToken.random(), users) }

    /// Reads contents.
    ///
    /// - Throws: the reason why they cannot be used.
    init(_ bytes: Data, path: String) throws(UsersError) {
        func damaged(_ reason: String) -> UsersError { .damaged(path: path, reason: reason) }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { throw damaged("it has no first line") }
        head = String(decoding: bytes[..<end], as: UTF8.self)
        let words = head.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 5, words.prefix(2).joined(separator: " ") == Self.title else {
            throw damaged("it is no file of users")
        }
        let body = Data(bytes[bytes.index(after: end)...])
        guard words[4] == Self.checksum(words[2], words[3], body), let number = UInt64(words[3]) else {
            throw damaged("its checksum is another one")
        }
        self.number = number
        guard let version = Int(words[2]) else { throw damaged("it is no file of users") }
        guard version == Self.version else {
            throw .otherVersion(path: path, found: version, supported: Self.version)
        }
        do {
            let body = try JSONDecoder().decode(Body.self, from: body)
            (lineage, place, users) = (body.lineage, body.place, body.users)
        } catch { throw damaged("its checksum is right, and its contents are not") }
    }

    /// Makes these the contents of the next version, and gives its bytes.
    mutating func nextVersion(_ path: String) throws(StoreError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let body: Data
        do { body = try encoder.encode(Body(lineage: lineage, place: place, users: users)) } catch {
            throw .failed(operation: "write \(path)", reason: "\(type(of: error))")
        }
        number &+= 1
        head = "\(Self.title) \(Self.version) \(number) \(Self.checksum("\(Self.version)", "\(number)", body))"
        return Data((head + "\n").utf8) + body
    }

    private static func checksum(_ version: String, _ number: String, _ body: Data) -> String {
        var hash = SHA256Hash()
        hash.update(Data("\(title) \(version) \(number)\n".utf8))
        hash.update(body)
        return hash.finish().hexadecimal
    }
}
