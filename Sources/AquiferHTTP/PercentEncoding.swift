/// Percent-encoding (RFC 3986, 2.1).
package enum PercentEncoding {
    /// The text with every byte but those that `isKept` names as `%XX`.
    package static func encode(
        _ text: String, uppercase: Bool = true, keeping isKept: (UInt8) -> Bool = isUnreserved
    ) -> String {
        let digits = Array((uppercase ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isKept(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// True for the bytes that mean the same everywhere in a URL: ASCII letters, digits and `-._~` (RFC 3986, 2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// The text with every `%XX` replaced by its byte. A `%` without two hexadecimal digits stays as it is, and bytes
    /// that are not UTF-8 become U+FFFD.
    package static func decode(_ text: some StringProtocol) -> String {
        decode(String(text))
    }

    /// Decodes a whole text, which most often has nothing to decode.
    package static func decode(_ text: String) -> String {
        text.utf8.contains(UInt8(ascii: "%")) ? decode(Array(text.utf8)[...]) : text
    }

    private static func decode(_ text: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
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

    /// The text with every `%XX` replaced by its byte; `nil` if a `%` has no two hexadecimal digits, or the bytes are not
    /// UTF-8.
    package static func decodeStrictly(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The items of a query: `a=1&b`. A `+` is a space, as forms write it.
    package static func decodeQuery(_ query: some StringProtocol) -> [(name: String, value: String)] {
        // Bytes, not characters: an `=` that a combining mark follows is an `=`.
        Array(query.utf8).split(separator: UInt8(ascii: "&")).map { item in
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (decodeItem(parts[0]), parts.count > 1 ? decodeItem(parts[1]) : "")
        }
    }

    private static func decodeItem(_ text: ArraySlice<UInt8>) -> String {
        decode(text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }[...])
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit in ASCII; `nil` for any other byte.
    package var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
