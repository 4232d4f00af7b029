extension ConnectionMonitor {
    /// Does something each time that a connection comes back, one after another, until the task is cancelled or the monitor
    /// ends. For what is neither a ``ResourceModel`` nor an ``Outbox``, which follow a monitor by themselves.
    ///
    /// A connection counts when it has stayed for `settle`. A link that comes and goes is told once in `apart` at most.
    ///
    /// - Parameters:
    ///   - settle: the time for which a connection must stay before it counts.
    ///   - apart: the shortest time from the end of an action to the next one.
    ///   - clock: measures these times.
    ///   - action: what is done.
    public func eachReturn(
        settle: Duration = .seconds(1), apart: Duration = .seconds(10),
        clock: any Clock<Duration> = ContinuousClock(), _ action: @escaping @Sendable () async -> Void
    ) async {
        await Reconnections(monitor: self, settle: settle, apart: apart, clock: clock).each(action)
    }
}
