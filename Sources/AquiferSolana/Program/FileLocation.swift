import Aquifer
import AquiferFoundation
import AquiferHTTP

/// The address of a file in a storage account, as it is sent, signed and loaded.
public struct FileLocation: Sendable, Hashable, CustomStringConvertible {
    /// The storage account.
    public let account: PublicKey
    /// The file's name, not percent-encoded.
    public let name: String
    /// The address, byte for byte.
    public let text: String

    /// The address of a file under `base`. The name is encoded as by JavaScript's `encodeURIComponent`.
    ///
    /// - Returns: `nil` if no address can have the name: see ``allows(_:)``.
    public init?(_ name: String, in account: PublicKey, base: URL) {
        guard Self.allows(name) else { return nil }
        self.account = account
        self.name = name
        var start = base.absoluteString
        while start.hasSuffix("/") { start.removeLast() }
        text = "\(start)/\(account)/\(Self.encode(name))"
    }

    /// Parses an address that a user wrote. The part after the account is the name. A name that is not encoded, or only
    /// partly (`#`, `?`, spaces), is encoded.
    ///
    /// - Returns: `nil` if the text is not a web address or does not name a storage account and a file.
    public init?(_ text: String) {
        guard let scheme = text.firstRange(of: "://"), let host = text[scheme.upperBound...].firstIndex(of: "/"),
            let base = URL(string: String(text[..<host])), base.isWebAddress
        else { return nil }
        // The account is the first part that is a key. The server's base address may have a path.
        let parts = text[host...].dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard let place = parts.dropLast().firstIndex(where: { (try? PublicKey(String($0))) != nil }),
            let account = try? PublicKey(String(parts[place]))  // it was one a line above
        else { return nil }
        let rest = parts[(place + 1)...].joined(separator: "/")
        let name = PercentEncoding.decodeStrictly(rest) ?? rest
        guard Self.allows(name) else { return nil }
        let start = ([String(text[..<host])] + parts[...place].map(String.init)).joined(separator: "/")
        self.account = account
        self.name = name
        self.text = "\(start)/\(Self.encode(name))"
    }

    /// The address as a URL.
    public var url: URL? { URL(foreign: text) }

    /// The address.
    public var description: String { text }

    /// True if an address can have the name. An empty name, `.` and `..` lead out of the account: whoever sends an address
    /// resolves them first, encoded or not.
    public static func allows(_ name: String) -> Bool { !name.isEmpty && name != "." && name != ".." }

    /// The reason for a name that no address can have.
    package static let badNameReason = "addresses with it lead elsewhere"

    /// Percent-encodes a name as JavaScript's `encodeURIComponent` does: every byte except ASCII letters, ASCII digits
    /// and `-_.!~*'()`.
    public static func encode(_ name: String) -> String {
        PercentEncoding.encode(name) { PercentEncoding.isUnreserved($0) || "!*'()".utf8.contains($0) }
    }
}
