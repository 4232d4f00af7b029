import Foundation

extension Date {
    /// The time since this moment in words, as the system writes it: "2 weeks ago".
    func relative(now: Date, _ locale: Locale) -> String {
        Date.AnchoredRelativeFormatStyle(anchor: self, locale: locale).format(now)
    }
}
