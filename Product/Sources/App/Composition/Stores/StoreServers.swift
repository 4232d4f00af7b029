import AquiferPostgres
import AquiferRedis
import Foundation

/// The servers of shared stores.
public struct StoreServers: Sendable {
    /// The server of what is shared and durable.
    public var store: StoreAddress
    /// A cache before it.
    public var cache: StoreAddress?

    /// Servers.
    public init(store: StoreAddress, cache: StoreAddress? = nil) { (self.store, self.cache) = (store, cache) }
}

/// The address of a server, which may have a password in it. Neither is ever printed.
public struct StoreAddress: Sendable, CustomStringConvertible {
    let text: String
    /// True if the address has a password in it.
    public let hasPassword: Bool

    /// The reason why a text is no address. It repeats no part of the text.
    public struct Mistake: Error, CustomStringConvertible {
        /// The reason.
        public let description: String
    }

    /// An address of PostgreSQL: `postgresql://[user[:password]@]host[:port][,…][/database][?setting=value&…]`.
    ///
    /// - Throws: ``Mistake``
    public static func postgres(_ text: String) throws(Mistake) -> StoreAddress {
        let address = try StoreAddress(text, schemes: ["postgresql", "postgres"])
        guard PostgresStore.isAddress(text) else {
            throw Mistake(
                description: "it is no address that PostgreSQL's library understands; it is like"
                    + " postgresql://host:5432/database, with a user and a password before the host")
        }
        return address
    }

    /// An address of Redis: `redis://[[user]:password@]host[:port][/database]`.
    ///
    /// - Throws: ``Mistake``
    public static func redis(_ text: String) throws(Mistake) -> StoreAddress {
        let address = try StoreAddress(text, schemes: ["redis"])
        guard RedisStore.isAddress(text) else {
            throw Mistake(
                description:
                    "it is no address of Redis; it is like redis://host:6379/0, with a password before the host")
        }
        return address
    }

    private init(_ text: String, schemes: [String]) throws(Mistake) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, schemes.contains(parts[0].lowercased()) else {
            throw Mistake(
                description: "it takes an address that begins with \(schemes[0])://"
                    + (schemes[0] == "redis" ? "; it does not speak TLS: put a proxy that does before the server" : ""))
        }
        // A password with one of these characters in it would be read as a part of the host, and be printed with it.
        let place = parts[1].prefix { $0 != "?" }
        let host = place.prefix { $0 != "/" }
        guard place.count(where: { $0 == "@" }) == host.count(where: { $0 == "@" }),
            host.count(where: { $0 == "@" }) < 2
        else {
            throw Mistake(
                description: "it has an @ in an odd place; in a name and a password, @ is written %40, / is %2F, and ?"
                    + " is %3F")
        }
        self.text = text
        let user = host.contains("@") ? host.prefix { $0 != "@" } : ""
        hasPassword = user.contains(":") || parts[1].contains("password=")
    }

    /// Only that it is one.
    public var description: String { "an address" }
}
