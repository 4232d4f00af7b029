import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPayments

@Suite("An earlier payment of the same amount to the same person", .timeLimit(.minutes(10)))
struct EarlierPaymentTests {
    private static let lost = ScriptedHTTPClient.Reply.failure(TransportError(.interrupted))

    @Test("While it is not known whether it was made, another one is refused, and nothing is sent or written down")
    func refused() async throws {
        let world = PaymentsWorld(Self.lost)
        let first = try await world.desk.send(world.order())
        let second = try world.order()
        #expect(await error(world, second) == .unresolved([first]))
        #expect(world.client.requests.count == 1)
        #expect(try await world.desk.ledger.contents().records == [first])
        #expect(try await world.locks.isHeld(second.key) == nil, "no lock is left behind")
    }

    @Test("After a restart, and after a kill while it was being sent, it is refused as well")
    func killed() async throws {
        let world = PaymentsWorld()
        let order = try world.order()
        let lease = SendingLease(
            owner: UUID(), until: world.date.now.addingTimeInterval(60), followsDoubt: false)
        let record = PaymentRecord(order, at: world.date.now, server: world.desk.server, lease: lease)
        try await world.desk.ledger.change(order.key) { _ in record }
        try await world.locks.take(order.key)?.release(isSettled: false)
        #expect(await error(world, try world.order()) == .unresolved([record.orphaned]))
        #expect(world.client.requests.isEmpty)
    }

    @Test("A user who was shown it may mean a second payment; one that was not shown refuses it again")
    func besides() async throws {
        let world = PaymentsWorld(Self.lost, Self.lost, .transaction())
        let first = try await world.desk.send(world.order())
        let second = try await world.desk.send(world.order(), besides: [first.id])
        #expect(second.state == .unknown)
        let third = try world.order()
        let error = await failure { () async throws(PaymentError) in
            try await world.desk.send(third, besides: [first.id])
        }
        #expect(error == .unresolved([second]))
        #expect(try await world.desk.send(third, besides: [first.id, second.id]).state == .approved)
    }

    @Test("One that a user was shown as unknown, and that was made by now, is shown again before another one is sent")
    func madeMeanwhile() async throws {
        let world = PaymentsWorld(Self.lost, .transaction(), .transaction())
        let first = try await world.desk.send(world.order())
        let second = try world.order()
        let made = try #require(try await world.desk.check(first.id))
        #expect(made.state == .approved)
        let error = await failure { () async throws(PaymentError) in
            try await world.desk.send(second, besides: [first.id])
        }
        #expect(error == .unresolved([made]))
        #expect(world.client.requests.filter { $0.method == .post }.count == 1)
        let sent = try await world.desk.send(second, besides: [first.id], approved: [first.id])
        #expect(sent.state == .approved)
    }

    @Test("One that is sent again beside another one is held up if that one was made since it was shown")
    func retryMadeMeanwhile() async throws {
        let world = PaymentsWorld(Self.lost, Self.lost, .transaction())
        let order = try world.order()
        let first = try await world.desk.send(order)
        _ = try await world.desk.giveUp(first.id)
        let second = try await world.desk.send(world.order(), besides: [first.id])
        let made = try #require(try await world.desk.check(second.id))
        let error = await failure { () async throws(PaymentError) in
            try await world.desk.send(order, besides: [second.id])
        }
        #expect(error == .unresolved([made]))
    }

