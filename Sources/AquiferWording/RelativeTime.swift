import AquiferFoundation

extension Language {
    /// The locale that dates and numbers are written in.
    public var locale: Locale { Locale(identifier: tag) }

    /// The time since a moment, in words: "5 minutes ago", "há 5 minutos".
    public func relative(_ date: Date, now: Date) -> String {
        let seconds = now.timeIntervalSince(date)
        if abs(seconds) < Self.slack { return text("time.now") }
        let (count, unit) = TimeUnit.count(abs(seconds))
        return seconds < 0
            ? text("time.future.\(unit.rawValue)", count: count) : text("time.past.\(unit.rawValue)", count: count)
    }

    /// True if a date lies so far in the future that a clock is, or was, wrong.
    func isAhead(_ date: Date, of now: Date) -> Bool { now.timeIntervalSince(date) <= -Self.slack }

    /// A difference of fewer seconds, either way, comes of the clocks and means nothing to the user.
    private static var slack: TimeInterval { 5 }
}

/// The units of ages, counted here and named by the catalogue. The system's formatter gives the same words, but is in full
/// Foundation, and opens calendars and tables at its first use: a quarter of the work of a short command.
private enum TimeUnit: String {
    case second, minute, hour, day, week, month, year

    /// The largest unit that fits, rounded as the system's formatter does. Months and years have their average length,
    /// where the system counts the calendar's months: near the limits of a month the two may differ by one.
    static func count(_ age: TimeInterval) -> (count: Int, unit: TimeUnit) {
        if age < 60 { return (Int(age), .second) }
        if age < 59.5 * 60 { return (Int((age / 60).rounded()), .minute) }
        if age < 23.5 * 3_600 { return (Int((age / 3_600).rounded()), .hour) }
        let days = age / 86_400
        if days < 6.5 { return (max(1, Int(days)), .day) }
        if days < 24.5 { return (Int((days / 7).rounded()), .week) }
        if days < 11.5 * daysPerMonth { return (max(1, Int((days / daysPerMonth).rounded())), .month) }
        // Seven months and more round up to the next year. An age beyond all calendars, or none at all, is very long ago.
        return (days < 9_999 * daysPerYear ? max(1, Int((days + 5 * daysPerMonth) / daysPerYear)) : 9_999, .year)
    }

    private static let daysPerYear = 365.2425
    private static let daysPerMonth = daysPerYear / 12
}
