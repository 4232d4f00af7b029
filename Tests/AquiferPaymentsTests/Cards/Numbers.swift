import Foundation

/// Card numbers for tests, built from a prefix.
enum Numbers {
    static let visa = "4111111111111111"
    static let testCard = "1111111111111111"

    /// A number of `length` digits that begins with `prefix` and passes Luhn's check. It is found by trying,
    /// independently of the code under test.
    static func valid(_ prefix: String, length: Int) -> String {
        let body = prefix + String(repeating: "0", count: length - prefix.count - 1)
        for digit in 0...9 where luhnSum(body + "\(digit)") % 10 == 0 { return body + "\(digit)" }
        return ""
    }

    static func luhnSum(_ digits: String) -> Int {
        var sum = 0
        for (place, digit) in digits.reversed().enumerated() {
            let value = Int(String(digit)) ?? 0
            sum += place % 2 == 0 ? value : (value * 2) / 10 + (value * 2) % 10
        }
        return sum
    }
}

/// A moment in UTC: `2026-11-21T12:00:00Z`.
func moment(_ text: String) throws -> Date { try Date.ISO8601FormatStyle().parse(text) }
