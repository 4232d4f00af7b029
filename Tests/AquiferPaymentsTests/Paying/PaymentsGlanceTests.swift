import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPayments

@MainActor
@Suite("The payments at a glance", .timeLimit(.minutes(10)))
struct PaymentsGlanceTests {
    /// A world whose remote answers in this order, and with nothing after that.
    private func world(_ replies: ScriptedHTTPClient.Reply...) -> PaymentsWorld {
        let rest = Locked(replies[...])
        return PaymentsWorld(
            client: ScriptedHTTPClient { _ in
                rest.withLock { $0.popFirst() } ?? .failure(TransportError(.interrupted))
            })
    }

    @Test("A payment without an answer is counted, and no more once its outcome is known")
    func counted() async throws {
        let world = world(.failure(TransportError(.interrupted)), .transaction())
        let glance = PaymentsGlance(world.service)
        await glance.appear()
        #expect(glance.unresolved.isEmpty && glance.found == nil)
        let record = try await world.desk.send(world.order())
        #expect(await eventually { glance.unresolved.map(\.id) == [record.id] })
        await glance.check()
        #expect(glance.unresolved.isEmpty && glance.found?.id == record.id && glance.found?.state == .approved)
    }

    @Test("A check that the server cannot answer changes nothing")
    func unanswered() async throws {
        let world = world(.failure(TransportError(.interrupted)), .noTransaction)
        let record = try await world.desk.send(world.order())
        let glance = PaymentsGlance(world.service)
        await glance.appear()
        await glance.check()
        await glance.check()
        #expect(glance.unresolved.map(\.id) == [record.id] && glance.found == nil)
        #expect(try await world.desk.ledger.record(record.id)?.state == .unknown)
    }

    @Test("It is checked by itself after a pause, which doubles while nothing is found")
    func pauses() async throws {
        let world = world(.failure(TransportError(.interrupted)), .noTransaction, .transaction())
        _ = try await world.desk.send(world.order())
        let clock = ManualClock()
        let glance = PaymentsGlance(world.service, clock: clock)
        let task = Task { await glance.run() }
        defer { task.cancel() }
        await clock.waitForSleepers()
        #expect(glance.unresolved.count == 1 && clock.sleepers == [PaymentsGlance.firstPause])
        clock.advance(by: PaymentsGlance.firstPause)
        await clock.waitForSleepers()
        #expect(glance.unresolved.first?.notFoundAt != nil && clock.sleepers == [PaymentsGlance.firstPause * 2])
        clock.advance(by: PaymentsGlance.firstPause * 2)
        await clock.waitForSleepers()
        #expect(glance.found != nil && glance.unresolved.isEmpty && clock.sleepers == [PaymentsGlance.firstPause])
    }

    @Test("Who was paid last comes first, and once; a payment that was declined paid nobody")
    func recent() async throws {
        let world = world(.transaction(), .transaction(success: false, value: "1"), .transaction(value: "2"))
        let glance = PaymentsGlance(world.service)
        _ = try await world.desk.send(world.order())
        await glance.appear()
        #expect(glance.recent == [world.contact.id])
        _ = try await world.desk.send(world.order(100))
        _ = try await world.desk.send(world.order(200))
        await glance.appear()
        #expect(glance.recent == [world.contact.id])
    }

    @Test("A screen that shows an unknown payment shows its outcome, whoever finds it")
    func shown() async throws {
        let world = world(.contacts, .failure(TransportError(.interrupted)), .transaction())
        let card = try world.card()
        try await world.service.vault.add(card)
        let model = PaymentModel(world.service, contact: world.contact.id)
        await model.appear()
        model.enter(digits: "7990")
        model.enter(code: "789")
        await model.pay()
        guard case .unknown(let record) = model.phase else {
            Issue.record("\(model.phase)")
            return
        }
        let glance = PaymentsGlance(world.service)
        await glance.appear()
        await glance.check()
        #expect(glance.found?.id == record.id)
        #expect(
            await eventually {
                guard case .approved(let settled) = model.phase else { return false }
                return settled.id == record.id
            })
    }
}
