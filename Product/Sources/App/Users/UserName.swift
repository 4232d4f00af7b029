/// The name of a user, as it stands in lists, in links and on pages.
///
/// 1 to 32 letters, digits, `.`, `-` and `_` of ASCII, the first of which is a letter or a digit. Nothing is kept under it: that is
/// what a ``UserID`` is for.
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
        guard Self.isValid(text) else { throw .badName(text) }
        self.text = text
    }

    /// True if a text may be a name.
    static func isValid(_ text: String) -> Bool {
        guard (1...most).contains(text.utf8.count), let first = text.utf8.first else { return false }
        return isAlphanumeric(first) && text.utf8.allSatisfy { isAlphanumeric($0) || ".-_".utf8.contains($0) }
    }

    /// The name as names are compared: nobody could tell `Ana` from `ana` by ear.
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
