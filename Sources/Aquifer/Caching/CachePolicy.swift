import AquiferConcurrency
import AquiferFoundation

/// The times for which a saved copy may be delivered: in place of the latest, and without asking for it.
public struct CachePolicy: Sendable, Hashable {
    /// The age at which a copy expires. A date in the future counts by its distance too.
    public var maxAge: Duration
    /// The age from which on a load asks the remote. A younger copy is delivered without a request.
    ///
    /// Zero, the default, asks with every load. ``Resource/reload()`` always asks.
    public var askAfter: Duration
    /// The side whose word decides what is saved, and when a load asks.
    public var follows: Guide
    /// The time after which ``Resource/load()`` delivers the saved copy while the remote has not answered; `nil` waits for the answer,
    /// as long as the limits of the request allow. See ``Resource/load(patience:)``.
    public var patience: Duration?
    /// The servers that loads under this policy, and under copies of it, have waited for in vain.
    let slow = SlowServers()

    /// The side whose word decides what is saved, and when a load asks.
    public enum Guide: Sendable, Hashable {
        /// The app's: each answer is saved, and a load asks from ``CachePolicy/askAfter`` on. Many servers send `no-store` with
        /// everything.
        case app
        /// The server's `Cache-Control` (RFC 9111, RFC 5861, RFC 8246), as a private cache follows it. An answer without a word
        /// about its freshness is treated as with ``app``. A copy is delivered unasked to a request with the fields that `Vary` names as
        /// they were, and never under `Vary: *`. ``CachePolicy/maxAge`` stays the bound.
        case server
    }

    /// A policy under which a copy is fresh while it is younger than `maxAge`, and is delivered without a request while it
    /// is younger than `askAfter`.
    ///
    /// ```swift
    /// // Each screen that appears within half a minute shows the same copy, with one request.
    /// let cache = Cache<[Article]>(key: "articles", in: store, policy: CachePolicy(askAfter: .seconds(30)))
    /// ```
    ///
    /// - Parameters:
    ///   - maxAge: the age at which a copy expires; by default, seven days.
    ///   - askAfter: the age from which on a load asks; by default, each load asks.
    ///   - follows: whose word decides what is saved and when a load asks; by default, the app's.
    ///   - patience: the time after which a load delivers the saved copy while the remote has not answered; by default, there is none.
    public init(
        maxAge: Duration = .days(7), askAfter: Duration = .zero, follows: Guide = .app, patience: Duration? = nil
    ) {
        self.maxAge = maxAge
        self.askAfter = askAfter
        self.follows = follows
        self.patience = patience
    }

    /// A policy under which a copy is fresh while it is younger than `maxAge`.
    public static func maxAge(_ maxAge: Duration) -> CachePolicy { CachePolicy(maxAge: maxAge) }

    /// Seven days of 86 400 seconds: the policy of every app here.
    public static let sevenDays = CachePolicy.maxAge(.days(7))

    /// A policy under which a copy never expires, for values that the app made and cannot load again.
    public static let forever = CachePolicy.maxAge(.seconds(Int64.max))

    /// True if a copy saved at `savedAt` is fresh at `now`: `|now − savedAt| < maxAge`.
    ///
    /// A copy of exactly `maxAge` is not fresh. A date that far in the future is as untrustworthy as one that old: a
    /// clock jumped.
    public func isFresh(_ savedAt: Date, at now: Date) -> Bool {
        abs(now.timeIntervalSince(savedAt)) < maxAge.timeInterval
    }

    /// True if a copy saved at `savedAt` may be delivered at `now` without asking the remote: it is fresh, and younger than
    /// ``askAfter``. A copy with a date in the future is not: its age is unknown.
    public func isRecent(_ savedAt: Date, at now: Date) -> Bool {
        isFresh(savedAt, at: now) && savedAt <= now && now.timeIntervalSince(savedAt) < askAfter.timeInterval
    }

    /// True if a copy saved at `savedAt` has expired for good at `now`, so that it may be deleted.
    ///
    /// A copy with a date in the future has not expired: if the current clock is wrong, the copy will be fresh again.
    public func isExpired(_ savedAt: Date, at now: Date) -> Bool {
        now.timeIntervalSince(savedAt) >= maxAge.timeInterval
    }

    /// True if a saved copy may be delivered without asking.
    var mayAskLater: Bool { askAfter > .zero || follows == .server }
}

/// The servers that have left loads without an answer within the last minute. It does not count in comparisons of policies.
final class SlowServers: Sendable, Hashable {
    private let since = Locked<[String: Date]>([:])

    static func == (_: SlowServers, _: SlowServers) -> Bool { true }
    func hash(into _: inout Hasher) {}

    func has(_ server: String, at now: Date) -> Bool {
        since.withLock { $0[server].map { abs(now.timeIntervalSince($0)) < 60 } ?? false }
    }

    func insert(_ server: String, at now: Date) {
        since.withLock { since in
            since = since.filter { abs(now.timeIntervalSince($0.value)) < 60 }
            since[server] = now
        }
    }

    func remove(_ server: String) { since.withLock { _ = $0.removeValue(forKey: server) } }
}
