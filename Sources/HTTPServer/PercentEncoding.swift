/// Percent-decoding (RFC 3986, 2.1).
enum PercentEncoding {
    /// The text with every `%XX` replaced by its byte; a `%` that no two hex digits follow stays as it is, and
    /// bytes that are no UTF-8 become U+FFFD.
    static func decode(_ text: some StringProtocol) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first?.hexValue,
                let low = rest.dropFirst().first?.hexValue
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The items of a query: `a=1&b`. A `+` is a space, as forms write it.
    static func decodeQuery(_ query: some StringProtocol) -> [(name: String, value: String)] {
        query.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decodeItem(parts[0]), parts.count > 1 ? decodeItem(parts[1]) : "")
        }
    }

    private static func decodeItem(_ text: some StringProtocol) -> String {
        decode(String(text.map { $0 == "+" ? " " : $0 }))
    }
}

extension UInt8 {
    fileprivate var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
