/// A clock that stands still until told: what tests inject where the product waits.
///
/// ```swift
/// let clock = ManualClock()
/// let retrying = Task { try await load(clock: clock) }
/// await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(2))
/// ```
public final class ManualClock: Clock {
    /// A moment: how much the clock has been advanced until then.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public var offset: Duration

        /// A moment this long after the clock was made.
        public init(offset: Duration = .zero) { self.offset = offset }

        /// The moment `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// The time from this moment to `other`.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// True if one moment is before the other.
        public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct State {
        var now = Instant()
        var sleepers: [Int: Instant] = [:]
        var lastID = 0
    }

    private let state = Watched(State())

    /// A clock at its beginning.
    public init() {}

    /// The moment it is told to be.
    public var now: Instant { state.update { $0.now } }
    /// There is no smallest step.
    public var minimumResolution: Duration { .zero }

    /// For how long each sleeper still has to sleep, the next to wake first.
    public var sleepers: [Duration] {
        state.update { state in state.sleepers.values.sorted().map { state.now.duration(to: $0) } }
    }

    /// Moves the time on and wakes everyone whose time has come.
    public func advance(by duration: Duration) {
        state.update { state in
            let now = state.now.advanced(by: duration)
            state.now = now
            // At once: who has not come to wait yet must not be taken for one who sleeps on.
            state.sleepers = state.sleepers.filter { $0.value > now }
        }
    }

    /// Sleeps until the clock has been advanced to `deadline`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let id = state.update { state in
            state.lastID += 1
            if deadline > state.now { state.sleepers[state.lastID] = deadline }
            return state.lastID
        }
        let awake: Bool? = await state.first { $0.now >= deadline ? true : nil }
        if awake == nil {
            state.update { $0.sleepers[id] = nil }
            throw CancellationError()
        }
    }

    /// Returns once at least `count` tasks sleep on this clock, or the task is cancelled.
    public func waitForSleepers(_ count: Int = 1) async {
        _ = await state.first { $0.sleepers.count >= count ? true : nil }
    }
}
