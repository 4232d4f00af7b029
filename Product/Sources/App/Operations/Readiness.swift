import Aquifer
import AquiferConcurrency

/// Tells whether this process can serve: whether it is draining, and whether its stores answer within a bounded time.
///
/// Anybody may ask, as often as they like. So one look at the stores serves all who ask within a second, and no look waits for one that
/// hangs.
actor Readiness {
    /// The answer to `/readyz`.
    enum Answer: String, Sendable {
        case ready
        /// The process is about to end.
        case draining
        /// A store is out of reach.
        case store
    }

    /// The longest that a look at the stores may take.
    static let patience = Duration.seconds(2)
    /// The time for which the result of a look is told.
    static let keep = Duration.seconds(1)

    private let drain: Drain
    private let changed: @Sendable (Answer) -> Void
    private let look: @Sendable () async -> Bool
    private var last: (isGood: Bool, at: ContinuousClock.Instant)?
    private var current: (task: Task<Bool, Never>, since: ContinuousClock.Instant)?
    private var told = Answer.ready

    /// - Parameters:
    ///   - changed: called with each answer that differs from the one before, the first time from ``Answer/ready``.
    ///   - look: asks the stores; true if all of them have answered.
    init(
        _ drain: Drain, changed: @escaping @Sendable (Answer) -> Void = { _ in },
        look: @escaping @Sendable () async -> Bool
    ) {
        (self.drain, self.changed, self.look) = (drain, changed, look)
    }

    /// The answer now.
    func answer() async -> Answer {
        let answer: Answer = drain.isAnnounced ? .draining : await areStoresGood() ? .ready : .store
        if answer != told {
            told = answer
            changed(answer)
        }
        return answer
    }

    private func areStoresGood() async -> Bool {
        let now = ContinuousClock.now
        if let last, now - last.at < Self.keep { return last.isGood }
        if current == nil { current = (Task { [look] in await look() }, now) }
        guard let current, now - current.since < Self.patience else { return false }
        let result = await firstWithin(Self.patience - (now - current.since)) { await current.task.value }
        // A look that hangs stays the current one, so that not every question begins another.
        if let result, self.current?.since == current.since {
            last = (result, .now)
            self.current = nil
        } else if result == nil {
            endedLate(current.task, since: current.since)
        }
        return result ?? false
    }

    /// Lets the next question look again, once a look that took too long has ended.
    private func endedLate(_ task: Task<Bool, Never>, since: ContinuousClock.Instant) {
        Task {
            _ = await task.value
            if current?.since == since { current = nil }
        }
    }
}

/// The result of `work`, or `nil` if it takes longer. Work that takes longer goes on, and nobody waits for it.
func firstWithin<Value: Sendable>(
    _ limit: Duration, clock: any Clock<Duration> = ContinuousClock(), _ work: @escaping @Sendable () async -> Value
) async -> Value? {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
    let running = Task { continuation.yield(await work()) }
    let timer = Task {
        // Sleeping throws only when the result was there first.
        try? await clock.sleep(for: limit)
        continuation.finish()
    }
    defer {
        timer.cancel()
        running.cancel()
    }
    for await value in stream { return value }
    return nil
}
