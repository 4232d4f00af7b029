import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPayments

/// A page that loses the model which it told to pay gives the key of its attempt to the next model.
@MainActor
@Suite("An attempt of a page", .timeLimit(.minutes(10)))
struct AttemptTests {
    private let attempt = UUID()

    /// A service with a card.
    private func world(_ replies: ScriptedHTTPClient.Reply...) async throws -> PaymentsWorld {
        try await withCard(PaymentsWorld(client: ScriptedHTTPClient([.contacts] + replies)))
    }

    private func withCard(_ world: PaymentsWorld) async throws -> PaymentsWorld {
        _ = try await world.service.add(
            CardNumber("4012888888881881"), holder: "Ana", expiry: Expiry(month: 12, year: 2029))
        return world
    }

    /// A model that has never heard of the page, with its form filled in.
    private func screen(_ world: PaymentsWorld, digits: String = "7990") async -> PaymentModel {
        let model = PaymentModel(world.service, contact: 1002)
        await model.appear()
        model.enter(digits: digits)
        model.enter(code: "789")
        return model
    }

    private func keys(_ world: PaymentsWorld) -> [String?] {
        world.client.requests.filter { $0.method == .post }.map { $0.headers["Idempotency-Key"] }
    }

    @Test("that another model has made is shown, and is not made again", arguments: [true, false])
    func repeated(isApproved: Bool) async throws {
        let world = try await world(.transaction(success: isApproved))
        await screen(world).pay(attempt: attempt)
        let next = await screen(world)
        await next.pay(attempt: attempt)
        let record = try #require(try await world.desk.ledger.record(attempt))
        #expect(next.phase == (isApproved ? .approved(record) : .declined(record)))
        #expect(keys(world) == [attempt.uuidString])
    }

    @Test("whose outcome is unknown is sent again under its key")
    func unknown() async throws {
        let world = try await world(.failure(TransportError(.interrupted)), .transaction())
        await screen(world).pay(attempt: attempt)
        let next = await screen(world)
        await next.pay(attempt: attempt)
        guard case .approved = next.phase else { return #expect(Bool(false), "\(next.phase)") }
        #expect(keys(world) == [attempt.uuidString, attempt.uuidString])
    }

    @Test("that is being sent is shown as such, and then as it has ended")
    func underWay() async throws {
        let world = try await withCard(
            PaymentsWorld(client: ScriptedHTTPClient { $0.method == .post ? .held : .contacts }))
        let first = await screen(world)
        let paying = Task { await first.pay(attempt: attempt) }
        let exchange = await world.client.exchange(1)
        let next = await screen(world)
        await next.pay(attempt: attempt)
        guard case .unknown(let record) = next.phase else { return #expect(Bool(false), "\(next.phase)") }
        #expect(record.state == .sending && record.id == attempt)
        exchange.respond(body: Answer.approvedBody)
        await paying.value
        #expect(
            await eventually {
                if case .approved = next.phase { true } else { false }
            })
        #expect(keys(world).count == 1)
    }

    @Test("that was not sent is sent under its key, and a page without keys still pays")
    func failed() async throws {
        let world = try await world(.refused, .transaction(), .transaction())
        await screen(world).pay(attempt: attempt)
        let next = await screen(world)
        await next.pay(attempt: attempt)
        #expect(keys(world) == [attempt.uuidString, attempt.uuidString])
        next.again()
        next.enter(digits: "7990")
        next.enter(code: "789")
        await next.pay()
        #expect(Set(keys(world)).count == 2)
    }

    @Test("does not pay another amount: the key of a payment is refused for another one, however often")
    func otherAmount() async throws {
        let world = try await world(.transaction())
        await screen(world).pay(attempt: attempt)
        let next = await screen(world, digits: "8000")
        await next.pay(attempt: attempt)
        let record = try #require(try await world.desk.ledger.record(attempt))
        #expect(next.phase == .earlier([record]))
        await next.payOnceMore()
        #expect(next.phase == .earlier([record]) && keys(world).count == 1)
    }

    @Test("of another amount is shown before the next one is made, which has a key of its own")
    func doubts() async throws {
        let world = try await world(.transaction(), .transaction(value: "80"))
        await screen(world).pay(attempt: attempt)
        let record = try #require(try await world.desk.ledger.record(attempt))
        let (next, other) = (await screen(world, digits: "8000"), UUID())
        await next.pay(attempt: other, doubts: [attempt, UUID()])
        #expect(next.phase == .earlier([record]) && keys(world).count == 1)
        await next.payOnceMore()
        guard case .approved(let made) = next.phase else { return #expect(Bool(false), "\(next.phase)") }
        #expect(made.id == other && made.amount.cents == 8000)
    }

    @Test("that was declined or not sent is no reason to ask", arguments: [true, false])
    func noDoubt(isDeclined: Bool) async throws {
        let world = try await world(isDeclined ? .transaction(success: false) : .refused, .transaction(value: "80"))
        await screen(world).pay(attempt: attempt)
        let next = await screen(world, digits: "8000")
        await next.pay(attempt: UUID(), doubts: [attempt])
        guard case .approved = next.phase else { return #expect(Bool(false), "\(next.phase)") }
    }

    @Test("is not asked about in vain: without the ledger nothing is sent")
    func unreadable() async throws {
        let world = try await world(.transaction())
        let model = await screen(world)
        world.ledger.fail(.retrieve, with: .busy(path: "/s"))
        await model.pay(attempt: UUID(), doubts: [attempt])
        #expect(model.problem == .payment(.ledger(.busy(path: "/s"))) && keys(world).isEmpty)
    }

    @Test("is shown to a page that comes back, with its amount, and nothing is sent")
    func resumed() async throws {
        let world = try await world(.transaction())
        await screen(world).pay(attempt: attempt)
        let next = await screen(world, digits: "")
        #expect(await next.resume(attempt) == .approved)
        let record = try #require(try await world.desk.ledger.record(attempt))
        #expect(next.phase == .approved(record) && next.amount.cents == 7990 && keys(world).count == 1)
    }

    @Test("that was not recorded leaves the form of a page that comes back as it is")
    func neverBegun() async throws {
        let world = try await world()
        let model = await screen(world)
        #expect(await model.resume(attempt) == nil)
        #expect(model.phase == .ready && model.canPay)
    }

    @Test("that the user gave up is told to a page that comes back, and leaves the form as it is")
    func givenUp() async throws {
        let world = try await world(.failure(TransportError(.interrupted)))
        await screen(world).pay(attempt: attempt)
        _ = try await world.desk.giveUp(attempt)
        let model = await screen(world)
        #expect(await model.resume(attempt) == .abandoned)
        #expect(model.phase == .ready && model.canPay)
    }
}
