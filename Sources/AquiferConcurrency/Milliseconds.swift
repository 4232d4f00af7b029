extension ContinuousClock.Instant {
    /// The milliseconds until this moment, as `poll` takes them: 0 if it has passed, an hour at most.
    package var milliseconds: Int32 {
        let (seconds, attoseconds) = min(max(self - .now, .zero), .seconds(3_600)).components
        // Rounded up: a moment too early is a turn for nothing.
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
