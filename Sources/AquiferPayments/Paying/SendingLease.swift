import Aquifer
import AquiferFoundation

/// The lease of a payment's sender: until it ends, the sender counts as living if no lock shows whether it does.
struct SendingLease: Sendable, Hashable, Codable {
    /// The time for which a sender counts as living without a renewal.
    static let length = Duration.seconds(60)

    /// The sender: one ``PaymentDesk`` of one process.
    let owner: UUID
    /// The end of the lease, which is renewed while the sender lives.
    var until: Date
    /// True if an earlier try of this payment may have arrived. If so, a try that never left decides nothing.
    let followsDoubt: Bool
    /// True if the sender holds a lock, so that one whose lock is gone is dead: a loss of power can take a lock's file
    /// away.
    var isLocked: Bool
    /// The sender's instance of the store, if the store knows who lives.
    var holder: String?

    /// True if a lease that ends at `end` still holds.
    ///
    /// The distance counts in both directions: after a clock was set back, an end far ahead means nothing.
    static func isCurrent(_ end: Date, at now: Date) -> Bool {
        let left = end.timeIntervalSince(now)
        return left > 0 && left <= 2 * length.timeInterval
    }
}
