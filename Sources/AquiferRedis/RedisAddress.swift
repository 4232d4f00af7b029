import Aquifer
import AquiferFoundation

/// The address of a Redis server: `redis://[[user]:password@]host[:port][/database]` or `unix:///path[?db=number]`.
struct RedisAddress: Sendable, Hashable {
    enum Place: Sendable, Hashable {
        case host(String, port: UInt16)
        case socket(String)
    }

    var place: Place
    var user: String?
    var password: String?
    var database = 0

    /// - Throws: `StoreError.failed` with a word on what is wrong. No part of a password is in it.
    init(_ text: String) throws(StoreError) {
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased() else {
            throw Self.wrong("it is not an address like redis://host:6379/0")
        }
        switch scheme {
        case "redis": place = try Self.host(url)
        case "unix":
            guard !url.path.isEmpty, url.path != "/" else {
                throw Self.wrong("it names no path, as in unix:///run/redis.sock")
            }
            place = .socket(url.path)
        case "rediss":
            throw Self.wrong("this store does not speak TLS; name a proxy that does, such as stunnel, with redis://")
        default: throw Self.wrong("\"\(scheme)\" is not redis or unix")
        }
        user = url.user.flatMap { $0.isEmpty ? nil : $0 }
        password = url.password
        let named =
            scheme == "unix" ? url.queryItems?.first { $0.name == "db" }?.value ?? "" : String(url.path.dropFirst())
        if !named.isEmpty {
            guard let number = Int(named), (0..<1_000_000).contains(number) else {
                throw Self.wrong("\"\(named)\" is not the number of a database")
            }
            database = number
        }
    }

    private static func host(_ url: URLComponents) throws(StoreError) -> Place {
        guard let host = url.host, !host.isEmpty else { throw wrong("it names no host") }
        guard let port = UInt16(exactly: url.port ?? 6379), port > 0 else {
            throw wrong("its port is not between 1 and 65535")
        }
        // The brackets of an IPv6 address belong to the URL.
        return .host(
            host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host, port: port)
    }

    private static func wrong(_ reason: String) -> StoreError {
        .failed(operation: "use the address of a Redis server", reason: reason)
    }

    /// The address without user and password, for messages.
    var words: String {
        switch place {
        case .host(let host, let port): "redis://\(host.contains(":") ? "[\(host)]" : host):\(port)/\(database)"
        case .socket(let path): "unix://\(path)?db=\(database)"
        }
    }
}
