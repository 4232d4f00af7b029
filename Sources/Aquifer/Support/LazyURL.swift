import AquiferFoundation

/// The text of an address, parsed when its ``url`` is asked for.
///
/// A long saved list has thousands of addresses, and a screen asks for a few. Foundation takes longer to parse one than everything else in
/// its item takes to read. A plain web address is judged from its bytes here, and parsed later; any other text is parsed at
/// once, so that a text that is no address is refused where it is read.
///
/// Two of them are equal when their texts are.
public struct LazyURL: Sendable, Hashable {
    /// The text, as `URL.absoluteString` has it.
    public let absoluteString: String
    /// `nil` for a plain web address.
    private let parsed: URL?

    /// An address that is parsed already.
    public init(_ url: URL) {
        absoluteString = url.absoluteString
        parsed = Self.isPlain(absoluteString) ? nil : url
    }

    /// The address of a text; `nil` if `URL(string:)` refuses the text.
    public init?(_ text: String) {
        if Self.isPlain(text) {
            (absoluteString, parsed) = (text, nil)
        } else {
            guard let url = URL(string: text) else { return nil }
            self.init(url)
        }
    }

    /// The address. It is parsed anew each time: keep it where it is needed often.
    public var url: URL {
        if let parsed { return parsed }
        guard let url = URL(string: absoluteString) else { preconditionFailure("a plain address is a URL") }
        return url
    }

    public static func == (one: LazyURL, other: LazyURL) -> Bool { one.absoluteString == other.absoluteString }

    public func hash(into hasher: inout Hasher) { hasher.combine(absoluteString) }

    // MARK: Plain web addresses

    /// True for `http` or `https`, a host of letters, digits, dots and hyphens, a port of up to four digits or none, and a path and query of
    /// characters that need no escape. Foundation parses every such text, and gives the same text back (`LazyURLTests`).
    static func isPlain(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard var rest = afterScheme(bytes) else { return false }
            let host = rest
            while rest < bytes.count, isHostByte(bytes[rest]) { rest += 1 }
            guard rest > host else { return false }
            if rest < bytes.count, bytes[rest] == UInt8(ascii: ":") {
                let port = rest + 1
                rest = port
                while rest < bytes.count, isDigit(bytes[rest]) { rest += 1 }
                guard (1...4).contains(rest - port) else { return false }
            }
            guard rest < bytes.count else { return true }
            return bytes[rest] == UInt8(ascii: "/") && bytes[rest...].allSatisfy(isPathByte)
        }
    }

    private static func afterScheme(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        for scheme in [StaticString("https://"), "http://"] {
            let count = scheme.utf8CodeUnitCount
            if bytes.count > count, (0..<count).allSatisfy({ bytes[$0] == scheme.utf8Start[$0] }) { return count }
        }
        return nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }

    /// What RFC 3986 allows in a path or a query without an escape, and few writers leave out: `-._~/:@!$&'()*+,;=?`
    private static func isPathByte(_ byte: UInt8) -> Bool {
        if isLetter(byte) || isDigit(byte) { return true }
        switch byte {
        case UInt8(ascii: "!"), 0x24, 0x26...0x2F, UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "="),
            UInt8(ascii: "?"),
            UInt8(ascii: "@"), UInt8(ascii: "_"), UInt8(ascii: "~"):
            return true
        default: return false
        }
    }
}
