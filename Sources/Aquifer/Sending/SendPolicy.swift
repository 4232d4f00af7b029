import AquiferFoundation

/// The policy of an ``Outbox``: the number of items sent at once, the waits before further attempts, and the clocks.
///
/// An item waits after a failed attempt. The longest wait doubles with each attempt from `base` up to `cap`. The actual
/// wait is half of it, plus the other half times a random number in 0 … 1, so that clients that failed together do not
/// return together. A `Retry-After` of the server, up to `patience`, is the minimum wait. The number of attempts is not
/// limited.
public struct SendPolicy: Sendable {
    /// The number of items that are sent at the same time.
    public var width: Int
    /// The longest wait after the first attempt.
    public var base: Duration
    /// The limit of the doubled waits.
    public var cap: Duration
    /// The longest `Retry-After` that is honoured.
    public var patience: Duration
    /// The time after which another sender takes over an item whose sender was killed. A live sender renews its claim
    /// three times in this time.
    ///
    /// Machines whose clocks differ by more than this time take over each other's items, unless their store knows who lives
    /// (``CacheStore/presence``).
    public var lease: Duration
    /// The pause after which ``Outbox/run()`` looks for items that other processes have queued.
    public var poll: Duration
    /// The clock for the waits.
    public var clock: any Clock<Duration>
    /// A random number in 0 … 1, drawn for each wait.
    public var random: @Sendable () -> Double
    /// The time of day. It may jump: an item is then tried early, or waits at most for its full wait again.
    public var now: @Sendable () -> Date
    /// Makes a unique idempotency key of printable ASCII.
    public var makeKey: @Sendable () -> String

    /// Creates a policy. The defaults are four items at once and waits of up to 1 s, 2 s, 4 s … 5 minutes.
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

    /// The wait after this number of failed attempts.
    func wait(after attempts: Int, retryAfter: Duration? = nil) -> Duration {
        // 2^20 times any base is past every cap; the bound keeps the shift from overflowing. So does the division with the product.
        let factor = 1 << min(max(attempts - 1, 0), 20)
        let longest = base > cap / factor ? cap : base * factor
        let backoff = longest / 2 + longest / 2 * min(max(random(), 0), 1)
        return max(backoff, min(retryAfter ?? .zero, patience))
    }
}

/// A wait from a moment of the wall clock, which may jump in either direction meanwhile.
struct Span: Sendable, Hashable, Codable {
    var since: Date
    var seconds: TimeInterval

    init(since: Date, _ duration: Duration) {
        self.since = since
        seconds = duration.timeInterval
    }

    /// The seconds that are left; `nil` if there are none.
    ///
    /// The distance to `since` counts in both directions: after a jump back beyond the span no time is left, and no
    /// jump more than doubles the wait.
    func left(_ now: Date) -> TimeInterval? {
        let left = seconds - abs(now.timeIntervalSince(since))
        return left > 0 ? left : nil
    }
}
