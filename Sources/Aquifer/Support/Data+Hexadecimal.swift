import AquiferFoundation
import AquiferHTTP

extension Data {
    /// The bytes as lower-case hexadecimal digits, two for each byte.
    package var hexadecimal: String {
        func digit(_ number: UInt8) -> UInt8 {
            number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") + number - 10
        }
        return String(unsafeUninitializedCapacity: 2 * count) { text in
            for (place, byte) in enumerated() {
                text[2 * place] = digit(byte >> 4)
                text[2 * place + 1] = digit(byte & 15)
            }
            return 2 * count
        }
    }

    /// The bytes of hexadecimal digits, two for each byte; `nil` if the text has anything else.
    package init?(hexadecimal text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes = Data(capacity: digits.count / 2)
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[place].hexValue, let low = digits[place + 1].hexValue else { return nil }
            bytes.append(high << 4 | low)
        }
        self = bytes
    }
}

extension UInt64 {
    /// The number as 16 lower-case hexadecimal digits.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
