import AquiferFoundation

/// The times for which a saved copy may be delivered: in place of the latest, and without asking for it.
public struct CachePolicy: Sendable, Hashable {
    /// The age at which a copy expires. A stamp in the future counts by its distance too.
    public var maxAge: Duration
    /// The age from which on a load asks the remote. A younger copy is delivered without a request.
    ///
    /// Zero, the default, asks with every load. ``Resource/reload()`` always asks.
    public var askAfter: Duration

    /// A policy under which a copy is fresh while it is younger than `maxAge`, and is delivered without a request while it
    /// is younger than `askAfter`.
    ///
    /// ```swift
    /// // Each screen that appears within half a minute shows the same copy, with one request.
    /// let cache = Cache<[Article]>(key: "articles", in: store, policy: CachePolicy(askAfter: .seconds(30)))
    /// ```
    public init(maxAge: Duration = .days(7), askAfter: Duration = .zero) {
        self.maxAge = maxAge
        self.askAfter = askAfter
    }

    /// A policy under which a copy is fresh while it is younger than `maxAge`.
    public static func maxAge(_ maxAge: Duration) -> CachePolicy { CachePolicy(maxAge: maxAge) }

    /// Seven days of 86 400 seconds: the policy of every app here.
    public static let sevenDays = CachePolicy.maxAge(.days(7))

    /// A policy under which a copy never expires, for values that the app made and cannot load again.
    public static let forever = CachePolicy.maxAge(.seconds(Int64.max))

    /// True if a copy saved at `savedAt` is fresh at `now`: `|now − savedAt| < maxAge`.
    ///
    /// A copy of exactly `maxAge` is not fresh. A stamp that far in the future is as untrustworthy as one that old: a
    /// clock jumped.
    public func isFresh(_ savedAt: Date, at now: Date) -> Bool {
        abs(now.timeIntervalSince(savedAt)) < maxAge.timeInterval
    }

    /// True if a copy saved at `savedAt` may be delivered at `now` without asking the remote: it is fresh, and younger than
    /// ``askAfter``. A copy with a stamp in the future is not: its age is unknown.
    public func isRecent(_ savedAt: Date, at now: Date) -> Bool {
        isFresh(savedAt, at: now) && savedAt <= now && now.timeIntervalSince(savedAt) < askAfter.timeInterval
    }

    /// True if a copy saved at `savedAt` has expired for good at `now`, so that it may be deleted.
    ///
    /// A copy with a stamp in the future has not expired: if the current clock is wrong, the copy will be fresh again.
    public func isExpired(_ savedAt: Date, at now: Date) -> Bool {
        now.timeIntervalSince(savedAt) >= maxAge.timeInterval
    }
}
