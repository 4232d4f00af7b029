import Aquifer
import AquiferFoundation
import Observation

/// The screen of one payment: its receiver, amount, card and outcome.
///
/// - Nothing is sent before contact, amount, card and security code are set. Nothing is sent twice: while a payment is
///   on its way, ``pay(attempt:doubts:)`` does nothing.
/// - The model holds the security code for one payment, and forgets it when the payment ends.
/// - While the outcome of an earlier payment of this amount to this contact is unknown, ``pay(attempt:doubts:)`` sends nothing and
///   shows that payment (``Phase/earlier(_:)``). The user decides.
/// - A payment without an answer is ``Phase/unknown(_:)``. ``check()`` asks for its outcome. ``retry()`` sends it again
///   with the same key, which the remote books once. ``giveUp()`` leaves it undecided for good.
@MainActor @Observable
public final class PaymentModel {
    /// The content of the screen.
    public enum Phase: Sendable, Hashable {
        /// Contact and cards are being loaded.
        case loading
        /// There is no such contact, or the contacts could not be loaded.
        case missing(LoadError?)
        /// Ready for amount, card and code.
        case ready
        /// Nothing was sent: these payments to the same contact may have been made, or were made after the one that is to be sent
        /// again. They are of the same amount, or are attempts whose outcomes the user's page did not know.
        /// The user sends the same payment again (``retryEarlier(approved:)``), checks them (``checkEarlier()``), pays once more (``payOnceMore(approved:)``), or goes back (``again()``).
        case earlier([PaymentRecord])
        /// The payment is on its way.
        case sending
        /// The money went.
        case approved(PaymentRecord)
        /// The remote refused; no money went.
        case declined(PaymentRecord)
        /// No money went: the remote could not be reached, or refused the order.
        case failed(PaymentRecord)
        /// It is not known whether the money went.
        case unknown(PaymentRecord)
    }

    /// The content of the screen.
    public internal(set) var phase: Phase = .loading
    /// The receiver of the money.
    public private(set) var contact: Contact?
    /// The amount as it was typed: digits that grow from the right.
    public internal(set) var amount = Money(cents: 0)
    /// The cards kept.
    public private(set) var cards: [CardSummary] = []
    /// The card that will be used.
    public internal(set) var card: CardSummary?
    /// True if the security code fits the card.
    public var hasCode: Bool { code != nil }
    /// The error of the security code.
    public internal(set) var codeError: SecurityCodeError?
    /// The error of the text that was entered as an amount.
    public internal(set) var amountError: MoneyError?
    /// The reason why the last attempt was not sent, or the cards could not be read.
    public internal(set) var problem: Problem?
    /// True while the remote is being asked for the outcome of a payment.
    public internal(set) var isChecking = false
    /// True if the last check failed, or its answer left the outcome unknown without saying that there is no such
    /// payment.
    public internal(set) var checkFailed = false

    /// The trouble on this side.
    public enum Problem: Sendable, Hashable {
        /// With the payment.
        case payment(PaymentError)
        /// With the cards.
        case vault(VaultError)
    }

    /// True if a payment whose outcome is unknown can be sent again with its key: not after a restart, when nobody has the
    /// code any more.
    public var canRetry: Bool {
        guard case .unknown = phase else { return false }
        return order != nil
    }

    /// The last attempt, if it did not go through: the same payment from this form is one more try of it.
    /// The cards are followed from the first appearance on, until the model is released.
    @ObservationIgnored private var followedCards: CardsFollower?
    @ObservationIgnored private var failed: PaymentRecord?
    @ObservationIgnored let service: PaymentsService
    /// Follows the records of payments in doubt, until the model is released.
    @ObservationIgnored var following: ChangeFollower?
    @ObservationIgnored private let contactID: Int
    @ObservationIgnored private let turn = LoadTurn()
    /// Watched, as ``canPay`` depends on it.
    var code: SecurityCode?
    /// The payments to this contact that were made before, or that this screen has shown as made. Another one that is made on another machine or in
    /// another window is shown before one like it is sent.
    @ObservationIgnored var madeBefore: Set<UUID>?
    /// Kept while an attempt is not decided: only then may it be sent again.
    var order: PaymentOrder?
    /// The card last chosen for all payments; a newer choice, such as a card just added, is followed.
    @ObservationIgnored var lastChoice: UUID?

    /// The screen of a payment to a contact.
    public init(_ service: PaymentsService, contact: Int) {
        self.service = service
        contactID = contact
    }

    /// The screen is visible: loads the contact the first time, the cards each time, and from now on shows what other screens and processes
    /// change in them.
    public func appear() async {
        followedCards = followedCards ?? CardsFollower(service) { [weak self] in await self?.loadCards() }
        await loadCards()
        await turn.run {
            guard contact == nil else { return false }
            phase = .loading
            do throws(LoadError) {
                contact = try await service.contact(contactID)
                if let contact { madeBefore = await service.desk.made(to: contact) }
                phase = contact == nil ? .missing(nil) : .ready
            } catch .cancelled {
                // Nobody saw this load end, and it says nothing about the contact: the next appearance is a first one again.
                return true
            } catch {
                phase = .missing(error)
            }
            return false
        }
    }

