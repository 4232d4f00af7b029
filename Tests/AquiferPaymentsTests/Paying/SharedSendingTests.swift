import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPayments

@Suite("Payments of machines that share a ledger whose store knows who lives", .timeLimit(.minutes(5)))
struct SharedSendingTests {
    private let world: PaymentsWorld
    private let gone = Locked(Set<String>())

    init() { world = PaymentsWorld() }

    /// A machine's desk.
    private func desk(_ name: String, _ client: ScriptedHTTPClient, around: (@Sendable () async -> Void)? = nil)
        -> PaymentDesk
    {
        let store = SeenStore(base: world.ledger, presence: Seen(name: name, gone: gone), beforeWriting: around)
        return PaymentDesk(
            base: world.base, client: client, ledger: PaymentLedger(store), locks: nil, clock: world.clock,
            now: world.date.read)
    }

    /// A payment whose sender got no answer yet.
    private func held(by name: String) async throws -> (order: PaymentOrder, task: Task<PaymentRecord, any Error>) {
        let (order, client) = (try world.order(), ScriptedHTTPClient([.held]))
        let task = Task { [desk = desk(name, client)] in try await desk.send(order) }
        #expect(await eventually { client.requests.count == 1 })
        return (order, task)
    }

    @Test(
        "that one of them sends are being sent for the others: nobody gives them up, sends them or pays another like them"
    )
    func living() async throws {
        let (order, task) = try await held(by: "a")
        // However long it takes, and whatever this machine's clock says.
        world.date.advance(by: 86_400)
        let client = ScriptedHTTPClient([.transaction()])
        let other = desk("b", client)
        let record = try #require(try await other.ledger.record(order.key))
        #expect(await other.present(record).state == .sending)
        await #expect(throws: PaymentError.underWay) { try await other.giveUp(order.key) }
        await #expect(throws: PaymentError.underWay) { try await other.send(order) }
        let second = try world.order()
        await #expect(throws: PaymentError.unresolved([record])) {
            try await other.send(second, besides: [order.key])
        }
        #expect(client.requests.isEmpty)
        task.cancel()
    }

    @Test("of a machine that has gone are unknown at once, and are sent again under their key by another one")
    func takenOver() async throws {
        let (order, task) = try await held(by: "a")
        gone.withLock { $0 = ["a"] }
        let client = ScriptedHTTPClient([.transaction()])
        let other = desk("b", client)
        let record = try #require(try await other.ledger.record(order.key))
        #expect(await other.present(record).state == .unknown)
        #expect(try await other.send(order).state == .approved)
        #expect(client.requests.first?.headers["Idempotency-Key"] == order.key.uuidString)
        task.cancel()
    }

    @Test("are not decided while nobody can say who lives")
    func unreachable() async throws {
        let (order, task) = try await held(by: "a")
        gone.withLock { $0 = ["a", "unreachable"] }
        let other = desk("b", ScriptedHTTPClient([.transaction()]))
        await #expect(throws: PaymentError.underWay) { try await other.send(order) }
        task.cancel()
    }

    @Test("begin one at a time: a machine that lost its turn while it stood still does not send what it recorded")
    func lostTurn() async throws {
        let (first, second) = (try world.order(), try world.order())
        let (slow, quick) = (ScriptedHTTPClient([.transaction()]), ScriptedHTTPClient([.transaction()]))
        let (other, gone) = (desk("b", quick), gone)
        let sent = Locked<PaymentRecord?>(nil)
        // Between its look for earlier payments and its record it is taken for dead, and the other one pays.
        let stopped = desk("a", slow) {
            guard sent.withLock({ $0 }) == nil else { return }
            gone.withLock { $0 = ["a"] }
            let record = try? await other.send(second)
            sent.withLock { $0 = record }
        }
        await #expect(throws: PaymentError.self) { try await stopped.send(first) }
        #expect(sent.withLock { $0 }?.state == .approved)
        #expect(slow.requests.isEmpty && quick.requests.count == 1)
        #expect(try await other.ledger.record(first.key)?.state == .failed)
    }

    @Test("whose outcome could not be recorded are recorded as soon as they can be, and are being sent until then")
    func recordedLater() async throws {
        let (order, client) = (try world.order(), ScriptedHTTPClient { _ in .held })
        let (desk, other) = (desk("a", client), desk("b", ScriptedHTTPClient()))
        let task = Task { try await desk.send(order) }
        let exchange = await client.exchange(0)
        world.ledger.fail(.update, with: .busy(path: "/s"))
        exchange.respond(body: Answer.approvedBody)
        #expect(try await task.value.state == .approved)
        let written = try #require(try await other.ledger.record(order.key))
        #expect(await other.present(written).state == .sending)
        #expect(await desk.present(written).state == .approved)
        #expect(await desk.hasUnrecorded)
        #expect(await eventually { world.clock.sleepers == [.seconds(1)] })
        world.clock.advance(by: .seconds(1))
        #expect(await eventually { world.clock.sleepers == [.seconds(2)] })
        world.ledger.heal()
        world.clock.advance(by: .seconds(2))
        #expect(try await eventually { try await other.ledger.record(order.key)?.state == .approved })
        #expect(await eventually { await !desk.hasUnrecorded })
    }

    @Test("that may have been recorded, though the store said no, are recorded as not sent", arguments: [true, false])
    func uncertain(isWritten: Bool) async throws {
        let (order, client) = (try world.order(), ScriptedHTTPClient())
        let store = UncertainStore(base: world.ledger, isWritten: isWritten)
        let desk = PaymentDesk(
            base: world.base, client: client, ledger: PaymentLedger(store), locks: nil, clock: world.clock,
            now: world.date.read)
        await #expect(throws: PaymentError.ledger(UncertainStore.error)) { try await desk.send(order) }
        #expect(try await desk.ledger.record(order.key)?.state == (isWritten ? .sending : nil))
        store.isCertain.withLock { $0 = true }
        #expect(await eventually { world.clock.sleepers == [.seconds(1)] })
        world.clock.advance(by: .seconds(1))
        #expect(await eventually { world.clock.sleepers.isEmpty })
        #expect(
            try await eventually { try await desk.ledger.record(order.key)?.state == (isWritten ? .failed : nil) })
        #expect(client.requests.isEmpty)
    }

    @Test("that are sent again before an earlier outcome is recorded have the outcome of the last try")
    func sentAgain() async throws {
        let (order, client) = (try world.order(), ScriptedHTTPClient())
        let store = UncertainStore(base: world.ledger, isWritten: false)
        store.isCertain.withLock { $0 = true }
        let desk = PaymentDesk(
            base: world.base, client: client, ledger: PaymentLedger(store), locks: nil, clock: world.clock,
            now: world.date.read)
        let first = Task { try await desk.send(order) }
        let unsent = await client.exchange(0)
        store.isCertain.withLock { $0 = false }
        unsent.fail(TransportError(.cannotConnect))
        #expect(try await first.value.state == .failed)
        store.isCertain.withLock { $0 = true }
        let second = Task { try await desk.send(order) }
        let lost = await client.exchange(1)
        world.clock.advance(by: .seconds(10))
        #expect(try await desk.ledger.record(order.key)?.state == .sending)
        lost.fail(TransportError(.interrupted))
        #expect(try await second.value.state == .unknown)
        #expect(try await desk.ledger.record(order.key)?.state == .unknown)
        #expect(await eventually { world.clock.sleepers.isEmpty })
    }

    @Test("leave no door behind, and a door that is damaged holds nobody back and is no payment")
    func door() async throws {
        let desk = desk("a", ScriptedHTTPClient([.transaction(), .transaction()]))
        #expect(try await desk.send(world.order()).state == .approved)
        #expect(try await world.ledger.retrieve(SharedSending.doorKey) == nil)
        try await world.ledger.insert(StoredEntry(bytes: Data("x".utf8), savedAt: Date()), for: SharedSending.doorKey)
        #expect(try await desk.ledger.contents().unreadable.isEmpty)
        #expect(try await desk.send(world.order()).state == .approved)
    }
}

private struct Seen: StorePresence {
    let name: String?
    let gone: Locked<Set<String>>

    func gone(among names: Set<String>) async throws(StoreError) -> Set<String> {
        let gone = gone.withLock { $0 }
        if gone.contains("unreachable") { throw .failed(operation: "look", reason: "out of reach") }
        return gone.intersection(names)
    }
}

private struct SeenStore: ForwardingStore {
    let base: any CacheStore
    let presence: (any StorePresence)?
    let beforeWriting: (@Sendable () async -> Void)?

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        if PaymentLedger.isPayment(key) { await beforeWriting?() }
        try await base.update(key, decide)
    }
}

/// A store whose updates of payments fail, written or not, until it is certain.
private struct UncertainStore: ForwardingStore {
    static let error = StoreError.uncertain(operation: "update", reason: "the connection broke")

    let base: any CacheStore
    let isWritten: Bool
    let isCertain = Locked(false)

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        let isCertain = isCertain.withLock { $0 } || !PaymentLedger.isPayment(key)
        if isCertain || isWritten { try await base.update(key, decide) }
        if !isCertain { throw Self.error }
    }
}
