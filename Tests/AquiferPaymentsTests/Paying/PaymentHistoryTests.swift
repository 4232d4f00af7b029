import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Observation
import Testing

@testable import AquiferPayments

@Suite("The payments made", .timeLimit(.minutes(10)))
struct PaymentHistoryTests {
    /// A ledger's store with damaged entries whose keys nobody knows.
    private struct NamelessStore: ForwardingStore {
        let base: any CacheStore = RepeatingStore()
        let nameless = Locked([DamagedEntry(key: nil, place: "page 7", reason: "it is cut")])

        func contents() async throws(StoreError) -> StoreContents {
            var contents = try await base.contents()
            contents.damaged += nameless.withLock { $0 }
            return contents
        }

        func remove(_ damaged: DamagedEntry) async throws(StoreError) {
            nameless.withLock { $0.removeAll { $0 == damaged } }
        }
    }

    /// A world with a payment of unknown outcome, and its number.
    private func unknown(_ replies: ScriptedHTTPClient.Reply...) async throws -> (PaymentsWorld, UUID) {
        let rest = Locked(([.failure(TransportError(.interrupted))] + replies)[...])
        let world = PaymentsWorld(client: ScriptedHTTPClient { _ in rest.withLock { $0.popFirst() } ?? .held })
        let record = try await world.desk.send(world.order())
        #expect(record.state == .unknown)
        return (world, record.id)
    }

    @Test("A damaged entry of which nobody knows the key is deleted when the user says so, and is told no more")
    func unnamed() async throws {
        let ledger = PaymentLedger(NamelessStore())
        #expect(try await ledger.contents().unreadable.map(\.id) == [nil])
        #expect(try await ledger.discardUnnamed() == 1)
        #expect(try await ledger.contents().unreadable.isEmpty)
        #expect(try await ledger.discardUnnamed() == 0)
    }

    @Test("A damaged entry under the key of something else is no payment, and is not deleted as one")
    func namedOtherwise() async throws {
        let store = NamelessStore()
        let named = ["item:1", "payment:x", "mystery"].map { DamagedEntry(key: $0, place: $0, reason: "it is cut") }
        store.nameless.withLock { $0 += named }
        let ledger = PaymentLedger(store) { $0.hasPrefix("item:") }
        #expect(try await ledger.contents().unreadable.count == 3)
        #expect(try await ledger.discardUnnamed() == 3)
        #expect(store.nameless.withLock { $0 } == [named[0]])
        #expect(try await ledger.contents().unreadable.isEmpty)
    }

