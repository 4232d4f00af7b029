import AquiferFoundation

/// The languages that the apps speak.
public enum Language: String, Sendable, Hashable, Codable, CaseIterable {
    /// English.
    case english = "en"
    /// Brazilian Portuguese.
    case brazilianPortuguese = "pt-BR"

    /// The language that suits a BCP 47 tag best: any Portuguese is Brazilian, everything else English.
    public init(tag: String) {
        self = tag.lowercased().hasPrefix("pt") ? .brazilianPortuguese : .english
    }

    /// The locale that dates and numbers are written in.
    public var locale: Locale { Locale(identifier: rawValue) }

    /// One of two texts.
    public func pick(_ english: String, _ portuguese: String) -> String {
        self == .english ? english : portuguese
    }

    /// The time since a moment, in words: "5 minutes ago", "há 5 minutos".
    public func relative(_ date: Date, now: Date) -> String {
        // A difference of a few seconds either way comes of the clocks and means nothing to the user.
        if abs(now.timeIntervalSince(date)) < 5 { return pick("just now", "agora mesmo") }
        if let count = TimeUnit.count(now.timeIntervalSince(date)) { return words(count) }
        return date.relative(now: now, locale)
    }

    private func words(_ count: (amount: Int, unit: TimeUnit, isPast: Bool)) -> String {
        let names = count.unit.names(in: self)
        let time = "\(count.amount) \(count.amount == 1 ? names.one : names.many)"
        return count.isPast ? pick("\(time) ago", "há \(time)") : pick("in \(time)", "em \(time)")
    }
}

/// The units of the ages of saved copies, counted and named here. The system's formatter gives the same words, but
/// opens calendars and tables at its first use: a quarter of the work of a short command.
private enum TimeUnit {
    case second, minute, hour, day

    /// The largest unit that fits, rounded as the system's formatter does; `nil` from six and a half days on.
    static func count(_ seconds: TimeInterval) -> (amount: Int, unit: TimeUnit, isPast: Bool)? {
        let (age, isPast) = (abs(seconds), seconds >= 0)
        guard age < 6.5 * 86_400 else { return nil }
        if age < 60 { return (Int(age), .second, isPast) }
        if age < 59.5 * 60 { return (Int((age / 60).rounded()), .minute, isPast) }
        if age < 23.5 * 3_600 { return (Int((age / 3_600).rounded()), .hour, isPast) }
        return (max(1, Int(age / 86_400)), .day, isPast)
    }

    func names(in language: Language) -> (one: String, many: String) {
        switch (self, language) {
        case (.second, .english): ("second", "seconds")
        case (.minute, .english): ("minute", "minutes")
        case (.hour, .english): ("hour", "hours")
        case (.day, .english): ("day", "days")
        case (.second, .brazilianPortuguese): ("segundo", "segundos")
        case (.minute, .brazilianPortuguese): ("minuto", "minutos")
        case (.hour, .brazilianPortuguese): ("hora", "horas")
        case (.day, .brazilianPortuguese): ("dia", "dias")
        }
    }
}
