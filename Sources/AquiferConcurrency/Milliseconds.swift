extension ContinuousClock.Instant {
    /// The milliseconds until this moment, as `poll` takes them: 0 if it has passed, an hour at most.
    package var milliseconds: Int32 {
        let (seconds, attoseconds) = (self - .now).components
        // Rounded up: a moment too early is a turn for nothing.
        let milliseconds = seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(min(max(milliseconds, 0), 3_600_000))
    }
}
