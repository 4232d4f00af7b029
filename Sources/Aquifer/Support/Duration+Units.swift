import AquiferFoundation

extension Duration {
    /// Days of 86 400 seconds. A number too large gives the longest duration of whole seconds, and one too small the shortest.
    public static func days(_ days: Int) -> Duration { .seconds(days.saturatingMultiplied(by: 86_400)) }

    /// Hours of 3 600 seconds, as ``days(_:)``.
    public static func hours(_ hours: Int) -> Duration { .seconds(hours.saturatingMultiplied(by: 3_600)) }

    /// Minutes of 60 seconds, as ``days(_:)``.
    public static func minutes(_ minutes: Int) -> Duration { .seconds(minutes.saturatingMultiplied(by: 60)) }

    /// The whole milliseconds of this duration, without the fraction, and the nearest end of a range that it is not in.
    package func milliseconds<Number: FixedWidthInteger>(in range: ClosedRange<Number>) -> Number {
        let (seconds, attoseconds) = components
        let (thousands, isTooLarge) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isTooMuch) = thousands.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        let all = isTooLarge || isTooMuch ? (seconds < 0 ? .min : .max) : sum
        return min(max(Number(clamping: all), range.lowerBound), range.upperBound)
    }

    /// This duration in seconds.
    public var timeInterval: TimeInterval {
        let parts = components
        return TimeInterval(parts.seconds) + TimeInterval(parts.attoseconds) * 1e-18
    }
}

extension Clock where Duration == Swift.Duration {
    /// True for a time that begins now.
    package func within(_ span: Duration) -> @Sendable () -> Bool {
        let end = now.advanced(by: span)
        return { now < end }
    }
}
