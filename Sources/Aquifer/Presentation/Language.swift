import Foundation

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

    /// How long ago a moment was, in words: "5 minutes ago", "há 5 minutos".
    public func relative(_ date: Date, now: Date) -> String {
        // A second or two either way is the clocks' business, not the customer's.
        if abs(now.timeIntervalSince(date)) < 5 { return pick("just now", "agora mesmo") }
        return Date.AnchoredRelativeFormatStyle(anchor: date, locale: locale).format(now)
    }
}
