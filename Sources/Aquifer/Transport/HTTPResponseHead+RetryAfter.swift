import Foundation

extension HTTPResponseHead {
    /// How long `Retry-After` asks to wait: seconds, or a date (RFC 9110, 10.2.3).
    func retryAfter(_ now: Date) -> Duration? {
        guard let field = headers["Retry-After"] else { return nil }
        if let seconds = Int(field) { return .seconds(max(0, seconds)) }
        guard let date = HTTPDate.parse(field) else { return nil }
        return .seconds(max(0, date.timeIntervalSince(now)))
    }
}
