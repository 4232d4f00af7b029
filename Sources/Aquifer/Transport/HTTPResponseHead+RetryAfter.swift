import AquiferFoundation

extension HTTPResponseHead {
    /// The wait that `Retry-After` asks for, in seconds or by a date (RFC 9110, 10.2.3). A number of seconds that is
    /// too large becomes the largest number.
    func retryAfter(_ now: Date) -> Duration? {
        guard let field = headers["Retry-After"] else { return nil }
        if let seconds: Int64 = field.count() { return .seconds(seconds) }
        guard let date = HTTPDate.parse(field) else { return nil }
        // A wrong clock must not lead to a number that overflows a `Duration`.
        return .seconds(min(max(0, date.timeIntervalSince(now)), Double(Int32.max)))
    }
}
