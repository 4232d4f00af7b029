import Aquifer
import AquiferWording

extension Money {
    /// Reads an amount as people type it, with Brazilian or English separators: `79,90`, `79.90`, `R$ 1.234,50`,
    /// `1,234.50`, `1234`.
    ///
    /// A single separator before three digits, as in `1.234` or `1,234`, is refused: a user who meant one real and some
    /// decimals would pay a thousand times the amount. With both separators, or the same one twice, the meaning is
    /// clear.
    ///
    /// - Throws: ``MoneyError``, also for zero and negative amounts, and for amounts above ``limit``.
    public init(parsing text: String) throws(MoneyError) {
        var typed = Substring(text.trimmed)
        if typed.isEmpty { throw .empty }
        var isNegative = false
        if let sign = typed.first, sign == "-" || sign == "\u{2212}" {
            isNegative = true
            typed = Substring(typed.dropFirst().trimmed)
        }
        if typed.prefix(2).lowercased() == "r$" { typed = Substring(typed.dropFirst(2).trimmed) }
        if !isNegative, let sign = typed.first, sign == "-" || sign == "\u{2212}" {
            isNegative = true
            typed = Substring(typed.dropFirst().trimmed)
        }
        let (units, rest) = try Self.split(typed)
        if isNegative { throw .notPositive }
        let digits = (units + rest + String(repeating: "0", count: 2 - rest.count)).drop { $0 == "0" }
        if digits.isEmpty { throw .notPositive }
        // Too long for an `Int` is too much, too.
        guard let cents = Int(digits), cents <= Self.limit.cents else { throw .overLimit }
        self.init(cents: cents)
    }

    /// The digits before and after the decimal separator.
    private static func split(_ typed: Substring) throws(MoneyError) -> (units: String, rest: String) {
        let separators = typed.filter { !$0.isDigit }
        guard separators.allSatisfy({ $0 == "." || $0 == "," }), typed.first?.isDigit == true,
            typed.last?.isDigit == true
        else { throw .malformed }
        guard let last = separators.last else { return (String(typed), "") }

        let isDecimal = !separators.dropLast().contains(last)
        let parts = typed.split(separator: last, omittingEmptySubsequences: false)
        guard isDecimal, let rest = parts.last else { return (try ungroup(typed, by: last), "") }
        let units = separators.count == 1 ? String(parts[0]) : try ungroup(parts[0], by: separators.first ?? last)
        guard rest.count <= 2 else { throw .tooManyDecimals }
        return (units, String(rest))
    }

    /// The digits of `1.234.567`, if its groups are of three.
    private static func ungroup(_ units: Substring, by separator: Character) throws(MoneyError) -> String {
        let groups = units.split(separator: separator, omittingEmptySubsequences: false)
        guard groups.allSatisfy({ $0.allSatisfy(\.isDigit) }), let first = groups.first,
            (1...3).contains(first.count), groups.dropFirst().allSatisfy({ $0.count == 3 })
        else { throw .malformed }
        return groups.joined()
    }
}

extension Character {
    fileprivate var isDigit: Bool { isASCII && isNumber }
}

/// An error in an amount.
public enum MoneyError: Error, Sendable, Hashable {
    /// Nothing was typed.
    case empty
    /// It is not an amount.
    case malformed
    /// It is zero or negative.
    case notPositive
    /// It has more than two decimals, or may have: `1.234`.
    case tooManyDecimals
    /// It is more than ``Money/limit``.
    case overLimit

    /// The message for the user.
    public func message(in language: Language) -> String {
        switch self {
        case .empty: language.text("amount.empty")
        case .malformed: language.text("amount.malformed")
        case .notPositive: language.text("amount.notPositive")
        case .tooManyDecimals: language.text("amount.tooManyDecimals")
        case .overLimit: language.text("amount.overLimit", ["limit": Money.limit.text])
        }
    }
}
