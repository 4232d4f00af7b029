import AquiferFoundation

/// The text of an address, parsed when its ``url`` is asked for.
///
/// A long saved list has thousands of addresses, and a screen asks for a few. Foundation takes longer to parse one than everything else in
/// its item takes to read. A plain web address is judged from its bytes here, and parsed later; any other text is parsed at
/// once, so that a text that is no address is refused where it is read.
///
/// Two of them are equal exactly when their URLs are.
public struct LazyURL: Sendable, Hashable {
    /// The text, as `URL.absoluteString` has it.
    public let absoluteString: String
    /// `nil` for a plain web address.
    private let parsed: URL?

    /// An address that is parsed already.
    public init(_ url: URL) {
        absoluteString = url.absoluteString
        // A URL that is relative to another keeps both its parts.
        parsed = url.baseURL == nil && Self.isPlain(absoluteString) ? nil : url
    }

    /// The address of a text; `nil` if `URL(string:)` refuses the text. Escapes stay as they are beside what needs one.
    public init?(_ text: String) {
        if Self.isPlain(text) {
            self.init(plain: text)
        } else {
            guard let url = URL(foreign: text) else { return nil }
            self.init(url)
        }
    }

    private init(plain text: String) { (absoluteString, parsed) = (text, nil) }

    /// The address. It is parsed anew each time: keep it where it is needed often.
    public var url: URL {
        if let parsed { return parsed }
        guard let url = URL(string: absoluteString) else { preconditionFailure("a plain address is a URL") }
        return url
    }

    /// True if it is an `http` or `https` URL with a host.
    public var isWebAddress: Bool { parsed?.isWebAddress ?? true }

    /// True if the two URLs are equal.
    public static func == (one: LazyURL, other: LazyURL) -> Bool {
        if one.parsed == nil, other.parsed == nil { return one.absoluteString == other.absoluteString }
        return one.url == other.url
    }

    /// Equal URLs have the same text.
    public func hash(into hasher: inout Hasher) { hasher.combine(absoluteString) }

    // MARK: Plain web addresses

    /// True for `http` or `https`, a host of letters, digits, dots and hyphens, a port of up to four digits or none, and a path and query of
    /// characters that need no escape. Foundation parses every such text, and gives the same text back (`LazyURLTests`).
    static func isPlain(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = begins(bytes, "https://") ? 8 : begins(bytes, "http://") ? 7 : bytes.count
            let host = rest
            while rest < bytes.count, ByteSet.host.contains(bytes[rest]) { rest += 1 }
            guard rest > host else { return false }
            if rest < bytes.count, bytes[rest] == UInt8(ascii: ":") {
                let port = rest + 1
                rest = port
                while rest < bytes.count, ByteSet.digits.contains(bytes[rest]) { rest += 1 }
                guard (1...4).contains(rest - port) else { return false }
            }
            guard rest < bytes.count else { return true }
            guard bytes[rest] == UInt8(ascii: "/") else { return false }
            while rest < bytes.count, ByteSet.path.contains(bytes[rest]) { rest += 1 }
            return rest == bytes.count
        }
    }

    private static func begins(_ bytes: UnsafeBufferPointer<UInt8>, _ start: StaticString) -> Bool {
        guard bytes.count >= start.utf8CodeUnitCount else { return false }
        for index in 0..<start.utf8CodeUnitCount where bytes[index] != start.utf8Start[index] { return false }
        return true
    }
}

/// A set of ASCII characters, a bit each.
private struct ByteSet {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ characters: String) {
        for byte in characters.utf8 {
            if byte < 64 { low |= 1 << byte } else if byte < 128 { high |= 1 << (byte - 64) }
        }
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let half = byte < 64 ? low : byte < 128 ? high : 0
        return half >> (byte & 63) & 1 == 1
    }

    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    static let digits = ByteSet("0123456789")
    static let host = ByteSet(letters + "0123456789.-")
    /// The characters that RFC 3986 allows in a path or a query without an escape.
    static let path = ByteSet(letters + "0123456789-._~/:@!$&'()*+,;=?")
}
