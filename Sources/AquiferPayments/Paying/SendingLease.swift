import Aquifer
import AquiferFoundation

/// The turn of a payment's sender. Its end is written down before anything is sent, and nothing moves it.
///
/// Its request is begun within ``begin`` of the beginning of the turn, or never, and is over after ``request``; the rest is a margin. So
/// nothing of the payment leaves after the turn, also if the sender was cut off or stood still meanwhile, and nobody concludes
/// anything before. Only a kernel's lock that is free shows sooner that the sender has died (``SendingLocks``).
struct SendingLease: Sendable, Hashable, Codable {
    /// The length of a turn.
    static let length = Duration.seconds(60)
    /// The time within which the request is begun. Its client looks when it is connected: `HTTPRequest.maySend`.
    static let begin = Duration.seconds(10)
    /// The time after the user's order in which the request is begun. A page gives its order up after 45 s, and its user may pay elsewhere.
    static let patience = Duration.seconds(30)
    /// The longest duration of the request.
    static let request = Duration.seconds(40)

    /// The sender: one ``PaymentDesk`` of one process.
    let owner: UUID
    /// The end of the turn, by the clock of the ledger's store if that has one.
    let until: Date
    /// True if an earlier try of this payment may have arrived. If so, a try that never left decides nothing.
    let followsDoubt: Bool

    /// True if the turn lasts, by a machine's own clock.
    ///
    /// The distance counts in both directions: after a clock was set back, an end far ahead means nothing.
    func isCurrent(atOwn now: Date) -> Bool {
        let left = until.timeIntervalSince(now)
        return left > 0 && left <= 2 * Self.length.timeInterval
    }
}
