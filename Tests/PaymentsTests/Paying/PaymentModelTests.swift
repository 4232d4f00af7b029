import Aquifer
import AquiferTesting
import Foundation
import Observation
import Testing

@testable import Payments

@MainActor
@Suite("The payment's screen", .timeLimit(.minutes(1)))
struct PaymentModelTests {
    private let number = "4012888888881881"

    /// A world whose contacts are saved and whose vault has a card, and its screen, ready.
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

    @Test("A contact that is not there, or cannot be had, is said")
    func missing() async {
        let model = PaymentModel(PaymentsWorld(.contacts).service, contact: 7)
        await model.appear()
        #expect(model.phase == .missing(nil))
        let offline = PaymentModel(PaymentsWorld(.refused).service, contact: 1002)
        await offline.appear()
        #expect(offline.phase == .missing(.connectivity(TransportError(.cannotConnect))))
    }

    @Test(
        "The amount grows from the right, and no further than the limit has digits",
        arguments: [
            ("", 0), ("0", 0), ("7", 7), ("7990", 7990), ("007990", 7990), ("R$ 79,90", 7990),
            ("100000000", 100_000_000),
        ])
    func amount(digits: String, cents: Int) async throws {
        let (world, model) = try await ready()
        defer { withExtendedLifetime(world) {} }
        model.enter(digits: digits)
        #expect(model.amount.cents == cents)
        model.enter(digits: "1234567890")
        #expect(model.amount.cents == cents, "one digit too many is not taken")
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
        await eventually { history.payments.map(\.state) == [.sending] }
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

    @Test("A ledger that cannot be written stops the payment before it is sent")
    func ledger() async throws {
        let (world, model) = try await ready(.transaction())
        world.ledger.fail(.update, with: .full(path: "/s"))
        fill(model)
        await model.pay()
        #expect(model.phase == .ready && model.problem == .payment(.ledger(.full(path: "/s"))))
        #expect(world.client.requests.count == 1)
    }
}

@MainActor
@Suite("The cards' screens", .timeLimit(.minutes(1)))
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
        await model.save()
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
        await model.remove(first.id)
        #expect(model.cards.map(\.id) == [second.id] && model.chosen == second.id)
    }
}
