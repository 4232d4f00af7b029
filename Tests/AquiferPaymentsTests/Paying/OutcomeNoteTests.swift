import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPayments

@Suite("The outcome of a payment that cannot be recorded", .timeLimit(.minutes(10)))
struct OutcomeNoteTests {
    /// A payment that was answered while the ledger took nothing any more.
    private func paid(
        _ world: PaymentsWorld, _ order: PaymentOrder? = nil, _ answer: (ScriptedExchange) -> Void
    ) async throws -> PaymentRecord {
        let order = try order ?? world.order()
        let desk = world.otherDesk(world.client)
        let sending = Task { try await desk.send(order) }
        let exchange = await world.client.exchange(0)
        world.ledger.fail(.update, with: .full(path: "/s"))
        answer(exchange)
        let record = try await sending.value
        #expect(await !desk.isRecorded(record, within: .zero))
        return record
    }

    @Test(
        "It is known to the next command on the full disk, and recorded by the next one that can",
        arguments: [true, false])
    func approved(isFull: Bool) async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient())
        let record = try await paid(world) { $0.respond(body: Answer.approvedBody) }
        #expect(record.state == .approved)
        let written = try #require(try await world.desk.ledger.record(record.id))
        #expect(written.state == .sending)
        if !isFull { world.ledger.heal() }
        #expect(await world.desk.present(written) == record)
        #expect(try await world.desk.check(record.id) == record)
        world.ledger.heal()
        #expect(await world.desk.present(written) == record)
        #expect(try await world.desk.ledger.record(record.id) == record)
        #expect(await world.locks.note(of: record.id) == nil)
        #expect(world.client.requests.count == 1)
    }

    @Test("A refusal, and that nothing came of it, are noted, too")
    func others() async throws {
        let ends: [(PaymentRecord.State, @Sendable (ScriptedExchange) -> Void)] = [
            (.failed, { $0.fail(TransportError(.cannotConnect)) }), (.unknown, { $0.fail(TransportError(.timedOut)) }),
            (.failed, { $0.respond(status: 400, body: Data(#"{"error":"no"}"#.utf8)) }),
        ]
        for (state, answer) in ends {
            let world = PaymentsWorld(client: ScriptedHTTPClient())
            let record = try await paid(world, nil, answer)
            world.ledger.heal()
            let written = try #require(try await world.desk.ledger.record(record.id))
            #expect(await world.desk.present(written) == record && record.state == state)
            #expect(try await world.desk.ledger.record(record.id) == record)
        }
    }

    @Test("The same payment sent again is the one that was noted, and nothing is sent")
    func sentAgain() async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient())
        let order = try world.order()
        let record = try await paid(world, order) { $0.respond(body: Answer.approvedBody) }
        world.ledger.heal()
        #expect(try await world.desk.send(order) == record)
        #expect(world.client.requests.count == 1)
    }

    @Test("There is room for the outcome before the payment is sent")
    func room() async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient())
        let order = try world.order()
        let sending = Task { try await world.desk.send(order) }
        let exchange = await world.client.exchange(0)
        let path = world.folder.appending(path: "sending/\(order.key.uuidString).sending").path
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int == 1024)
        exchange.respond(body: Answer.approvedBody)
        #expect(await world.desk.isRecorded(try await sending.value, within: .zero))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("A note of another try, a damaged one and one that was cut off tell nothing")
    func damaged() async throws {
        let world = PaymentsWorld(client: ScriptedHTTPClient())
        let record = try await paid(world) { $0.respond(body: Answer.approvedBody) }
        let written = try #require(try await world.desk.ledger.record(record.id))
        let file = world.folder.appending(path: "sending/\(record.id.uuidString).sending")
        let whole = try Data(contentsOf: file)
        let note = try #require(whole.firstIndex(of: 0))
        for place in 0..<note {
            var bytes = whole
            bytes[place] ^= 1
            try bytes.write(to: file)
            #expect(await world.desk.present(written).state == .unknown, "\(place)")
            try whole.prefix(place).write(to: file)
            #expect(await world.desk.present(written).state == .unknown, "\(place)")
        }
        try whole.write(to: file)
        #expect(await world.desk.present(written) == record)
        let lock = try #require(try await world.locks.take(record.id))
        await lock.note(OutcomeNote(owner: UUID(), outcome: .unsent()))
        await lock.release(isSettled: false)
        #expect(await world.desk.present(written).state == .unknown)
    }
}
