import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Observation
import Testing

@testable import AquiferPayments

@MainActor
@Suite("The payment's screen", .timeLimit(.minutes(10)))
struct PaymentModelTests {
    private let number = "4012888888881881"

    /// A world with saved contacts and a card in the vault, and its screen, ready.
    private func ready(_ replies: ScriptedHTTPClient.Reply..., held: Bool = false) async throws -> (
        PaymentsWorld, PaymentModel
    ) {
        let rest = Locked(([.contacts] + replies)[...])
        let client = ScriptedHTTPClient { _ in rest.withLock { $0.popFirst() } ?? (held ? .held : .refused) }
        let world = PaymentsWorld(client: client)
        _ = try await world.service.add(CardNumber(number), holder: "Ana Souza", expiry: Expiry(month: 12, year: 2029))
        let model = PaymentModel(world.service, contact: 1002)
        await model.appear()
        return (world, model)
    }

    private func fill(_ model: PaymentModel) {
        model.enter(digits: "7990")
        model.enter(code: "789")
    }

    @Test("It loads the contact and the cards, and asks for a card when there is none")
    func appears() async throws {
        let world = PaymentsWorld(.contacts)
        let model = PaymentModel(world.service, contact: 1002)
        await model.appear()
        #expect(model.contact?.username == "@marina.coelho" && model.needsCard && !model.canPay)
        _ = try await world.service.add(CardNumber(number), holder: "Ana", expiry: Expiry(month: 12, year: 2029))
        await model.appear()
        #expect(!model.needsCard && model.card?.masked == "•••• 1881")
    }

    @Test("A card that is added or removed elsewhere is there at once, and a code is asked for again")
    func followsCards() async throws {
        let (world, model) = try await ready()
        let first = try #require(model.card?.id)
        let other = try await world.service.add(
            CardNumber("4539578763621486"), holder: "Ana", expiry: Expiry(month: 12, year: 2029))
        #expect(await eventually { model.card?.id == other.id }, "a new card is the chosen one")
        fill(model)
        #expect(model.canPay)
        _ = try await world.service.vault.remove(other.id)
        #expect(await eventually { model.card?.id == first })
        #expect(model.cards.count == 1 && !model.hasCode && !model.canPay)
    }

    @Test("A contact that is not there, or cannot be had, is said")
    func missing() async {
        let model = PaymentModel(PaymentsWorld(.contacts).service, contact: 7)
        await model.appear()
        #expect(model.phase == .missing(nil))
        let offline = PaymentModel(PaymentsWorld(.refused).service, contact: 1002)
        await offline.appear()
        #expect(offline.phase == .missing(.connectivity(TransportError(.cannotConnect))))
    }

    @Test("A page that is left and opened again at once loads, and does not say that there is no such contact")
    func comesBackAtOnce() async {
        let world = PaymentsWorld(.held, .contacts)
        let model = PaymentModel(world.service, contact: 1002)
        let first = Task { await model.appear() }
        _ = await world.client.exchange(0)
        first.cancel()
        let second = Task { await model.appear() }
        await first.value
        #expect(model.phase != .missing(nil))
        await second.value
        #expect(model.phase == .ready && model.contact?.id == 1002)
    }

    @Test(
        "The amount grows from the right, and one over the limit stays as it was typed, and is told at once",
        arguments: [
            ("", 0), ("0", 0), ("7", 7), ("7990", 7990), ("007990", 7990), ("R$ 79,90", 7990),
            ("100000000", 100_000_000),
        ])
    func amount(digits: String, cents: Int) async throws {
        let (world, model) = try await ready()
        defer { withExtendedLifetime(world) {} }
        model.enter(digits: digits)
        #expect(model.amount.cents == cents && model.amountError == nil)
        model.enter(digits: "100000001")
        #expect(model.amount.cents == 100_000_001 && model.amountError == .overLimit)
        model.enter(digits: "1234567890")
        #expect(model.amount.cents == 1_234_567_890 && model.amountError == .overLimit)
        model.enter(digits: "123456789012345678901234567890")
        #expect(model.amount.cents == 12_345_678_901 && model.amountError == .overLimit)
        model.enter(digits: digits)
        #expect(model.amount.cents == cents && model.amountError == nil)
    }

