extension ResourceModel {
    /// Loads each time that a connection comes back, as long as this model exists. Another call replaces the monitor.
    ///
    /// A connection counts when it has stayed for `settle`. A link that comes and goes makes one load in `apart` at most.
    /// A model that has not appeared yet loads nothing.
    ///
    /// ```swift
    /// let notes = ResourceModel(resource)
    /// notes.follow(monitor)
    /// ```
    ///
    /// - Parameters:
    ///   - monitor: tells when the connection comes back.
    ///   - settle: the time for which a connection must stay before it counts.
    ///   - apart: the shortest time from one load to the next.
    ///   - clock: measures these times.
    public func follow(
        _ monitor: any ConnectionMonitor, settle: Duration = .seconds(1), apart: Duration = .seconds(10),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        let reconnections = Reconnections(monitor: monitor, settle: settle, apart: apart, clock: clock)
        reconnecting = Following(reconnections) { [weak self] in await self?.connectionRestored() }
    }
}
