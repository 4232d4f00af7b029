/// The clock of a ``Simulation``: it jumps to the next sleeper when nothing else is left to do, so that a day takes no
/// time.
public struct SimulatedClock: Clock {
    /// A moment: the time since the simulation began.
    public struct Instant: InstantProtocol {
        /// The time since the beginning.
        public var offset: Duration

        /// A moment this long after the beginning.
        public init(offset: Duration = .zero) { self.offset = offset }

        /// The moment `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// The time from this moment to `other`.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// True if one moment is before the other.
        public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    /// The clock of the running simulation.
    public init() {}

    /// The present moment.
    public var now: Instant { Instant(offset: .nanoseconds(Scheduler.shared.now)) }
    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Sleeps until `deadline`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let wait = SimulatedWait<Void>("sleeps until \(Trace.moment(deadline.offset.nanoseconds))")
        let alarm = Scheduler.shared.ring(after: now.duration(to: deadline)) { wait.finish(()) }
        wait.afterwards { alarm.takeBack() }
        guard await wait.value() != nil else { throw CancellationError() }
    }
}
