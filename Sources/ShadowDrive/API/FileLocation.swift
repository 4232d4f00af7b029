import Aquifer
import Foundation

/// Where a file of a storage account lies: its address, as it is sent, signed and loaded.
public struct FileLocation: Sendable, Hashable, CustomStringConvertible {
    /// The storage account.
    public let account: PublicKey
    /// The file's name, as people write it.
    public let name: String
    /// The address, byte for byte.
    public let text: String

    /// The address of a file under `base`, the name encoded as JavaScript's `encodeURIComponent` does.
    public init(_ name: String, in account: PublicKey, base: URL) {
        self.account = account
        self.name = name
        var start = base.absoluteString
        while start.hasSuffix("/") { start.removeLast() }
        text = "\(start)/\(account)/\(Self.encode(name))"
    }

    /// An address that someone wrote. The part after the account is the name: where it is not, or only half, encoded
    /// (`#`, `?`, spaces), that is made good.
    ///
    /// - Returns: `nil` if it is no web address, or names no storage account and file.
    public init?(_ text: String) {
        guard let scheme = text.range(of: "://"), let host = text[scheme.upperBound...].firstIndex(of: "/"),
            let base = URL(string: String(text[..<host])), base.isWebAddress
        else { return nil }
        // The account is the first part that is a key: a server may lie behind a path of its own.
        let parts = text[host...].dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard let place = parts.dropLast().firstIndex(where: { (try? PublicKey(String($0))) != nil }),
            let account = try? PublicKey(String(parts[place]))  // it was one a line above
        else { return nil }
        let rest = parts[(place + 1)...].joined(separator: "/")
        let name = rest.removingPercentEncoding ?? rest
        guard !name.isEmpty else { return nil }
        let start = ([String(text[..<host])] + parts[...place].map(String.init)).joined(separator: "/")
        self.account = account
        self.name = name
        self.text = "\(start)/\(Self.encode(name))"
    }

    /// As a URL.
    public var url: URL? { URL(string: text) }

    /// The address.
    public var description: String { text }

    /// Percent-encodes as JavaScript's `encodeURIComponent`: all but letters and digits of ASCII and `-_.!~*'()`.
    public static func encode(_ name: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                bytes.append(byte)
            case _ where "-_.!~*'()".utf8.contains(byte):
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