    /// Sends the payment, if everything is there and none is on its way.
    ///
    /// - Parameters:
    ///   - attempt: The key of the payment, if the user's page has made one. A page that has lost the model which it told to pay gives
    ///     the same key to the next one: that is the same payment, and is made once.
    ///   - doubts: The keys of other attempts whose outcomes the page does not know. One that may have been made is shown, and
    ///     nothing is sent.
    public func pay(attempt: UUID? = nil, doubts: Set<UUID> = []) async {
        guard canPay, let contact, let code, let cardID = card?.id else { return }
        phase = .sending
        problem = nil
        do throws(VaultError) {
            guard let card = try await service.vault.card(cardID) else {
                return fail(.payment(.noCard))
            }
            do throws(PaymentError) {
                // The attempt keeps its key: otherwise it would wait among the payments to be sent as a second one.
                let isAgain = failed?.amount == amount && failed?.card.id == cardID
                let key = attempt ?? (isAgain ? failed?.id : nil)
                let order = try service.order(amount, to: contact, with: card, code, again: key, madeBefore: madeBefore)
                let made = try await attempts(doubts, besides: order)
                if made.isEmpty { await send(order) } else { ask(order, made) }
            } catch { fail(.payment(error)) }
        } catch { fail(.vault(error)) }
    }

    func send(_ order: PaymentOrder, besides: Set<UUID> = [], approved: Set<UUID> = []) async {
        phase = .sending
        checkFailed = false
        self.order = order
        do throws(PaymentError) {
            try await expectCard(of: order)
            await show(try await service.send(order, besides: besides, approved: approved))
        } catch .unresolved(let earlier) {
            ask(order, earlier)
        } catch .underWay {
            // Another model of this page has begun it, or another process.
            guard let record = await recorded(order) else { return fail(.payment(.underWay)) }
            await show(record)
        } catch {
            fail(.payment(error))
        }
    }

    /// Refuses an order that the page has kept, if its user has removed the card since.
    func expectCard(of order: PaymentOrder) async throws(PaymentError) {
        // Cards that cannot be read say nothing about it.
        guard let cards = try? await service.vault.cards() else { return }
        if !cards.contains(where: { $0.id == order.card.id }) { throw .noCard }
    }

    /// Shows the payments that may be the same one. The order stays, as with a payment that is not decided: the user may mean it.
    func ask(_ order: PaymentOrder, _ earlier: [PaymentRecord]) {
        self.order = order
        phase = .earlier(earlier)
        forgetCode()
        followOutcome()
    }

    /// Back to the form: with the same amount after a payment that did not go through, empty after one that did.
    public func again() {
        switch phase {
        case .declined, .failed: phase = .ready
        case .earlier where !isChecking: leave()
        case .approved:
            phase = .ready
            amount = Money(cents: 0)
        default: break
        }
    }

    /// Clears the error after the user has read it.
    public func dismissProblem() {
        problem = nil
    }

    private func loadCards() async {
        followedCards?.watch()
        do throws(VaultError) {
            cards = try await service.vault.cards()
            if isOver(problem) { problem = nil }
        } catch {
            problem = .vault(error)
        }
        let chosen = await service.chosenCard(of: cards)
        let isNewer = chosen?.id != lastChoice
        lastChoice = chosen?.id
        if let card, cards.contains(where: { $0.id == card.id }), !isNewer || chosen == card { return }
        card = chosen
        forgetCode()
    }

    /// True if a problem ends when the cards were read. The reason why a payment was not sent stays, unless the card was the
    /// reason: whoever comes back to the form would otherwise see one that nobody has used.
    private func isOver(_ problem: Problem?) -> Bool {
        switch problem {
        case nil: false
        case .vault, .payment(.noCard), .payment(.cardExpired), .payment(.testCard): true
        case .payment: phase != .ready
        }
    }

    func show(_ record: PaymentRecord) async {
        failed = record.state == .failed ? record : nil
        if record.state == .approved { madeBefore?.insert(record.id) }
        switch record.state {
        case .approved: phase = .approved(record)
        case .declined: phase = .declined(record)
        case .failed: phase = .failed(record)
        case .sending, .unknown, .abandoned: phase = .unknown(record)
        }
        forgetCode()
        // Only an attempt that is not decided may be sent again, and needs the card's number and code for that.
        if case .unknown = phase { return followOutcome() }
        order = nil
        // A declined card is not the default any more. Here it stays until another one is chosen.
        lastChoice = await service.chosenCard(of: cards)?.id
    }

    private func fail(_ problem: Problem) {
        self.problem = problem
        phase = .ready
        order = nil
        forgetCode()
    }

    /// Back to the form without having sent anything.
    func leave() {
        phase = .ready
        order = nil
        forgetCode()
    }
}
