import AquiferCrypto
import Foundation

/// A user as the file keeps it.
public struct UserRecord: Codable, Sendable, Hashable {
    /// One device's token, of which only the hash is kept.
    public struct Token: Codable, Sendable, Hashable {
        /// SHA-256 of the token, as 64 hexadecimal digits.
        public let hash: String
        /// The time at which it was made, in whole seconds since 1970.
        public let made: Int64
    }

    /// The name.
    public let name: String
    /// The tokens that let the user in.
    public var tokens: [Token]
    /// True while the user is being removed: nobody is let in.
    public var isLeaving: Bool
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