    @MainActor @Test("A payment that another screen or process records is on a screen that was there before")
    func followed() async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient { _ in .failure(TransportError(.interrupted)) })
        let model = PaymentsModel(world.service)
        await model.appear()
        #expect(model.isLoaded && model.payments.isEmpty)
        let record = try await world.desk.send(world.order())
        #expect(await eventually { model.payments.map(\.id) == [record.id] && model.payments[0].state == .unknown })
        _ = try await world.desk.giveUp(record.id)
        #expect(await eventually { model.payments[0].state == .abandoned })
    }

    @Test("The next outcome is waited for: for a second, because other processes do not tell")
    func nextOutcome() async {
        let world = PaymentsWorld()
        let hasEnded = Locked(false)
        let waiting = Task {
            await world.desk.nextOutcome()
            hasEnded.withLock { $0 = true }
        }
        #expect(await eventually { !world.clock.sleepers.isEmpty || hasEnded.withLock { $0 } })
        #expect(!hasEnded.withLock { $0 })
        world.clock.advance(by: .seconds(1))
        await waiting.value
    }

    @Test("An answer of more than a mebibyte decides nothing", arguments: [0, 1])
    func longAnswer(bytesTooMany: Int) async throws {
        let padding = (1 << 20) + bytesTooMany - Answer.approvedBody.count
        let body = Answer.approvedBody + Data(repeating: UInt8(ascii: " "), count: padding)
        let world = PaymentsWorld(.answer(body: body))
        #expect(try await world.desk.send(world.order()).state == (bytesTooMany > 0 ? .unknown : .approved))
    }

    @MainActor
    @Test("The history asks for the outcome of a payment, and shows it")
    func check() async throws {
        let (world, id) = try await unknown(.transaction())
        let history = PaymentsModel(world.service)
        await history.appear()
        #expect(history.payments.map(\.state) == [.unknown])
        await history.check(id)
        #expect(history.payments.map(\.state) == [.approved] && history.problem == nil)
        #expect(world.client.requests.count == 2)
    }

    @MainActor
    @Test("A double tap on check asks once")
    func doubleCheck() async throws {
        let (world, id) = try await unknown()
        let history = PaymentsModel(world.service)
        await history.appear()
        let first = Task { await history.check(id) }
        let exchange = await world.client.exchange(1)
        let hasEnded = Locked(false)
        let second = Task {
            await history.check(id)
            hasEnded.withLock { $0 = true }
        }
        #expect(await eventually { hasEnded.withLock { $0 } || world.client.requests.count > 2 })
        #expect(world.client.requests.count == 2 && history.busy == [id])
        second.cancel()
        exchange.respond(body: Answer.approvedBody)
        await first.value
        await second.value
        #expect(history.payments.map(\.state) == [.approved] && history.busy.isEmpty)
    }

    // MARK: The default card

    /// Two cards, of which the second is the default, as it was added last.
    private func twoCards(_ world: PaymentsWorld) async throws -> (CardSummary, CardSummary) {
        let first = try await world.service.add(
            CardNumber("4012888888881881"), holder: "Ana", expiry: Expiry(month: 12, year: 2029))
        let second = try await world.service.add(
            CardNumber("5555555555554444"), holder: "Ana", expiry: Expiry(month: 12, year: 2029))
        return (first, second)
    }

    private func pay(_ world: PaymentsWorld, _ card: CardSummary, cents: Int = 7990) async throws -> PaymentRecord {
        let whole = try #require(try await world.service.vault.card(card.id))
        return try await world.service.pay(
            Money(cents: cents), to: world.contact, with: whole, code: SecurityCode("123", for: card.brand))
    }

    private func chosen(_ world: PaymentsWorld) async throws -> UUID? {
        await world.service.chosenCard(of: try await world.service.vault.cards())?.id
    }

    @Test("A card is no longer the default once a check shows that it was declined")
    func declinedByCheck() async throws {
        let world = PaymentsWorld(.failure(TransportError(.interrupted)), .transaction(success: false))
        let (good, bad) = try await twoCards(world)
        let record = try await pay(world, bad)
        #expect(try await chosen(world) == bad.id)
        #expect(try await world.service.check(record.id)?.state == .declined)
        #expect(try await chosen(world) == good.id)
    }

    @Test("A look at a payment that was declined before its card was chosen leaves it", arguments: [true, false])
    func oldDecline(isKnown: Bool) async throws {
        let world = PaymentsWorld(
            isKnown ? .transaction(success: false) : .failure(TransportError(.interrupted)),
            .transaction(success: false))
        let (_, bad) = try await twoCards(world)
        let record = try await pay(world, bad)
        world.date.advance(by: 60)
        try await world.service.choose(bad.id)
        world.date.advance(by: 60)
        #expect(try await world.service.check(record.id)?.state == .declined)
        #expect(try await chosen(world) == bad.id)
    }

    @Test("A look at an old decline leaves the approval of a later payment")
    func declineBeforeApproval() async throws {
        let world = PaymentsWorld(.transaction(success: false), .transaction(value: "10"))
        let (_, card) = try await twoCards(world)
        let declined = try await pay(world, card)
        world.date.advance(by: 60)
        #expect(try await pay(world, card, cents: 1000).state == .approved)
        #expect(try await chosen(world) == card.id)
        #expect(try await world.service.check(declined.id)?.state == .declined)
        #expect(try await chosen(world) == card.id)
    }

    @Test("An approval that is found out late leaves the decline of a later payment")
    func oldApproval() async throws {
        let world = PaymentsWorld(
            .failure(TransportError(.interrupted)), .transaction(success: false, value: "10"), .transaction())
        let (good, bad) = try await twoCards(world)
        let old = try await pay(world, bad)
        world.date.advance(by: 60)
        #expect(try await pay(world, bad, cents: 1000).state == .declined)
        world.date.advance(by: 60)
        #expect(try await world.service.check(old.id)?.state == .approved)
        #expect(try await chosen(world) == good.id)
    }

    @Test("Of cards that were all declined the chosen one is the default")
    func allDeclined() async throws {
        let world = PaymentsWorld(.transaction(success: false), .transaction(success: false))
        let (first, second) = try await twoCards(world)
        try await world.service.choose(second.id)
        #expect(try await pay(world, first).state == .declined)
        #expect(try await pay(world, second).state == .declined)
        #expect(try await chosen(world) == second.id)
    }

    @MainActor
    @Test("A card that is chosen for a payment is the one for later payments, too")
    func choiceStays() async throws {
        let world = PaymentsWorld(.contacts)
        let (first, second) = try await twoCards(world)
        let model = PaymentModel(world.service, contact: 1002)
        await model.appear()
        #expect(model.card?.id == second.id)
        await model.choose(first.id)
        #expect(model.card?.id == first.id)
        #expect(try await chosen(world) == first.id)
    }

    @MainActor
    @Test("The list of cards shows a choice at once, before it is stored")
    func choiceIsShown() async throws {
        let world = PaymentsWorld()
        let (first, _) = try await twoCards(world)
        let model = CardsModel(world.service)
        await model.appear()
        world.ledger.forgetCalls()
        let before = Locked<Int?>(nil)
        withObservationTracking {
            _ = model.chosen
        } onChange: {
            before.withLock { $0 = world.ledger.calls.count }
        }
        await model.choose(first.id)
        #expect(before.withLock { $0 } == 0 && !world.ledger.calls.isEmpty && model.chosen == first.id)
    }

    @MainActor
    @Test("A form without a name, or with digits for a name, cannot be saved", arguments: ["", "  ", "4012 8888"])
    func holder(_ name: String) async throws {
        let world = PaymentsWorld()
        let model = CardFormModel(world.service)
        model.edit(.number, "4012 8888 8888 1881")
        model.edit(.expiry, "12/29")
        model.edit(.holder, name)
        #expect(!model.canSave)
        await model.save()
        #expect(try await world.service.vault.cards().isEmpty)
        model.edit(.holder, "Ana Souza")
        #expect(model.canSave)
    }
}