    @Test(
        "While it is being sent, nobody means a second payment: what becomes of it is not known yet",
        arguments: [true, false])
    func besidesSending(inOneDesk: Bool) async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient { _ in .held })
        let first = try world.order()
        let desk = world.desk
        let sending = Task { await Self.result { () async throws(PaymentError) in try await desk.send(first) } }
        let exchange = await world.client.exchange(0)
        let other = inOneDesk ? world.desk : world.otherDesk(world.client)
        let second = try world.order()
        let error = await failure { () async throws(PaymentError) in
            try await other.send(second, besides: [first.key])
        }
        guard case .unresolved(let earlier) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(earlier.map(\.id) == [first.key] && earlier.map(\.state) == [.sending])
        #expect(try await world.desk.ledger.contents().records.count == 1)
        exchange.respond(body: Answer.approvedBody)
        #expect(try await sending.value.get().state == .approved)
        #expect(world.client.requests.count == 1)
    }

    @Test("A payment of unknown outcome is not sent again while another one like it is being sent")
    func retryBesidesSending() async throws {
        let world = PaymentsWorld(
            client: ScriptedHTTPClient { request in
                request.method == .post ? .held : .failure(TransportError(.timedOut))
            })
        let desk = world.desk
        let first = try world.order()
        let unanswered = Task { await Self.result { () async throws(PaymentError) in try await desk.send(first) } }
        await world.client.exchange(0).fail(TransportError(.timedOut))
        #expect(try await unanswered.value.get().state == .unknown)
        let second = try world.order()
        let sending = Task {
            await Self.result { () async throws(PaymentError) in try await desk.send(second, besides: [first.key]) }
        }
        var index = 1
        while await world.client.exchange(index).request.method != .post { index += 1 }
        let exchange = await world.client.exchange(index)
        let error = await failure { () async throws(PaymentError) in try await world.otherDesk(world.client).send(first)
        }
        guard case .unresolved(let others) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(others.map(\.id) == [second.key] && others.map(\.state) == [.sending])
        exchange.respond(body: Answer.approvedBody)
        #expect(try await sending.value.get().state == .approved)
    }

    private static func result(
        _ body: () async throws(PaymentError) -> PaymentRecord
    ) async -> Result<PaymentRecord, PaymentError> {
        do throws(PaymentError) { return .success(try await body()) } catch { return .failure(error) }
    }

    @Test("It is sent again under its own key without a question: that is the way out of the doubt")
    func retry() async throws {
        let world = PaymentsWorld(Self.lost, .transaction())
        let order = try world.order()
        #expect(try await world.desk.send(order).state == .unknown)
        #expect(try await world.desk.send(order).state == .approved)
    }

    @Test("A payment that was not made is not sent again beside one that may have been made since")
    func failedBeforeIt() async throws {
        let world = PaymentsWorld(.refused, Self.lost)
        let failed = try world.order()
        #expect(try await world.desk.send(failed).state == .failed)
        let lost = try await world.desk.send(world.order())
        #expect(lost.state == .unknown)
        #expect(await error(world, failed) == .unresolved([lost]))
        #expect(world.client.requests.count == 2)
    }

    @Test(
        "Once it is decided or was never sent, nothing is asked",
        arguments: [ScriptedHTTPClient.Reply.transaction(), .transaction(success: false), .refused])
    func settled(reply: ScriptedHTTPClient.Reply) async throws {
        let world = PaymentsWorld(reply, .transaction())
        _ = try await world.desk.send(world.order())
        #expect(try await world.desk.send(world.order()).state == .approved)
    }

    @Test("Another amount or another person is another payment; the same person at another address of a server is not")
    func others() async throws {
        let world = PaymentsWorld(Self.lost, .transaction(value: "80.00"), .transaction(user: 1003), .transaction())
        let lost = try await world.desk.send(world.order())
        #expect(try await world.desk.send(world.order(8000)).state == .approved)
        let known = try world.order()
        let person = Contact(
            id: 1003, name: "Márcia da Silva", imageURL: world.contact.imageURL, username: "@marcia.silva")
        let order = PaymentOrder(
            key: UUID(), contact: person, amount: known.amount, card: known.card, code: known.code)
        #expect(try await world.desk.send(order).state == .approved)
        let other = PaymentDesk(
            base: try #require(URL(string: "http://other.example")), client: world.client, ledger: world.desk.ledger,
            locks: world.locks, clock: world.clock, now: world.date.read)
        let doubted = try world.order()
        let refusal = await failure { () async throws(PaymentError) in try await other.send(doubted) }
        #expect(refusal == .unresolved([lost]))
        let namesake = Contact(
            id: known.contact.id, name: "Ana", imageURL: world.contact.imageURL, username: "@ana")
        let theirs = PaymentOrder(
            key: UUID(), contact: namesake, amount: known.amount, card: known.card, code: known.code)
        #expect(try await other.send(theirs).state == .approved)
    }

    /// Two desks of two processes, one desk of two windows, and one desk of an app that keeps no locks.
    enum Senders: CaseIterable {
        case processes
        case windows
        case windowsWithoutLocks
    }

    @Test("Of two that are sent at once, by two processes or two windows, one is sent", arguments: Senders.allCases)
    func atOnce(senders: Senders) async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient { _ in .held })
        let desk = senders == .windowsWithoutLocks ? world.otherDesk(world.client, sharesLocks: false) : world.desk
        let other = senders == .processes ? world.otherDesk(world.client) : desk
        let orders = [try world.order(), try world.order()]
        await withTaskGroup(of: Result<PaymentRecord, PaymentError>.self) { group in
            for (desk, order) in zip([desk, other], orders) {
                group.addTask {
                    do throws(PaymentError) { return .success(try await desk.send(order)) } catch {
                        return .failure(error)
                    }
                }
            }
            let exchange = await world.client.exchange(0)
            // The one that was sent is held by the remote, so the refused one ends first.
            let first = await group.next()
            guard case .failure(.unresolved(let earlier)) = first else {
                return #expect(Bool(false), "\(first as Any)")
            }
            #expect(earlier.map(\.state) == [.sending])
            exchange.respond(body: Answer.approvedBody)
            let last = await group.next()
            guard case .success(let record) = last else { return #expect(Bool(false), "\(last as Any)") }
            #expect(record.state == .approved && record.id == earlier.first?.id)
        }
        #expect(world.client.requests.count == 1)
    }

    @Test("A ledger that cannot be read stops the payment before it is sent")
    func unreadable() async throws {
        let world = PaymentsWorld(.transaction())
        world.ledger.fail(.contents, with: .busy(path: "/s"))
        #expect(await error(world, try world.order()) == .ledger(.busy(path: "/s")))
        #expect(world.client.requests.isEmpty)
    }

    private func error(_ world: PaymentsWorld, _ order: PaymentOrder) async -> PaymentError? {
        await failure { () async throws(PaymentError) in try await world.desk.send(order) }
    }
}
