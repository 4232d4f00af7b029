import AquiferFoundation

/// A payment as it is stored: everything except the data that would allow another payment.
public struct PaymentRecord: Sendable, Hashable, Identifiable, Codable {
    /// The end of a payment, as far as it is known.
    public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// It is being sent, here or by another process.
        case sending
        /// The money went.
        case approved
        /// The remote declined it; no money went.
        case declined
        /// It was sent and not answered as the contract defines: the money went, or it did not.
        case unknown
        /// It never left this machine, or the remote refused the order with the contract's error document. No money
        /// went.
        case failed
        /// The user gave up on a payment that was ``unknown``. It is still not known whether the money went.
        case abandoned
    }

    /// The payment's idempotency key: made once, sent with every try.
    public let id: UUID
    /// The end of the payment, as far as it is known.
    public internal(set) var state: State
    /// The receiver of the money.
    public let contact: Contact
    /// The amount.
    public let amount: Money
    /// The card, masked.
    public let card: CardSummary
    /// When it was first sent.
    public let startedAt: Date
    /// The address of the server it was sent to.
    public internal(set) var server: String
    /// The remote's number of it, once there is one.
    public internal(set) var number: Int?
    /// When the remote booked it, by the remote's clock, once it has.
    public internal(set) var bookedAt: Date?
    /// When the remote's decision came here.
    var decidedAt: Date?
    /// The date when the remote last answered that it knows no payment of this key. This is no proof: it may arrive
    /// later.
    public internal(set) var notFoundAt: Date?
    /// The status of the remote's refusal, if it is why the payment failed.
    public internal(set) var refusal: Int?
    /// The reason why the payment failed before it left this machine, in words for developers.
    public internal(set) var obstacle: String?
    /// When the user gave up on it.
    public internal(set) var abandonedAt: Date?
    /// The sender, while it is being sent.
    var lease: SendingLease?
    /// The payments like it that were known as made when it was begun, until it is decided.
    var madeBefore: [UUID]?

    init(
        _ order: PaymentOrder, at date: Date, server: String, lease: SendingLease? = nil,
        madeBefore: [UUID]? = nil
    ) {
        id = order.key
        state = .sending
        contact = order.contact
        amount = order.amount
        card = order.card.summary
        startedAt = date
        self.server = server
        self.lease = lease
        self.madeBefore = madeBefore
    }
}

/// The payments that the user was shown before one like them, and pays besides.
struct ShownPayments: Sendable {
    let all: Set<UUID>
    /// Those that were shown as made.
    let approved: Set<UUID>
}

extension PaymentRecord {
    /// The end of its sender's turn: without an answer, its outcome is unknown from then on. On one machine it is unknown as soon as the sender
    /// has died, and while one that lives stands still, it is being sent for longer.
    public var sendingUntil: Date? { state == .sending ? lease?.until : nil }

    /// True if the remote has shown the payment's outcome. Nothing changes it after that.
    public var isDecided: Bool { state == .approved || state == .declined }

    /// True if the money went, or may have gone, and the user has not given the payment up.
    var mayBeMade: Bool {
        switch state {
        case .sending, .approved, .unknown: true
        case .declined, .failed, .abandoned: false
        }
    }

    /// True if this is the payment that an order makes. An order of another amount, person or card is another payment.
    func isOf(_ order: PaymentOrder) -> Bool { id == order.key && isLike(order) }

    /// True if this payment is of the amount, the person and the card of an order.
    func isLike(_ order: PaymentOrder) -> Bool {
        amount == order.amount && contact.id == order.contact.id && card.id == order.card.id
    }

    /// True if this payment, of the same amount to the same person, was made while the user filled in the form of an order.
    func isMade(since order: PaymentOrder) -> Bool { isMade(order.amount, order.contact, order.key, order.madeBefore) }

    /// True if this payment, of the same amount to the same person, was made after the other one was begun.
    func isOneMadeSince(_ other: PaymentRecord) -> Bool {
        isMade(other.amount, other.contact, other.id, other.madeBefore)
    }

    private func isMade(_ sum: Money, _ person: Contact, _ key: UUID, _ before: (some Sequence<UUID>)?) -> Bool {
        // A clock that was set back makes dates useless. After a decided payment none is looked for.
        state == .approved && amount == sum && contact.id == person.id && id != key && before?.contains(id) == false
    }

    /// The date of the payment. The remote's clock may be wrong: its date counts only if it is between the beginning here and the decision.
    public var date: Date {
        guard let bookedAt, let decidedAt, startedAt <= bookedAt, bookedAt <= decidedAt else { return startedAt }
        return bookedAt
    }

    /// The payment when a sender begins to send it, with the same key.
    func begun(
        by owner: UUID, until: Date
    ) -> PaymentRecord {
        var record = self
        record.lease = SendingLease(
            owner: owner, until: until, followsDoubt: state != .failed)
        record.state = .sending
        record.notFoundAt = nil
        (record.refusal, record.obstacle) = (nil, nil)
        record.abandonedAt = nil
        return record
    }

    /// The payment after a request for it, or a question about it, has ended.
    ///
    /// - Parameters:
    ///   - owner: the sender of the request; `nil` for a question.
    ///   - now: when its answer came.
    func settled(by outcome: PaymentOutcome, of owner: UUID?, at now: Date) -> PaymentRecord {
        var record = self
        let isOwn = state == .sending && owner != nil && lease?.owner == owner
        switch outcome {
        case .answered(let transaction)
        where transaction.cents == amount.cents && transaction.contactID == contact.id:
            // A decision is final, also when an answer comes late or to another process.
            guard !isDecided else { return self }
            record.state = transaction.isApproved ? .approved : .declined
            record.number = transaction.number
            (record.bookedAt, record.decidedAt) = (transaction.date, now)
            record.notFoundAt = nil
            (record.refusal, record.obstacle) = (nil, nil)
            record.madeBefore = nil
        case .unsent, .refused:
            guard isOwn else { return self }
            // A try that did not arrive, or was refused, does not show the outcome of an earlier try that may have
            // arrived.
            record.state = lease?.followsDoubt == true ? .unknown : .failed
            guard record.state == .failed else { break }
            if case .refused(let status) = outcome { record.refusal = status }
            if case .unsent(let obstacle) = outcome { record.obstacle = obstacle }
        case .answered, .unanswered:
            guard isOwn else { return self }
            record.state = .unknown
        }
        record.lease = nil
        return record
    }

    /// The payment after its sender was found dead.
    var orphaned: PaymentRecord {
        var record = self
        record.state = .unknown
        record.lease = nil
        return record
    }
}
