import Aquifer
import Foundation
import Observation

/// The screen of one payment: whom, how much, with which card, and what became of it.
///
/// - Nothing is sent before contact, amount, card and security code are there, and never twice: while a payment is on
///   its way, ``pay()`` does nothing.
/// - The security code lives here for one payment, and is forgotten with its end.
/// - What was not answered is ``Phase/unknown``: ``check()`` asks what became of it, ``retry()`` sends it again with the
///   same key, which the remote books once.
@MainActor @Observable
public final class PaymentModel {
    /// What the screen shows.
    public enum Phase: Sendable, Hashable {
        /// Contact and cards are being loaded.
        case loading
        /// There is no such contact, or the contacts could not be had.
        case missing(LoadError?)
        /// Ready for amount, card and code.
        case ready
        /// The payment is on its way.
        case sending
        /// The money went.
        case approved(PaymentRecord)
        /// The remote refused; no money went.
        case declined(PaymentRecord)
        /// No money went: the remote could not be reached, or did not take the request.
        case failed(PaymentRecord)
        /// It is not known whether the money went.
        case unknown(PaymentRecord)
    }

    /// What the screen shows.
    public private(set) var phase: Phase = .loading
    /// Whom the money is for.
    public private(set) var contact: Contact?
    /// How much, as it was typed: digits that grow from the right.
    public private(set) var amount = Money(cents: 0)
    /// The cards kept.
    public private(set) var cards: [CardSummary] = []
    /// The card that will be used.
    public private(set) var card: CardSummary?
    /// Whether the security code fits the card.
    public var hasCode: Bool { code != nil }
    /// Why the code typed does not fit.
    public private(set) var codeError: SecurityCodeError?
    /// Why the text given as an amount is none.
    public private(set) var amountError: MoneyError?
    /// Why the last attempt was not even sent, or the cards could not be read.
    public private(set) var problem: Problem?
    /// Whether the remote is being asked what became of a payment.
    public private(set) var isChecking = false
    /// Whether the remote could not tell, when it was asked.
    public private(set) var checkFailed = false

    /// What went wrong on this side.
    public enum Problem: Sendable, Hashable {
        /// With the payment.
        case payment(PaymentError)
        /// With the cards.
        case vault(VaultError)
    }

    /// Whether there is no card to pay with.
    public var needsCard: Bool { cards.isEmpty && phase == .ready && problem == nil }
    /// Whether everything is there.
    public var canPay: Bool {
        phase == .ready && contact != nil && card != nil && code != nil && amount.cents > 0 && amount <= .limit
            && isUsable(card)
    }
    /// Whether a payment that is not known of can be sent again with its key: not after a restart, when nobody has the
    /// code any more.
    public var canRetry: Bool {
        guard case .unknown = phase else { return false }
        return order != nil
    }

    @ObservationIgnored private let service: PaymentsService
    @ObservationIgnored private let contactID: Int
    /// Watched, as ``canPay`` depends on it.
    private var code: SecurityCode?
    /// Kept while an attempt is not decided: only then may it be sent again.
    private var order: PaymentOrder?
    /// The card last chosen for all payments; a newer choice, such as a card just added, is followed.
    @ObservationIgnored private var lastChoice: UUID?

    /// The screen of a payment to a contact.
    public init(_ service: PaymentsService, contact: Int) {
        self.service = service
        contactID = contact
    }

    /// The screen is visible: loads the contact the first time, the cards each time.
    public func appear() async {
        await loadCards()
        guard contact == nil else { return }
        phase = .loading
        do throws(LoadError) {
            contact = try await service.contact(contactID)
            phase = contact == nil ? .missing(nil) : .ready
        } catch {
            phase = .missing(error == .cancelled ? nil : error)
        }
    }

    /// The amount as digits, cents last. More digits than the limit has are not taken.
    public func enter(digits: String) {
        guard phase == .ready else { return }
        let digits = digits.filter { $0.isASCII && $0.isNumber }.drop { $0 == "0" }
        guard digits.count <= "\(Money.limit.cents)".count, let cents = Int(digits.isEmpty ? "0" : digits) else {
            return
        }
        amount = Money(cents: cents)
        amountError = nil
    }

    /// The amount as people write it, such as pasted text. What is no amount is said, and leaves the amount as it was.
    public func enter(amount text: String) {
        guard phase == .ready else { return }
        do throws(MoneyError) {
            amount = try Money(parsing: text)
            amountError = nil
        } catch {
            amountError = error
        }
    }

    /// The security code as typed.
    public func enter(code text: String) {
        guard phase == .ready else { return }
        do throws(SecurityCodeError) {
            code = try SecurityCode(text, for: card?.brand)
            codeError = nil
        } catch {
            code = nil
            codeError = error
        }
    }

    /// Pays with another card. The code belongs to the card, and is asked for again.
    public func choose(_ id: UUID) async {
        guard phase == .ready, let chosen = cards.first(where: { $0.id == id }) else { return }
        card = chosen
        forgetCode()
        // A choice that cannot be kept holds for this payment.
        try? await service.choose(id)
        lastChoice = await service.chosenCard(of: cards)?.id
    }

    /// Sends the payment, if everything is there and none is on its way.
    public func pay() async {
        guard canPay, let contact, let code, let cardID = card?.id else { return }
        phase = .sending
        problem = nil
        do throws(VaultError) {
            guard let card = try await service.vault.card(cardID) else {
                return fail(.payment(.noCard))
            }
            do throws(PaymentError) {
                let order = try service.order(amount, to: contact, with: card, code)
                self.order = order
                show(try await service.desk.send(order))
            } catch { fail(.payment(error)) }
        } catch { fail(.vault(error)) }
    }

    /// Asks what became of a payment that is not known of.
    public func check() async {
        guard case .unknown(let record) = phase, !isChecking else { return }
        isChecking = true
        checkFailed = false
        do throws(LoadError) {
            let answer = try await service.desk.check(record.id)
            checkFailed = answer?.state == .unknown
            if let answer { show(answer) }
        } catch {
            checkFailed = true
        }
        isChecking = false
    }

    /// Sends a payment that is not known of again, with the same key.
    public func retry() async {
        guard case .unknown = phase, let order else { return }
        phase = .sending
        checkFailed = false
        do throws(PaymentError) { show(try await service.desk.send(order)) } catch { fail(.payment(error)) }
    }

    /// Back to the form: with the same amount after a payment that did not go through, empty after one that did.
    public func again() {
        switch phase {
        case .declined, .failed: phase = .ready
        case .approved:
            phase = .ready
            amount = Money(cents: 0)
        default: break
        }
    }

    /// The customer has read what went wrong.
    public func dismissProblem() {
        problem = nil
    }

    private func loadCards() async {
        do throws(VaultError) {
            cards = try await service.vault.cards()
            if problem != nil { problem = nil }
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

    private func isUsable(_ card: CardSummary?) -> Bool {
        guard let card else { return false }
        return card.isTestCard ? service.allowsTestCard : !card.expiry.isExpired(at: service.now())
    }

    private func show(_ record: PaymentRecord) {
        switch record.state {
        case .approved: phase = .approved(record)
        case .declined: phase = .declined(record)
        case .failed: phase = .failed(record)
        case .sending, .unknown: phase = .unknown(record)
        }
        forgetCode()
        // Only an attempt that is not decided may be sent again, and needs the card's number and code for that.
        if case .unknown = phase { return }
        order = nil
    }

    private func fail(_ problem: Problem) {
        self.problem = problem
        phase = .ready
        order = nil
        forgetCode()
    }

    private func forgetCode() {
        code = nil
        codeError = nil
    }
}
