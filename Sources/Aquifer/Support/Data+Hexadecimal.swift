import AquiferFoundation
import AquiferHTTP

extension Data {
    /// The bytes as lower-case hexadecimal digits, two for each byte.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
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
