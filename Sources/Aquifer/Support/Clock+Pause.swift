/// Waiting as long as a policy says.
extension Clock where Duration == Swift.Duration {
    /// Waits for a time, which may be the longest that there is. No clock counts for much longer than a life: its sums would overflow.
    ///
    /// - Throws: `CancellationError`.
    package func pause(for time: Duration) async throws {
        try await sleep(for: min(time, .days(36_500)))
    }
}
