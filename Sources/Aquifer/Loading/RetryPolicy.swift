import AquiferFoundation

/// The policy for retrying a read: the number of attempts and the waits between them.
///
/// Waits double from `base` up to `cap`, each multiplied by a random number in 0 … 1 (full jitter), so that clients
/// that failed together do not return together. A `Retry-After` of the server is the minimum wait; one longer than
/// `patience` ends the attempts.
///
/// These are retried, and nothing else is:
///
/// - a server whose name was not found, or to which no connection could be made
///   (``TransportError/Kind/cannotResolve``, ``TransportError/Kind/cannotConnect``);
/// - a connection that broke, and an answer that did not come in time (``TransportError/Kind/interrupted``,
///   ``TransportError/Kind/timedOut``);
/// - the statuses 408, 429 and 500 to 599.
///
/// So a client that is offline, a certificate that is not accepted, missing credentials, an answer with another status, and one
/// that breaks the contract or a limit end the attempts at once.
public struct RetryPolicy: Sendable {
    /// The maximum number of attempts; 1 means that a request is never retried.
    public var attempts: Int
    /// The longest first wait.
    public var base: Duration
    /// The longest wait of all.
    public var cap: Duration
    /// The longest `Retry-After` that is accepted.
    public var patience: Duration
    /// The clock for the waits.
    public var clock: any Clock<Duration>
    /// A random number in 0 … 1, drawn for each wait.
    public var random: @Sendable () -> Double
    /// The time of day, for a `Retry-After` that names a date.
    public var now: @Sendable () -> Date

    /// A policy. With the defaults: three tries, waits of up to 0.3 s and 0.6 s.
    public init(
        attempts: Int = 3, base: Duration = .milliseconds(300), cap: Duration = .seconds(5),
        patience: Duration = .seconds(10), clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.attempts = max(1, attempts)
        self.base = base
        self.cap = cap
        self.patience = patience
        self.clock = clock
        self.random = random
        self.now = now
    }

    /// The policy that sends a request once and never retries it.
    public static let never = RetryPolicy(attempts: 1)

    /// The wait before the next attempt; `nil` when there is none. `attempt` counts from 1.
    /// `waits` counts those before, if they are more.
    func wait(after attempt: Int, failure: TransportError, waits: Int = 0) -> Duration? {
        switch failure.kind {
        case .cannotResolve, .cannotConnect, .timedOut, .interrupted: backoff(after: attempt, waits)
        case .cancelled, .offline, .insecure, .malformed, .tooManyRedirects, .headersTooLarge, .bodyTooLarge,
            .unsupportedURL, .unreadableBody, .unauthorized:
            nil
        }
    }

    /// The wait before the next attempt; `nil` when there is none. `attempt` counts from 1.
    /// `waits` counts those before, if they are more.
    func wait(after attempt: Int, head: HTTPResponseHead, waits: Int = 0) -> Duration? {
        guard head.status == 408 || head.status == 429 || HTTPStatus.isServerError(head.status) else { return nil }
        guard let wait = backoff(after: attempt, waits) else { return nil }
        guard let asked = head.retryAfter(now())?.wait else { return wait }
        return asked > patience ? nil : max(asked, wait)
    }

    private func backoff(after attempt: Int, _ waits: Int) -> Duration? {
        guard attempt < attempts else { return nil }
        // 2^20 times any base is past every cap; the bound keeps the shift from overflowing. So does the division with the product.
        let factor = 1 << min(max(attempt - 1, waits), 20)
        let longest = base > cap / factor ? cap : base * factor
        return longest * min(max(random(), 0), 1)
    }
}

extension HTTPResponseHead {
    /// The wait that `Retry-After` asks for, in seconds or by a date (RFC 9110, 10.2.3). A number of seconds that is
    /// too large becomes the largest number. A date counts from the answer's own `Date`: the two clocks may differ.
    ///
    /// - Parameter now: the local time, for an answer without a `Date`.
    /// - Returns: the wait, and true if the local time was needed for it, which may be wrong.
    func retryAfter(_ now: Date) -> (wait: Duration, isByOurClock: Bool)? {
        guard let field = headers["Retry-After"] else { return nil }
        // Some servers write fractions of a second: nobody is there before.
        let parts = field.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        if let seconds: Int64 = parts[0].count(), parts.count == 1 || parts[1].count(as: Int64.self) != nil {
            let isBroken = parts.count > 1 && parts[1].contains { $0 != "0" }
            return (.seconds(seconds.saturatingAdding(isBroken ? 1 : 0)), false)
        }
        guard let date = HTTPDate.parse(field) else { return nil }
        let sent = headers["Date"].flatMap { HTTPDate.parse($0) }
        // A wrong clock must not lead to a number that overflows a `Duration`.
        return (.seconds(min(max(0, date.timeIntervalSince(sent ?? now)), Double(Int32.max))), sent == nil)
    }
}