    @Test("Pay is off at zero, above the limit, and without a code that fits the card")
    func canPay() async throws {
        let (world, model) = try await ready()
        defer { withExtendedLifetime(world) {} }
        #expect(!model.canPay)
        model.enter(code: "789")
        #expect(!model.canPay, "the amount is zero")
        model.enter(digits: "1")
        #expect(model.canPay)
        model.enter(digits: "\(Money.limit.cents + 1)")
        #expect(!model.canPay)
        model.enter(digits: "1")
        model.enter(code: "78")
        #expect(!model.canPay && model.codeError != nil)
    }

    @Test("The page hears of a code that fits, though none was wrong before")
    func codeIsObserved() async throws {
        let (world, model) = try await ready()
        defer { withExtendedLifetime(world) {} }
        model.enter(digits: "1")
        let changes = Locked(0)
        withObservationTracking {
            _ = (model.canPay, model.hasCode)
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        model.enter(code: "789")
        #expect(changes.withLock { $0 } == 1 && model.canPay)
    }

    @Test(
        "Pasted text is an amount by the same rules as everywhere",
        arguments: [("79,90", 7990), ("R$ 1.234,50", 123_450), ("1,234.5", 123_450), (" 5 ", 500)])
    func pasted(text: String, cents: Int) async throws {
        let (world, model) = try await ready()
        defer { withExtendedLifetime(world) {} }
        model.enter(digits: "7")
        model.enter(amount: text)
        #expect(model.amount.cents == cents && model.amountError == nil)
    }

    @Test(
        "Pasted text that is no amount is said, and changes nothing",
        arguments: [
            ("-3", MoneyError.notPositive), ("79.905", .tooManyDecimals), ("1,234,5", .malformed), ("", .empty),
            ("1.000.000,01", .overLimit),
        ])
    func pastedBadly(text: String, error: MoneyError) async throws {
        let (world, model) = try await ready()
        defer { withExtendedLifetime(world) {} }
        model.enter(digits: "7")
        model.enter(amount: text)
        #expect(model.amount.cents == 7 && model.amountError == error)
        model.enter(digits: "79")
        #expect(model.amountError == nil)
    }

    @Test("A card added on the way is the one that is paid with, and its code is asked for")
    func addedOnTheWay() async throws {
        let (world, model) = try await ready(.transaction(success: false))
        fill(model)
        await model.pay()
        let other = try await world.service.add(
            CardNumber("5555555555554444"), holder: "Ana", expiry: Expiry(month: 12, year: 2029))
        await model.appear()
        #expect(model.card?.id == other.id && !model.hasCode)
    }

    /// A screen on which a payment is refused, because another one of its amount to its contact was lost before.
    private func besidesLost(_ replies: ScriptedHTTPClient.Reply...) async throws -> (
        PaymentsWorld, PaymentModel, PaymentRecord
    ) {
        let rest = Locked(([.contacts, .failure(TransportError(.interrupted))] + replies)[...])
        let world = PaymentsWorld(client: ScriptedHTTPClient { _ in rest.withLock { $0.popFirst() } ?? .refused })
        let card = try await world.service.add(
            CardNumber(number), holder: "Ana Souza", expiry: Expiry(month: 12, year: 2029))
        let whole = try #require(try await world.service.vault.card(card.id))
        let contact = try #require(try await world.service.contact(1002))
        let lost = try await world.service.pay(
            Money(cents: 7990), to: contact, with: whole, code: SecurityCode("789", for: card.brand))
        let model = PaymentModel(world.service, contact: 1002)
        await model.appear()
        fill(model)
        await model.pay()
        return (world, model, lost)
    }

    @Test("An earlier payment like it, not known of, is shown before anything is sent; going back sends nothing")
    func earlier() async throws {
        let (world, model, lost) = try await besidesLost()
        #expect(model.phase == .earlier([lost]) && !model.canPay)
        let count = world.client.requests.count
        model.again()
        #expect(model.phase == .ready && model.amount.cents == 7990 && !model.hasCode)
        await model.payOnceMore()
        #expect(world.client.requests.count == count)
    }

    @Test("Paying once more is a second payment, with a key of its own")
    func onceMore() async throws {
        let (world, model, lost) = try await besidesLost(.transaction())
        await model.payOnceMore()
        guard case .approved(let record) = model.phase else { return #expect(Bool(false), "\(model.phase)") }
        #expect(record.id != lost.id)
        #expect(Set(world.client.requests.compactMap { $0.headers["Idempotency-Key"] }).count == 2)
    }

    @Test("A payment like it, made in another window while this form was filled in, is shown before a second is sent")
    func madeMeanwhile() async throws {
        let (world, model) = try await ready(.transaction(), .transaction(), .transaction())
        let other = PaymentModel(world.service, contact: 1002)
        await other.appear()
        fill(model)
        fill(other)
        await other.pay()
        guard case .approved(let record) = other.phase else { return #expect(Bool(false), "\(other.phase)") }
        await model.pay()
        #expect(model.phase == .earlier([record]))
        await model.payOnceMore()
        guard case .approved = model.phase else { return #expect(Bool(false), "\(model.phase)") }
        // The user has seen both, and pays a third time from the same form.
        model.again()
        fill(model)
        await model.pay()
        guard case .approved = model.phase else { return #expect(Bool(false), "\(model.phase)") }
        #expect(try await world.service.desk.ledger.contents().records.count == 3)
    }

    @Test("A check of the earlier payment shows how it ended, and sends nothing", arguments: [true, false])
    func checkEarlier(isApproved: Bool) async throws {
        let (world, model, lost) = try await besidesLost(.transaction(success: isApproved))
        await model.checkEarlier()
        switch model.phase {
        case .approved(let record): #expect(isApproved && record.id == lost.id)
        case .declined(let record): #expect(!isApproved && record.id == lost.id)
        default: #expect(Bool(false), "\(model.phase)")
        }
        #expect(world.client.requests.filter { $0.method == .post }.count == 1)
    }

    @Test("A check of the earlier payment that finds out nothing leaves it shown, and says so")
    func checkEarlierInVain() async throws {
        let (_, noted, _) = try await besidesLost(.noTransaction)
        await noted.checkEarlier()
        guard case .earlier(let records) = noted.phase else { return #expect(Bool(false), "\(noted.phase)") }
        #expect(records.map { $0.notFoundAt != nil } == [true] && !noted.checkFailed && !noted.isChecking)
        let (_, offline, lost) = try await besidesLost(.refused)
        await offline.checkEarlier()
        #expect(offline.phase == .earlier([lost]) && offline.checkFailed)
    }

    @Test("Earlier payments on the screen follow the ledger, and one that was made since is shown before the next")
    func earlierFollows() async throws {
        let (world, model, lost) = try await besidesLost(.transaction(), .transaction())
        let made = try #require(try await world.service.check(lost.id))
        #expect(await eventually { model.phase == .earlier([made]) })
        // The page still showed it as unknown when the user pressed the button.
        await model.payOnceMore(approved: [])
        #expect(model.phase == .earlier([made]))
        #expect(world.client.requests.filter { $0.method == .post }.count == 1)
        await model.payOnceMore(approved: [made.id])
        guard case .approved(let second) = model.phase else { return #expect(Bool(false), "\(model.phase)") }
        #expect(second.id != made.id)
    }

    @Test("Earlier payments that were not made are shown no more")
    func earlierEnds() async throws {
        let (world, model, lost) = try await besidesLost(.transaction(success: false))
        _ = try await world.service.check(lost.id)
        #expect(await eventually { model.phase == .ready && model.amount.cents == 7990 })
    }

    @Test("An earlier payment is sent again under its key, also one that was given up", arguments: [true, false])
    func retryEarlier(isGivenUp: Bool) async throws {
        let (world, model, lost) = try await besidesLost(.transaction())
        if isGivenUp {
            _ = try await world.desk.giveUp(lost.id)
            #expect(await eventually { model.earlierToRetry?.state == .abandoned })
        }
        #expect(model.earlierToRetry?.id == lost.id)
        await model.retryEarlier()
        guard case .approved(let record) = model.phase else { return #expect(Bool(false), "\(model.phase)") }
        #expect(record.id == lost.id)
        #expect(world.client.requests.last?.headers["Idempotency-Key"] == lost.id.uuidString)
    }

    @Test("A payment that was made since the page was drawn is shown before an earlier one is sent again")
    func retryEarlierOfAnOldPage() async throws {
        let (world, model, lost) = try await besidesLost(.transaction(), .transaction())
        let other = try await world.desk.send(world.order(), besides: [lost.id])
        #expect(other.state == .approved)
        let asked = world.client.requests.count
        await model.retryEarlier(approved: [])
        #expect(model.phase == .earlier([other]))
        #expect(world.client.requests.count == asked)
    }

    @Test("Coming back to the screen leaves the card that was chosen on it")
    func chosenStays() async throws {
        let (world, model) = try await ready()
        let first = try #require(model.card)
        _ = try await world.service.add(
            CardNumber("5555555555554444"), holder: "Ana", expiry: Expiry(month: 12, year: 2029))
        await model.appear()
        await model.choose(first.id)
        await model.appear()
        #expect(model.card?.id == first.id)
    }

    @Test("Approved: the receipt, and the code is forgotten")
    func approved() async throws {
        let (world, model) = try await ready(.transaction())
        defer { withExtendedLifetime(world) {} }
        fill(model)
        await model.pay()
        guard case .approved(let record) = model.phase else {
            Issue.record("is \(model.phase)")
            return
        }
        #expect(record.number == 12314 && record.amount.cents == 7990 && !model.hasCode)
        model.again()
        #expect(model.phase == .ready && model.amount.cents == 0 && !model.canPay, "the next payment begins anew")
    }

    @Test("Declined: said, then another card can be tried, with its code asked for again")
    func declined() async throws {
        let (world, model) = try await ready(.transaction(success: false), .transaction())
        fill(model)
        await model.pay()
        guard case .declined = model.phase else {
            Issue.record("is \(model.phase)")
            return
        }
        model.again()
        #expect(model.phase == .ready && model.amount.cents == 7990 && !model.hasCode && !model.canPay)
        let other = try await world.service.add(
            CardNumber("5555555555554444"), holder: "Ana", expiry: Expiry(month: 12, year: 2029))
        await model.appear()
        await model.choose(other.id)
        model.enter(code: "321")
        await model.pay()
        guard case .approved(let record) = model.phase else {
            Issue.record("is \(model.phase)")
            return
        }
        #expect(record.card.id == other.id)
        let keys = world.client.requests.dropFirst().compactMap { $0.headers["Idempotency-Key"] }
        #expect(Set(keys).count == 2, "another payment has another key")
    }

    @Test("A double tap sends one payment")
    func doubleTap() async throws {
        let (world, model) = try await ready(held: true)
        fill(model)
        let first = Task { await model.pay() }
        let exchange = await world.client.exchange(1)
        await model.pay()
        await model.pay()
        #expect(model.phase == .sending && world.client.requests.count == 2)
        exchange.respond(body: Answer.approvedBody)
        await first.value
        #expect(world.client.requests.count == 2)
    }

    @Test("Going back while paying does not stop the payment, and the history has it")
    func goingBack() async throws {
        let (world, model) = try await ready(held: true)
        fill(model)
        let paying = Task { await model.pay() }
        let exchange = await world.client.exchange(1)
        paying.cancel()
        exchange.respond(body: Answer.approvedBody)
        await paying.value
        let history = PaymentsModel(world.service)
        await history.appear()
        #expect(history.payments.map(\.state) == [.approved])
    }

    @Test("The history of payments shows how one that is on its way ends")
    func historyFollows() async throws {
        let (world, model) = try await ready(held: true)
        fill(model)
        let paying = Task { await model.pay() }
        let exchange = await world.client.exchange(1)
        let history = PaymentsModel(world.service)
        let watching = Task { await history.appear() }
        #expect(await eventually { history.payments.map(\.state) == [.sending] })
        exchange.respond(body: Answer.approvedBody)
        await paying.value
        await watching.value
        #expect(history.payments.map(\.state) == [.approved])
    }

    @Test("Not answered: unknown; a check decides it")
    func check() async throws {
        let (world, model) = try await ready(.failure(TransportError(.interrupted)), .refused, .transaction())
        defer { withExtendedLifetime(world) {} }
        fill(model)
        await model.pay()
        guard case .unknown = model.phase else {
            Issue.record("is \(model.phase)")
            return
        }
        await model.check()
        #expect(model.checkFailed)
        await model.check()
        guard case .approved = model.phase else {
            Issue.record("is \(model.phase)")
            return
        }
        #expect(!model.checkFailed)
    }

    @Test("Not answered: a retry charges no card that was removed meanwhile")
    func retryWithoutCard() async throws {
        let (world, model) = try await ready(.failure(TransportError(.timedOut)))
        fill(model)
        await model.pay()
        let count = world.client.requests.count
        _ = try await world.service.vault.remove(try #require(model.card?.id))
        await model.retry()
        #expect(model.problem == .payment(.noCard) && model.canRetry && world.client.requests.count == count)
    }

    @Test("Not answered: a retry has the same key")
    func retry() async throws {
        let (world, model) = try await ready(.failure(TransportError(.timedOut)), .transaction())
        fill(model)
        await model.pay()
        #expect(model.canRetry)
        await model.retry()
        guard case .approved = model.phase else {
            Issue.record("is \(model.phase)")
            return
        }
        #expect(
            world.client.requests[1].headers["Idempotency-Key"] == world.client.requests[2].headers["Idempotency-Key"])
    }

    @Test("While it is unknown, nothing but check and retry is possible")
    func unknownHolds() async throws {
        let (world, model) = try await ready(.failure(TransportError(.timedOut)))
        fill(model)
        await model.pay()
        model.again()
        model.enter(digits: "1")
        model.enter(code: "111")
        await model.pay()
        guard case .unknown = model.phase else {
            Issue.record("is \(model.phase)")
            return
        }
        #expect(world.client.requests.count == 2)
    }

    @Test("That the server knows no such payment is shown, and a retry, giving up or another check is possible")
    func notFound() async throws {
        let (world, model) = try await ready(.failure(TransportError(.interrupted)), .noTransaction, .transaction())
        fill(model)
        await model.pay()
        await model.check()
        guard case .unknown(let record) = model.phase, record.notFoundAt != nil else {
            Issue.record("is \(model.phase)")
            return
        }
        #expect(!model.checkFailed && model.canRetry)
        await model.retry()
        guard case .approved = model.phase else {
            Issue.record("is \(model.phase)")
            return
        }
        let keys = Set(world.client.requests.compactMap { $0.headers["Idempotency-Key"] })
        #expect(keys == [record.id.uuidString])
    }

    @Test("Giving up leads back to an empty form, and the history says so")
    func givesUp() async throws {
        let (world, model) = try await ready(.failure(TransportError(.interrupted)))
        fill(model)
        await model.pay()
        await model.giveUp()
        #expect(model.phase == .ready && model.amount.cents == 0 && !model.canRetry)
        let history = PaymentsModel(world.service)
        await history.appear()
        #expect(history.payments.map(\.state) == [.abandoned])
    }

    @Test("The history sends a payment again after a restart, with the same key and card and the code typed for it")
    func historyRetries() async throws {
        let (world, model) = try await ready(.failure(TransportError(.interrupted)), .transaction())
        fill(model)
        await model.pay()
        let history = PaymentsModel(world.service)
        await history.appear()
        let id = try #require(history.payments.first?.id)
        await history.retry(id, code: "78")
        #expect(history.problem == .code(.wrongLength(expected: 3)) && world.client.requests.count == 2)
        await history.retry(id, code: "789")
        #expect(history.problem == nil && history.payments.map(\.state) == [.approved])
        #expect(world.client.requests[2].headers["Idempotency-Key"] == id.uuidString)
        #expect(world.client.requests[2].body == world.client.requests[1].body)
    }

    @Test("The history does not send a payment again when its card is gone")
    func historyWithoutCard() async throws {
        let (world, model) = try await ready(.failure(TransportError(.interrupted)))
        fill(model)
        await model.pay()
        _ = try await world.service.vault.remove(try #require(model.card?.id))
        let history = PaymentsModel(world.service)
        await history.appear()
        await history.retry(try #require(history.payments.first?.id), code: "789")
        #expect(history.problem == .payment(.noCard) && world.client.requests.count == 2)
    }

    @Test("A ledger that cannot be written stops the payment before it is sent")
    func ledger() async throws {
        let (world, model) = try await ready(.transaction())
        world.ledger.fail(.update, with: .full(path: "/s"))
        fill(model)
        await model.pay()
        #expect(model.phase == .ready && model.problem == .payment(.ledger(.full(path: "/s"))))
        #expect(world.client.requests.count == 1)
        // A user who comes back to the form still sees why nothing was sent.
        await model.appear()
        #expect(model.problem == .payment(.ledger(.full(path: "/s"))))
        model.dismissProblem()
        #expect(model.problem == nil)
    }

    @Test("A payment that was not sent for want of its card says so until the cards are read again")
    func withoutCard() async throws {
        let (world, model) = try await ready(.transaction())
        fill(model)
        _ = try await world.service.vault.remove(try #require(model.card?.id))
        await model.pay()
        #expect(model.problem == .payment(.noCard))
        await model.appear()
        #expect(model.problem == nil && model.needsCard)
        // The reason why a payment was not sent stays, and hides no way to a card.
        model.problem = .payment(.underWay)
        await model.appear()
        #expect(model.problem == .payment(.underWay) && model.needsCard)
        model.problem = .vault(.busy(path: "/v"))
        #expect(!model.needsCard)
    }
}

@MainActor
@Suite("The cards' screens", .timeLimit(.minutes(10)))
struct CardScreenTests {
    @Test("A form saves only what is right, then forgets what was typed")
    func form() async throws {
        let world = PaymentsWorld()
        let model = CardFormModel(world.service)
        #expect(!model.canSave)
        model.edit(.number, "4012 8888 8888 1881")
        model.edit(.holder, "Ana Souza")
        #expect(model.number.isComplete && model.number.brand == .visa && !model.canSave)
        model.edit(.expiry, "12/29")
        #expect(model.canSave)
        #expect(model.has("Ana Souza", in: .holder) && !model.has("Ana Sousa", in: .holder))
        await model.save()
        #expect(model.has("", in: .holder))
        #expect(model.saved?.masked == "•••• 1881" && model.number.digits == 0 && !model.canSave)
        #expect(try await world.service.vault.cards().map(\.masked) == ["•••• 1881"])
    }

    @Test(
        "Wrong fields say so",
        arguments: [
            (CardFormModel.Field.number, "4012888888881882"), (.number, "9999999999999999"), (.expiry, "13/29"),
            (.expiry, "01/21"),
        ])
    func wrong(field: CardFormModel.Field, text: String) {
        let model = CardFormModel(PaymentsWorld().service)
        model.edit(field, text)
        #expect((field == .number ? model.number.error != nil : model.expiry.error != nil) && !model.canSave)
    }

    @Test("The test card is taken, with its expiry long gone, only where it is allowed", arguments: [true, false])
    func testCard(allowed: Bool) async throws {
        let world = PaymentsWorld(allowsTestCard: allowed)
        let model = CardFormModel(world.service)
        model.edit(.number, "1111 1111 1111 1111")
        model.edit(.holder, "Ana Souza")
        model.edit(.expiry, "01/18")
        #expect(model.canSave == allowed && model.isTestCard == allowed)
        await model.save()
        #expect(try await world.service.vault.cards().map(\.isTestCard) == (allowed ? [true] : []))
    }

    @Test(
        "The name that is kept is the one that was checked",
        arguments: ["  Ana   Souza ", "Ana\u{2003}\n Souza\u{A0}"])
    func holderIsKept(text: String) async throws {
        let world = PaymentsWorld()
        let model = CardFormModel(world.service)
        model.edit(.number, "4012 8888 8888 1881")
        model.edit(.holder, text)
        model.edit(.expiry, "12/29")
        await model.save()
        #expect(try await world.service.vault.cards().map(\.holder) == ["Ana Souza"])
    }

    @Test("An expiry date with a sign is no date of the test card, and ends nothing", arguments: ["01/-1", "+1/+8"])
    func signedExpiry(text: String) {
        let model = CardFormModel(PaymentsWorld(allowsTestCard: true).service)
        model.edit(.number, "1111 1111 1111 1111")
        model.edit(.holder, "Ana Souza")
        model.edit(.expiry, text)
        #expect(!model.canSave && model.expiry.problem == .malformed)
    }

    @Test(
        "A declined card is no longer the default, until it is chosen again or approved; without another one it stays")
    func declinedDefault() async throws {
        let world = PaymentsWorld(.transaction(success: false), .transaction(), .transaction(success: false))
        let good = try await world.service.add(
            CardNumber("4012888888881881"), holder: "Ana", expiry: Expiry(month: 12, year: 2029))
        let code = try SecurityCode("123", for: good.brand)
        let bad = try await world.service.add(
            CardNumber("5555555555554444"), holder: "Ana", expiry: Expiry(month: 12, year: 2029))
        func chosen() async throws -> UUID? {
            await world.service.chosenCard(of: try await world.service.vault.cards())?.id
        }
        func pay() async throws -> PaymentRecord.State {
            let card = try #require(try await world.service.vault.card(bad.id))
            return try await world.service.pay(Money(cents: 7990), to: world.contact, with: card, code: code).state
        }
        #expect(try await chosen() == bad.id, "the card added last")
        #expect(try await pay() == .declined)
        #expect(try await chosen() == good.id)
        try await world.service.choose(bad.id)
        #expect(try await chosen() == bad.id)
        try await world.service.choose(good.id)
        #expect(try await pay() == .approved)
        #expect(try await chosen() == good.id, "paying with a card does not choose it")
        try await world.service.choose(bad.id)
        #expect(try await pay() == .declined)
        _ = try await world.service.vault.remove(good.id)
        #expect(try await chosen() == bad.id, "there is no other one")
    }

    @Test("An older copy of the cards shows none until the user decides", arguments: [true, false])
    func olderCopy(isAccepted: Bool) async throws {
        let world = PaymentsWorld()
        let kept = try await world.service.add(
            CardNumber("4012888888881881"), holder: "Ana", expiry: Expiry(month: 12, year: 2029))
        let file = world.folder.appending(path: "cards/cards.vault")
        let older = try Data(contentsOf: file)
        _ = try await world.service.vault.remove(kept.id)
        try older.write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let model = CardsModel(world.service)
        await model.appear()
        #expect(model.isOlderCopy && model.cards.isEmpty)
        if isAccepted { await model.acceptOlder() } else { await model.discardOlder() }
        #expect(!model.isOlderCopy && model.error == nil && model.cards.map(\.id) == (isAccepted ? [kept.id] : []))
    }

    @Test("Cards are listed, chosen and removed")
    func cards() async throws {
        let world = PaymentsWorld()
        let first = try await world.service.add(
            CardNumber("4012888888881881"), holder: "Ana", expiry: Expiry(month: 12, year: 2029))
        let second = try await world.service.add(
            CardNumber("5555555555554444"), holder: "Ana", expiry: Expiry(month: 12, year: 2029))
        let model = CardsModel(world.service)
        await model.appear()
        #expect(model.cards.map(\.id) == [first.id, second.id] && model.chosen == second.id)
        await model.choose(first.id)
        #expect(await world.service.chosenCard(of: model.cards)?.id == first.id)
        world.ledger.fail(.save, with: .full(path: "/disk"))
        await model.choose(second.id)
        #expect(model.error == .full(path: "/disk") && model.chosen == first.id)
        world.ledger.heal()
        await model.remove(first.id)
        #expect(model.cards.map(\.id) == [second.id] && model.chosen == second.id)
    }
}
