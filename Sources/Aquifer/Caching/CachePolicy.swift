import Foundation

/// How long a saved copy may stand in for the latest.
public struct CachePolicy: Sendable, Hashable {
    /// A copy is good while it is younger than this, in either direction.
    public var maxAge: Duration

    /// Good while younger than `maxAge`.
    public static func maxAge(_ maxAge: Duration) -> CachePolicy { CachePolicy(maxAge: maxAge) }

    /// Seven days of 86 400 seconds: the promise of every app here.
    public static let sevenDays = CachePolicy.maxAge(.days(7))

    /// Good for ever: for what was made here, and cannot be loaded again.
    public static let forever = CachePolicy.maxAge(.seconds(Int64.max))

    /// Whether a copy saved at `savedAt` is good at `now`: `|now − savedAt| < maxAge`.
    ///
    /// Exactly `maxAge` is expired. A stamp that far in the future is as untrustworthy as one that old: a clock jumped.
    public func isFresh(_ savedAt: Date, at now: Date) -> Bool {
        abs(now.timeIntervalSince(savedAt)) < maxAge.timeInterval
    }
}
