import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPayments

/// A payment that was not made, and another one like it that was made since: the user has probably paid by it.
@MainActor
@Suite("A payment made since", .timeLimit(.minutes(10)))
struct MadeSinceTests {
    private let code = "789"

    /// A service with a card, the card, and its code.
    private func paying(_ replies: ScriptedHTTPClient.Reply...) async throws -> (PaymentsWorld, Card, SecurityCode) {
        let world = PaymentsWorld(client: ScriptedHTTPClient([.contacts] + replies))
        let kept = try await world.service.add(
            CardNumber("4012888888881881"), holder: "Ana", expiry: Expiry(month: 12, year: 2029))
        _ = try await world.service.contact(1002)
        let card = try #require(try await world.service.vault.card(kept.id))
        return (world, card, try SecurityCode(code, for: card.number.brand))
    }

    private func pay(
        _ world: PaymentsWorld, _ card: Card, _ code: SecurityCode, cents: Int = 7990, besides: Set<UUID> = []
    )
        async throws -> PaymentRecord
    {
        world.date.advance(by: 60)
        return try await world.service.pay(
            Money(cents: cents), to: world.contact, with: card, code: code, besides: besides)
    }

    /// A screen with its form filled in.
    private func screen(_ world: PaymentsWorld) async -> PaymentModel {
        let model = PaymentModel(world.service, contact: 1002)
        await model.appear()
        model.enter(digits: "7990")
        model.enter(code: code)
        return model
    }

    @Test("A payment that was not sent, or was given up, is not sent again without a word", arguments: [true, false])
    func refuses(isGivenUp: Bool) async throws {
        let (world, card, code) = try await paying(
            isGivenUp ? .failure(TransportError(.interrupted)) : .refused, .transaction(), .transaction())
        let first = try await pay(world, card, code)
        if isGivenUp { _ = try await world.desk.giveUp(first.id) }
        let second = try await pay(world, card, code, besides: [first.id])
        #expect(second.state == .approved)
        let asked = world.client.requests.count
        await #expect(throws: PaymentError.unresolved([second])) {
            try await world.service.payAgain(first, with: card, code: code)
        }
        #expect(world.client.requests.count == asked)
        // The user was shown it, and means a second payment.
        let third = try await world.service.payAgain(
            first, with: card, code: code, besides: [second.id], approved: [second.id])
        #expect(third.id == first.id && third.state == .approved)
    }

    @Test("One whose outcome is unknown is not sent again either, when the user has paid besides it")
    func unknown() async throws {
        let (world, card, code) = try await paying(.failure(TransportError(.interrupted)), .transaction())
        let first = try await pay(world, card, code)
        let second = try await pay(world, card, code, besides: [first.id])
        await #expect(throws: PaymentError.unresolved([second])) {
            try await world.service.payAgain(first, with: card, code: code)
        }
    }

    @Test("A clock that was set back hides no payment made since", arguments: [false, true])
    func clockSetBack(isUnknown: Bool) async throws {
        let (world, card, code) = try await paying(
            .transaction(), isUnknown ? .failure(TransportError(.interrupted)) : .refused, .transaction())
        _ = try await pay(world, card, code)
        let first = try await pay(world, card, code)
        world.date.advance(by: -86_400)
        let second = try await pay(world, card, code, besides: [first.id])
        #expect(second.state == .approved && second.startedAt < first.startedAt)
        await #expect(throws: PaymentError.unresolved([second])) {
            try await world.service.payAgain(first, with: card, code: code)
        }
        #expect(try await world.desk.madeSince(first) == [second])
    }

    @Test("A payment of another amount, or one made before, is no reason to ask")
    func others() async throws {
        let (world, card, code) = try await paying(.transaction(), .refused, .transaction(value: "10"), .transaction())
        _ = try await pay(world, card, code)
        let failed = try await pay(world, card, code)
        _ = try await pay(world, card, code, cents: 1000)
        #expect(try await world.service.payAgain(failed, with: card, code: code).state == .approved)
    }

    @Test("The same payment from the same form is one more try of it: nothing stays to be sent a second time")
    func sameForm() async throws {
        let (world, _, _) = try await paying(.refused, .transaction())
        let model = await screen(world)
        await model.pay()
        guard case .failed(let failed) = model.phase else { return #expect(Bool(false), "\(model.phase)") }
        model.again()
        model.enter(code: code)
        await model.pay()
        guard case .approved(let made) = model.phase else { return #expect(Bool(false), "\(model.phase)") }
        #expect(made.id == failed.id)
        #expect(try await world.desk.ledger.contents().records.map(\.id) == [failed.id])
    }

    @Test("Another amount from the same form is another payment")
    func otherAmount() async throws {
        let (world, _, _) = try await paying(.refused, .transaction(value: "10"))
        let model = await screen(world)
        await model.pay()
        model.again()
        model.enter(digits: "1000")
        model.enter(code: code)
        await model.pay()
        #expect(try await world.desk.ledger.contents().records.count == 2)
    }

    @Test("A screen that shows a payment as unknown leaves it when it is given up elsewhere")
    func givenUpElsewhere() async throws {
        let (world, _, _) = try await paying(.failure(TransportError(.interrupted)))
        let model = await screen(world)
        await model.pay()
        guard case .unknown(let record) = model.phase else { return #expect(Bool(false), "\(model.phase)") }
        _ = try await world.desk.giveUp(record.id)
        #expect(await eventually { model.phase == .ready && model.amount.cents == 0 && !model.canRetry })
    }

    @Test("A retry on a screen that has not heard of the payment made since shows it, and sends nothing")
    func retryOnScreen() async throws {
        let (world, card, code) = try await paying(
            .failure(TransportError(.interrupted)), .transaction(), .transaction())
        let model = await screen(world)
        await model.pay()
        guard case .unknown(let record) = model.phase else { return #expect(Bool(false), "\(model.phase)") }
        let second = try await pay(world, card, code, besides: [record.id])
        let asked = world.client.requests.count
        await model.retry()
        #expect(model.phase == .earlier([second]) && world.client.requests.count == asked)
        await model.checkEarlier()
        #expect(model.phase == .approved(second))
    }

    @Test("The list of payments tells what was made since, and sends again only besides what was shown")
    func history() async throws {
        let (world, card, code) = try await paying(.refused, .transaction(), .transaction())
        let first = try await pay(world, card, code)
        let second = try await pay(world, card, code)
        let list = PaymentsModel(world.service)
        await list.appear()
        #expect(list.madeSince(first) == [second] && list.madeSince(second) == [])
        await list.retry(first.id, code: self.code)
        #expect(list.problem == .payment(.unresolved([second])))
        await list.retry(first.id, code: self.code, besides: [second.id])
        #expect(list.payments.filter { $0.state == .approved }.count == 2)
    }
}
