import AquiferFoundation

extension Duration {
    /// Days of 86 400 seconds.
    public static func days(_ days: Int) -> Duration { .seconds(days * 86_400) }

    /// Hours of 3 600 seconds.
    public static func hours(_ hours: Int) -> Duration { .seconds(hours * 3_600) }

    /// Minutes of 60 seconds.
    public static func minutes(_ minutes: Int) -> Duration { .seconds(minutes * 60) }

    /// This duration in seconds.
    public var timeInterval: TimeInterval {
        let parts = components
        return TimeInterval(parts.seconds) + TimeInterval(parts.attoseconds) * 1e-18
    }
}
