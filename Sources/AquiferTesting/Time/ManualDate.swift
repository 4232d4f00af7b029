import Aquifer
import AquiferConcurrency
import Foundation

/// Today's date as a test wants it.
///
/// ```swift
/// let date = ManualDate()
/// let cache = Cache(key: "contacts", in: store, policy: .maxAge(.days(7)), now: date.read)
/// date.advance(by: 8 * 24 * 3600)
/// ```
public final class ManualDate: Sendable {
    private let current: Locked<Date>

    /// A date to start from; the first second of 2001 unless told otherwise.
    public init(_ date: Date = Date(timeIntervalSinceReferenceDate: 0)) {
        current = Locked(date)
    }

    /// The date that is taken for the present.
    public var now: Date {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// Reads the present: what to inject as `now`.
    public var read: @Sendable () -> Date { { [self] in now } }

    /// Moves the present by so many seconds; back if negative.
    public func advance(by seconds: TimeInterval) {
        current.withLock { $0 += seconds }
    }
}
