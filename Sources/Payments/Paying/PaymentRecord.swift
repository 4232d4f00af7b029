import Foundation

/// What is kept of a payment: everything but what would make another one.
public struct PaymentRecord: Sendable, Hashable, Identifiable, Codable {
    /// What became of a payment.
    public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// It was sent, and nothing has come back yet.
        case sending
        /// The money went.
        case approved
        /// The remote refused it; no money went.
        case declined
        /// It was sent and not answered, or answered with nonsense: the money went or it did not.
        case unknown
        /// It never reached the remote, or the remote never took it; no money went.
        case failed
    }

    /// The payment's idempotency key: made once, sent with every try.
    public let id: UUID
    /// What became of it.
    public var state: State
    /// Who the money was for.
    public let contact: Contact
    /// How much.
    public let amount: Money
    /// The card, masked.
    public let card: CardSummary
    /// When it was first sent.
    public let startedAt: Date
    /// The remote's number of it, once there is one.
    public var number: Int?
    /// When the remote booked it, once it has.
    public var bookedAt: Date?

    init(_ order: PaymentOrder, at date: Date) {
        id = order.key
        state = .sending
        contact = order.contact
        amount = order.amount
        card = order.card.summary
        startedAt = date
    }
}
