import AquiferCrypto
import Foundation

/// A user as the file or the store keeps it.
public struct UserRecord: Codable, Sendable, Hashable {
    /// One device's token, of which only the hash is kept.
    public struct Token: Codable, Sendable, Hashable {
        /// SHA-256 of the token, as 64 hexadecimal digits.
        public let hash: String
        /// The time at which it was made, in whole seconds since 1970.
        public let made: Int64
    }

    /// Identifies the user.
    public let id: UserID
    /// The name.
    public let name: String
    /// The tokens that let the user in.
    public var tokens: [Token]
    /// True while the user is being removed: nobody is let in.
    public var isLeaving: Bool

    /// A new user, who has an id that nobody has had.
    init(name: String, tokens: [Token], isLeaving: Bool = false) {
        (id, self.name, self.tokens, self.isLeaving) = (.random(), name, tokens, isLeaving)
    }
}

/// Identifies one user for good: another user who is added under the same name later has another one.
///
/// Everything of a user is kept under it: the scope, the folders, the keys.
public struct UserID: Codable, Sendable, Hashable, CustomStringConvertible {
    /// The id, which is safe as the name of a folder and in a key.
    public let text: String
    /// The id.
    public var description: String { text }

    fileprivate init(text: String) { self.text = text }

    /// A new one: 128 random bits.
    static func random() -> UserID { UserID(text: AccessToken.random()) }

    /// Reads an id.
    ///
    /// - Throws: `DecodingError` for a text that could be something else in a path.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        text = try container.decode(String.self)
        guard UserName.isValid(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "it is no id of a user")
        }
    }

    /// Writes the text.
    ///
    /// - Throws: the encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// A user of a running server: the id under which everything is kept, and the name for lists and pages.
struct UserIdentity: Sendable, Hashable {
    let id: UserID
    let name: UserName

    init(_ record: UserRecord) throws(UsersError) {
        (id, name) = (record.id, try UserName(record.name))
    }
}

/// The tokens of users: 256 random bits each, as hexadecimal digits.
enum UserToken {
    /// A new token.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in (generator.next() as UInt64).hexadecimal }.joined()
    }

    /// The hash of a token.
    static func hash(_ token: String) -> String { SHA256Hash.hash(Data(token.utf8)).hexadecimal }

    /// Compares in constant time: the time does not reveal the number of matching bytes.
    static func equal(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
