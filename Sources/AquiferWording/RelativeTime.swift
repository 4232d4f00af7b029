import Foundation

extension Language {
    /// The locale that dates and numbers are written in.
    public var locale: Locale { Locale(identifier: tag) }

    /// The time since a moment, in words: "5 minutes ago", "há 5 minutos".
    public func relative(_ date: Date, now: Date) -> String {
        let seconds = now.timeIntervalSince(date)
        // A difference of a few seconds either way comes of the clocks and means nothing to the user.
        if abs(seconds) < 5 { return text("time.now") }
        if let (count, unit) = TimeUnit.count(abs(seconds)) {
            return seconds >= 0
                ? text("time.past.\(unit.rawValue)", count: count) : text("time.future.\(unit.rawValue)", count: count)
        }
        return Date.AnchoredRelativeFormatStyle(anchor: date, locale: locale).format(now)
    }
}

/// The units of the ages of saved copies, counted here and named by the catalogue. The system's formatter gives the same
/// words, but opens calendars and tables at its first use: a quarter of the work of a short command.
private enum TimeUnit: String {
    case second, minute, hour, day

    /// The largest unit that fits, rounded as the system's formatter does; `nil` from six and a half days on.
    static func count(_ age: TimeInterval) -> (count: Int, unit: TimeUnit)? {
        guard age < 6.5 * 86_400 else { return nil }
        if age < 60 { return (Int(age), .second) }
        if age < 59.5 * 60 { return (Int((age / 60).rounded()), .minute) }
        if age < 23.5 * 3_600 { return (Int((age / 3_600).rounded()), .hour) }
        return (max(1, Int(age / 86_400)), .day)
    }
}
