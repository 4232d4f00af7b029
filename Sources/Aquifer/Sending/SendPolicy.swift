import Foundation

/// How an ``Outbox`` sends: how many at once, when again, and by which clocks.
///
/// After a try in vain an item waits. The longest wait doubles with each try from `base` up to `cap`; half of it is
/// always waited, the other half times a random number in 0 … 1, so that clients that failed together do not return
/// together. A `Retry-After` of the server is the least that is waited, up to `patience`. There is no last try.
public struct SendPolicy: Sendable {
    /// How many items are sent at the same time.
    public var width: Int
    /// The longest wait after the first try.
    public var base: Duration
    /// The longest wait that the doubling comes to.
    public var cap: Duration
    /// The longest `Retry-After` that is honoured.
    public var patience: Duration
    /// How long an item whose sender was killed waits for another one to take it over. Senders that live renew their
    /// claim three times as often.
    public var lease: Duration
    /// How often ``Outbox/run()`` looks for what other processes have queued.
    public var poll: Duration
    /// Where waiting happens.
    public var clock: any Clock<Duration>
    /// A number in 0 … 1, anew for each wait.
    public var random: @Sendable () -> Double
    /// The time of day. It may jump: an item is then tried early, or waits for no longer than it would have anew.
    public var now: @Sendable () -> Date
    /// Makes an idempotency key: never the same twice, of printable ASCII.
    public var makeKey: @Sendable () -> String

    /// A policy. With the defaults: four at once, waits of up to 1 s, 2 s, 4 s … 5 minutes.
    public init(
        width: Int = 4, base: Duration = .seconds(1), cap: Duration = .minutes(5), patience: Duration = .hours(24),
        lease: Duration = .seconds(30), poll: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        now: @escaping @Sendable () -> Date = { Date() },
        makeKey: @escaping @Sendable () -> String = { UUID().uuidString }
    ) {
        self.width = max(1, width)
        self.base = base
        self.cap = cap
        self.patience = patience
        self.lease = lease
        self.poll = poll
        self.clock = clock
        self.random = random
        self.now = now
        self.makeKey = makeKey
    }

    /// The wait after this many tries in vain.
    func wait(after attempts: Int, retryAfter: Duration? = nil) -> Duration {
        // 2^20 times any base is past every cap; the bound keeps the shift from overflowing.
        let longest = min(cap, base * (1 << min(max(attempts - 1, 0), 20)))
        let backoff = longest / 2 + longest / 2 * min(max(random(), 0), 1)
        return max(backoff, min(retryAfter ?? .zero, patience))
    }
}

/// A time that is waited from a moment of the wall clock, which may jump in either direction meanwhile.
struct Span: Sendable, Hashable, Codable {
    var since: Date
    var seconds: TimeInterval

    init(since: Date, _ duration: Duration) {
        self.since = since
        seconds = duration.timeInterval
    }

    /// How much of it is left.
    ///
    /// The distance to `since` counts in both directions: after a jump back beyond the span nothing is left of it, and
    /// no jump makes it longer than twice what it was.
    func left(_ now: Date) -> TimeInterval? {
        let left = seconds - abs(now.timeIntervalSince(since))
        return left > 0 ? left : nil
    }
}
