extension Outbox {
    /// Calls ``connectionRestored()`` each time that a connection comes back, as long as this outbox exists. Another call
    /// replaces the monitor.
    ///
    /// A connection counts when it has stayed for `settle`. A link that comes and goes prods the outbox once in `apart` at
    /// most. The waits are those of the ``SendPolicy``'s clock.
    ///
    /// ```swift
    /// outbox.follow(SystemConnectionMonitor())
    /// await outbox.run()
    /// ```
    public nonisolated func follow(
        _ monitor: any ConnectionMonitor, settle: Duration = .seconds(1), apart: Duration = .seconds(10)
    ) {
        let reconnections = Reconnections(monitor: monitor, settle: settle, apart: apart, clock: policy.clock)
        let new = Following(reconnections) { [weak self] in await self?.connectionRestored() }
        // The one before is released outside of the lock: what ends with it may take its time.
        let old = following.withLock { following in
            defer { following = new }
            return following
        }
        withExtendedLifetime(old) {}
    }
}
