/// The name of a user, as it stands in links, folders and lists.
///
/// 1 to 32 letters, digits, `.`, `-` and `_` of ASCII, the first of which is a letter or a digit: it is a name of a folder on
/// every system.
public struct UserName: Sendable, Hashable, CustomStringConvertible {
    /// The most characters of a name.
    public static let most = 32

    /// The name.
    public let text: String
    /// The name.
    public var description: String { text }

    /// A name.
    ///
    /// - Throws: ``UsersError/badName(_:)`` for any other text.
    public init(_ text: String) throws(UsersError) {
        guard (1...Self.most).contains(text.utf8.count), let first = text.utf8.first, Self.isAlphanumeric(first),
            text.utf8.allSatisfy({ Self.isAlphanumeric($0) || ".-_".utf8.contains($0) })
        else { throw .badName(text) }
        self.text = text
    }

    /// The name as names are compared: `Ana` and `ana` would share a folder on some systems.
    var folded: String { text.lowercased() }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
