import AquiferFoundation

/// Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7). No formatter is used, because those
/// follow locales.
package enum HTTPDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The last second of the year 9999, since 1970.
    private static let last = 253_402_300_799

    /// The date in whole seconds. HTTP has years of four digits: a date beyond them is the nearest that it can write.
    package static func format(_ date: Date) -> String {
        let time = date.timeIntervalSince1970.rounded(.down)
        let seconds = time.isNaN ? 0 : Int(min(max(time, -62_135_596_800), Double(last)))
        let days = seconds.flooredDivision(by: 86400)
        let ofDay = seconds - days * 86400
        let civil = CivilDay(daysSince1970: days)
        let weekday = weekdays[days - days.flooredDivision(by: 7) * 7]
        return "\(weekday), \(padded(civil.day, 2)) \(months[civil.month - 1]) \(padded(civil.year, 4)) "
            + "\(padded(ofDay / 3600, 2)):\(padded(ofDay / 60 % 60, 2)):\(padded(ofDay % 60, 2)) GMT"
    }

    /// The date; `nil` when the text is in none of the three forms of HTTP (RFC 9110, 5.6.7), or names a day or time that does
    /// not exist. Years have at most four digits.
    ///
    /// A year of two digits, which nobody should send, is in 1970 to 2069.
    package static func parse(_ text: String) -> Date? {
        let parts = text.split(separator: " ")
        switch parts.count {
        case 6 where parts[0].hasSuffix(",") && parts[5] == "GMT":
            guard let year: Int = parts[3].count() else { return nil }
            return date(parts[1], parts[2], year, parts[4])
        case 4 where parts[0].hasSuffix(",") && parts[3] == "GMT":  // Sunday, 06-Nov-94 08:49:37 GMT
            let day = parts[1].split(separator: "-", omittingEmptySubsequences: false)
            guard day.count == 3, day[2].count == 2, let short: Int = day[2].count() else { return nil }
            return date(day[0], day[1], short + (short < 70 ? 2000 : 1900), parts[2])
        case 5:  // Sun Nov  6 08:49:37 1994
            guard let year: Int = parts[4].count() else { return nil }
            return date(parts[2], parts[1], year, parts[3])
        default: return nil
        }
    }

    private static func date(_ day: Substring, _ month: Substring, _ year: Int, _ clock: Substring) -> Date? {
        guard let day: Int = day.count(), let month = months.firstIndex(of: String(month)),
            (1...9999).contains(year), let civil = CivilDay(year, month + 1, day)
        else { return nil }
        let time = clock.split(separator: ":").compactMap { $0.count(as: Int.self) }
        guard time.count == 3, time[0] < 24, time[1] < 60, time[2] <= 60 else { return nil }
        let seconds = civil.daysSince1970 * 86400 + time[0] * 3600 + time[1] * 60 + time[2]
        // The leap second of the last day leads out of the years that can be written.
        return Date(timeIntervalSince1970: Double(min(seconds, last)))
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

/// A day of the Gregorian calendar, which is extended to all years.
package struct CivilDay: Sendable, Hashable {
    package let year: Int
    /// The month, from 1.
    package let month: Int
    /// The day of the month, from 1.
    package let day: Int

    /// The day; `nil` if there is none of this number.
    package init?(_ year: Int, _ month: Int, _ day: Int) {
        guard (1...12).contains(month), day >= 1, day <= Self.length(ofMonth: month, year) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The day this long after the first one of 1970, or before it.
    package init(daysSince1970 days: Int) {
        // Years that begin in March, in eras of 400 (Hinnant, "chrono-compatible low-level date algorithms").
        let shifted = days + 719468
        let era = shifted.flooredDivision(by: 146097)
        let dayOfEra = shifted - era * 146097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The days from the first one of 1970 to this one.
    package var daysSince1970: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.flooredDivision(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468
    }

    private static func length(ofMonth month: Int, _ year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }
}

extension Int {
    fileprivate func flooredDivision(by divisor: Int) -> Int {
        let quotient = self / divisor
        return self < 0 && quotient * divisor != self ? quotient - 1 : quotient
    }
}
