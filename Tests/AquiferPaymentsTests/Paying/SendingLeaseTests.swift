import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPayments

@Suite("A payment that somebody is sending", .timeLimit(.minutes(10)))
struct SendingLeaseTests {
    @Test(
        "While another process sends it, a 404 decides nothing, and nobody sends it, gives it up or shows it as unknown"
    )
    func elsewhere() async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient())
        let order = try world.order()
        let sending = Task { try await world.desk.send(order) }
        let exchange = await world.client.exchange(0)
        let asked = ScriptedHTTPClient([.noTransaction])
        let other = world.otherDesk(asked)
        let written = try #require(try await other.ledger.record(order.key))
        #expect(await other.present(written).state == .sending)
        #expect(try await other.check(order.key)?.state == .sending)
        #expect(await failure { () async throws(PaymentError) in try await other.send(order) } == .underWay)
        #expect(await failure { () async throws(PaymentError) in try await other.giveUp(order.key) } == .underWay)
        #expect(try await other.ledger.record(order.key) == written)
        #expect(asked.requests.map(\.method) == [.get])
        exchange.respond(body: Answer.approvedBody)
        #expect(try await sending.value.state == .approved)
    }

    @Test("While another process sends it, a check that is shown its transaction decides it, and the sender agrees")
    func decidedElsewhere() async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient())
        let order = try world.order()
        let sending = Task { try await world.desk.send(order) }
        let exchange = await world.client.exchange(0)
        #expect(try await world.otherDesk(ScriptedHTTPClient([.transaction()])).check(order.key)?.state == .approved)
        exchange.fail(TransportError(.interrupted))
        #expect(try await sending.value.state == .approved)
    }

    @Test("The lock of a living sender outweighs its lease's end: it may have been stopped for long")
    func stopped() async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient([.noTransaction]))
        let record = try await leased(world)
        let lock = try #require(try await world.locks.take(record.id))
        world.date.advance(by: 86_400)
        #expect(await world.desk.present(record).state == .sending)
        #expect(try await world.desk.check(record.id)?.state == .sending)
        await lock.release(isSettled: false)
        #expect(await world.desk.present(record).state == .unknown)
    }

    @Test(
        "A sending payment whose lock is free is not known at once; a 404 then is noted, and the key stays the way on"
    )
    func killed() async throws {
        let world = PaymentsWorld(.noTransaction, .transaction())
        let order = try world.order()
        let record = try await leased(world, order)
        try await leftBehind(world, order.key)
        #expect(await world.desk.present(record).state == .unknown)
        let checked = try await world.desk.check(order.key)
        #expect(checked?.state == .unknown && checked?.notFoundAt != nil && checked?.lease == nil)
        #expect(try await world.desk.send(order).state == .approved)
        #expect(world.client.requests.last?.headers["Idempotency-Key"] == order.key.uuidString)
    }

    @Test("A killed sender's retry that cannot connect leaves the payment unknown, for the first try may have arrived")
    func killedThenOffline() async throws {
        let world = PaymentsWorld(.refused)
        let order = try world.order()
        _ = try await leased(world, order)
        #expect(try await world.desk.send(order).state == .unknown)
    }

    @Test("Without a lock to look at, the end of the turn tells, and nothing moves it")
    func byDate() async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient())
        let order = try world.order()
        let desk = world.otherDesk(world.client, sharesLocks: false)
        let sending = Task { try await desk.send(order) }
        let exchange = await world.client.exchange(0)
        let other = world.otherDesk(ScriptedHTTPClient([.noTransaction]), sharesLocks: false)
        let written = try #require(try await other.ledger.record(order.key))
        #expect(written.lease?.until == world.date.now.addingTimeInterval(60))
        world.date.advance(by: 59)
        world.clock.advance(by: .seconds(59))
        #expect(await other.present(written).state == .sending)
        #expect(await failure { () async throws(PaymentError) in try await other.send(order) } == .underWay)
        #expect(try await other.ledger.record(order.key) == written)
        world.date.advance(by: 1)
        #expect(await other.present(written).state == .unknown)
        #expect(try await other.giveUp(order.key)?.state == .abandoned)
        exchange.respond(body: Answer.approvedBody)
        #expect(try await sending.value.state == .approved, "what the remote says is true, however late")
        #expect(try await other.ledger.record(order.key)?.state == .approved)
    }

    @Test("A lock whose file is gone says nothing: the end of the turn tells")
    func lostLock() async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient())
        let record = try await leased(world)
        #expect(await world.desk.present(record).state == .sending)
        world.date.advance(by: 60)
        #expect(await world.desk.present(record).state == .unknown)
    }

    @Test("A clock that was set back or ahead holds nothing up", arguments: [-86_400.0, 86_400])
    func clockMoved(by seconds: TimeInterval) async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient())
        let record = try await leased(world)
        world.date.advance(by: seconds)
        #expect(await world.otherDesk(world.client, sharesLocks: false).present(record).state == .unknown)
    }

    @Test("The lock's file goes with the payment's end, and stays, free, if the end could not be written down")
    func files() async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient())
        for isFull in [false, true] {
            let order = try world.order()
            let sending = Task { try await world.desk.send(order) }
            let exchange = await world.client.exchange(isFull ? 1 : 0)
            #expect(try await world.locks.isHeld(order.key) == true)
            if isFull { world.ledger.fail(.update, with: .full(path: "/s")) }
            exchange.respond(body: Answer.approvedBody)
            #expect(try await sending.value.state == .approved)
            #expect(try await world.locks.isHeld(order.key) == (isFull ? false : nil))
        }
    }

    @Test("A lock that cannot be had stops the payment before it is sent")
    func noLock() async throws {
        let world = PaymentsWorld(.transaction())
        try FileManager.default.createDirectory(at: world.folder, withIntermediateDirectories: true)
        try Data().write(to: world.folder.appending(path: "sending"))
        let order = try world.order()
        let error = await failure { () async throws(PaymentError) in try await world.desk.send(order) }
        guard case .ledger = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(world.client.requests.isEmpty)
    }

    @Test("A dead sender's payment, which the remote shows with another amount, is not known, for whoever asks")
    func otherAmount() async throws {
        let world = PaymentsWorld(.transaction(value: "1.00"))
        let record = try await leased(world)
        try await leftBehind(world, record.id)
        #expect(try await world.desk.check(record.id)?.state == .unknown)
        let written = try await world.desk.ledger.record(record.id)
        #expect(written?.state == .unknown && written?.lease == nil)
        #expect(written?.notFoundAt == nil, "the remote knows the key")
    }

    @Test("The file of a dead sender's lock goes when a check decides the payment", arguments: [true, false])
    func fileAfterCheck(isFound: Bool) async throws {
        let world = PaymentsWorld(isFound ? .transaction() : .noTransaction)
        let record = try await leased(world)
        try await leftBehind(world, record.id)
        #expect(try await world.desk.check(record.id)?.state == (isFound ? .approved : .unknown))
        #expect(try await world.locks.isHeld(record.id) == nil)
    }

    @Test("The file of a dead sender's lock goes when the user gives the payment up")
    func fileAfterGivingUp() async throws {
        let world = PaymentsWorld()
        let record = try await leased(world)
        try await leftBehind(world, record.id)
        #expect(try await world.desk.giveUp(record.id)?.state == .abandoned)
        #expect(try await world.locks.isHeld(record.id) == nil)
    }

    @Test("The file of a sender that was killed before it wrote its payment down goes with the next payment")
    func unwritten() async throws {
        let world = PaymentsWorld(.transaction())
        let (gone, living) = (UUID(), UUID())
        try await leftBehind(world, gone)
        let lock = try #require(try await world.locks.take(living))
        let killed = try await leased(world)
        try await leftBehind(world, killed.id)
        _ = try await world.desk.send(world.order(), besides: [killed.id])
        #expect(try await world.locks.isHeld(gone) == nil)
        #expect(try await world.locks.isHeld(living) == true, "its sender lives")
        #expect(try await world.locks.isHeld(killed.id) == false, "it says that the sender is dead")
        await lock.release(isSettled: true)
    }

    @Test("A screen that leaves does not wait for the outcome of a payment any longer")
    func leaving() async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient())
        let order = try world.order()
        let sending = Task { try await world.desk.send(order) }
        let exchange = await world.client.exchange(0)
        let waiting = Task { await world.desk.nextOutcome() }
        waiting.cancel()
        await waiting.value
        exchange.respond(body: Answer.approvedBody)
        #expect(try await sending.value.state == .approved)
    }

    @Test("A payment is asked for, sent again and given up only at the server it was made with")
    func otherServer() async throws {
        let world = PaymentsWorld(.failure(TransportError(.interrupted)))
        let order = try world.order()
        _ = try await world.desk.send(order)
        let client = ScriptedHTTPClient([.noTransaction, .transaction()])
        let other = PaymentDesk(
            base: try #require(URL(string: "http://other.example")), client: client,
            ledger: PaymentLedger(world.ledger), locks: world.locks, clock: world.clock, now: world.date.read)
        let expected = PaymentError.otherServer("http://payments.example")
        await #expect(throws: expected) { try await other.check(order.key) }
        await #expect(throws: expected) { try await other.send(order) }
        #expect(client.requests.isEmpty)
        #expect(try await world.desk.ledger.record(order.key)?.state == .unknown)
        for spelling in ["HTTP://Payments.Example/", "http://payments.example:80", "http://payments.example/./#x"] {
            let same = PaymentDesk(
                base: try #require(URL(string: spelling)), client: ScriptedHTTPClient([.noTransaction]),
                ledger: PaymentLedger(world.ledger), locks: world.locks, clock: world.clock, now: world.date.read)
            #expect(try await same.check(order.key)?.state == .unknown, "\(spelling)")
            #expect(try await same.unresolved(order.amount, to: order.contact).map(\.id) == [order.key], "\(spelling)")
        }
    }

    /// The free lock that a sender leaves when it is killed.
    private func leftBehind(_ world: PaymentsWorld, _ key: UUID) async throws {
        try await world.locks.take(key)?.release(isSettled: false)
        #expect(try await world.locks.isHeld(key) == false)
    }

    /// A payment that the ledger calls "sending", by a desk that is not of this process.
    private func leased(_ world: PaymentsWorld, _ order: PaymentOrder? = nil) async throws -> PaymentRecord {
        let order = try order ?? world.order()
        let lease = SendingLease(
            owner: UUID(), until: world.date.now.addingTimeInterval(60), followsDoubt: false)
        let record = PaymentRecord(order, at: world.date.now, server: world.desk.server, lease: lease)
        try await world.desk.ledger.change(order.key) { _ in record }
        return record
    }
}
