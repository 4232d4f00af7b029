import Aquifer
import AquiferFoundation
import AquiferWording

/// The month in which a card ends. The card is good until that month is over everywhere on Earth: the last places are twelve hours behind UTC.
public struct Expiry: Sendable, Hashable {
    /// From 1 to 12.
    public let month: Int
    /// The year in full: 2029.
    public let year: Int

    /// The most calendar years ahead in which a card can expire.
    public static let mostYearsAhead = 19

    /// The expiry date in a valid month.
    ///
    /// - Precondition: `month` is from 1 to 12 and `year` from 2000 to 9999.
    public init(month: Int, year: Int) {
        precondition(Self.isMonth(month, year), "not a month: \(month) of \(year)")
        self.month = month
        self.year = year
    }

    /// Reads what people type: `01/29`, `1/29`, `0129`, `01-29`, `01/2029`.
    ///
    /// - Throws: ``ExpiryError``, also when the month is over at `now`, or its year is more than 19 after that of
    ///   `now`.
    public init(parsing text: String, now: Date) throws(ExpiryError) {
        let typed = text.filter { !$0.isWhitespace }
        if typed.isEmpty { throw .empty }
        guard let parts = Self.parts(typed), let month = Int(parts.month), let short = Int(parts.year) else {
            throw .malformed
        }
        guard (1...12).contains(month) else { throw .noSuchMonth }
        let current = Self.month(of: now)
        var year = short
        if parts.year.count == 2 {
            year += current.year / 100 * 100
            // At the end of a century `05` is five years ahead, not 95 ago.
            if year + 80 < current.year { year += 100 }
        }
        guard (year, month) >= (current.year, current.month) else { throw .expired }
        guard year <= current.year + Self.mostYearsAhead, Self.isMonth(month, year) else { throw .tooFarAhead }
        self.init(month: month, year: year)
    }

    /// The date as cards show it: `01/29`.
    public var text: String { "\(Self.twoDigits(month))/\(Self.twoDigits(year % 100))" }

    /// True if the month is over at `date`.
    public func isExpired(at date: Date) -> Bool {
        let current = Self.month(of: date)
        return (year, month) < (current.year, current.month)
    }

    private static func isMonth(_ month: Int, _ year: Int) -> Bool {
        (1...12).contains(month) && (2000...9999).contains(year)
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The month in the places whose clocks are the furthest behind, twelve hours behind UTC.
    private static func month(of date: Date) -> (year: Int, month: Int) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month], from: date.addingTimeInterval(-12 * 3600))
        return (parts.year ?? 0, parts.month ?? 0)
    }

    /// The digits of month and year; `nil` if the text does not have the form of a date.
    private static func parts(_ typed: String) -> (month: Substring, year: Substring)? {
        let digits = typed.split(separator: /[\/-]/, omittingEmptySubsequences: false)
        guard digits.allSatisfy({ part in part.allSatisfy { $0.isASCII && $0.isNumber } }) else { return nil }
        let parts: (month: Substring, year: Substring)
        switch digits.count {
        case 1: parts = (digits[0].prefix(2), digits[0].dropFirst(2))
        case 2: parts = (digits[0], digits[1])
        default: return nil
        }
        guard (1...2).contains(parts.month.count), [2, 4].contains(parts.year.count) else { return nil }
        return parts
    }
}

extension Expiry: Codable {
    private enum CodingKeys: CodingKey { case month, year }

    /// - Throws: `DecodingError` if the values are not a valid month.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let month = try values.decode(Int.self, forKey: .month)
        let year = try values.decode(Int.self, forKey: .year)
        guard Self.isMonth(month, year) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not a month: \(month) of \(year)"))
        }
        self.init(month: month, year: year)
    }
}

/// An error in an expiry date.
public enum ExpiryError: Error, Sendable, Hashable {
    /// Nothing was typed.
    case empty
    /// It is not a month and a year.
    case malformed
    /// There is no such month: `13/29`.
    case noSuchMonth
    /// The month is over.
    case expired
    /// The year is more than ``Expiry/mostYearsAhead`` years ahead: no card is valid for so long.
    case tooFarAhead

    /// The message for the user.
    public func message(in language: Language) -> String {
        switch self {
        case .empty: language.text("card.expiry.empty")
        case .malformed: language.text("card.expiry.malformed")
        case .noSuchMonth: language.text("card.expiry.noSuchMonth")
        case .expired: language.text("card.expiry.expired")
        case .tooFarAhead: language.text("card.expiry.tooFarAhead")
        }
    }
}
