import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPayments

@Suite("Payments of machines that share a ledger", .timeLimit(.minutes(5)))
struct SharedSendingTests {
    private let world: PaymentsWorld
    private let server: StoreClock

    init() {
        world = PaymentsWorld()
        server = StoreClock(world.date.read())
    }

    /// A machine's desk.
    private func desk(_ client: any HTTPClient, around: (@Sendable () async -> Void)? = nil) -> PaymentDesk {
        let store = SeenStore(base: world.ledger, presence: server, beforeWriting: around)
        return PaymentDesk(
            base: world.base, client: client, ledger: PaymentLedger(store), locks: nil, clock: world.clock,
            now: world.date.read)
    }

    /// A payment whose sender got no answer yet.
    private func held() async throws -> (order: PaymentOrder, task: Task<PaymentRecord, any Error>) {
        let (order, client) = (try world.order(), ScriptedHTTPClient([.held]))
        let task = Task { [desk = desk(client)] in try await desk.send(order) }
        #expect(await eventually { client.requests.count == 1 })
        return (order, task)
    }

    @Test("Nobody gives up, sends or pays another like one that a machine sends, before its turn is over")
    func living() async throws {
        let (order, task) = try await held()
        // Whatever this machine's clock says.
        world.date.advance(by: 86_400)
        server.advance(by: 59)
        let client = ScriptedHTTPClient([.transaction()])
        let other = desk(client)
        let record = try #require(try await other.ledger.record(order.key))
        let shown = await other.present(record)
        #expect(shown.state == .sending)
        #expect(shown.sendingUntil == server.start.addingTimeInterval(60))
        await #expect(throws: PaymentError.underWay) { try await other.giveUp(order.key) }
        await #expect(throws: PaymentError.underWay) { try await other.send(order) }
        let second = try world.order()
        await #expect(throws: PaymentError.unresolved([record])) {
            try await other.send(second, besides: [order.key])
        }
        #expect(client.requests.isEmpty)
        task.cancel()
    }

    @Test("One that is approved while another like it is judged is asked about")
    func approvedMeanwhile() async throws {
        let order = try world.order()
        let client = ScriptedHTTPClient([.held])
        let task = Task { [desk = desk(client)] in try await desk.send(order) }
        let exchange = await client.exchange(0)
        let (other, isFirst) = (ScriptedHTTPClient([.transaction()]), Locked(true))
        let store = ListedStore(world.ledger, server) { [world] in
            guard
                isFirst.withLock({ isFirst in
                    defer { isFirst = false }
                    return isFirst
                })
            else { return }
            guard case .answer(_, _, let body) = ScriptedHTTPClient.Reply.transaction() else { return }
            exchange.respond(body: body)
            #expect(await eventually { (try? await PaymentLedger(world.ledger).record(order.key))?.state == .approved })
        }
        let late = PaymentDesk(
            base: world.base, client: other, ledger: PaymentLedger(store), locks: nil, clock: world.clock,
            now: world.date.read)
        let second = PaymentOrder(
            key: UUID(), contact: order.contact, amount: order.amount, card: order.card, code: order.code,
            madeBefore: [])
        let refusal = await #expect(throws: PaymentError.self) { try await late.send(second) }
        guard case .unresolved(let records) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(records.map(\.id) == [order.key] && other.requests.isEmpty)
        #expect(try await task.value.state == .approved)
    }

    @Test("One whose turn is over is unknown, and is sent again under its key by another machine")
    func takenOver() async throws {
        let (order, task) = try await held()
        server.advance(by: 60)
        let client = ScriptedHTTPClient([.transaction()])
        let other = desk(client)
        let record = try #require(try await other.ledger.record(order.key))
        #expect(await other.present(record).state == .unknown)
        #expect(try await other.send(order).state == .approved)
        #expect(client.requests.first?.headers["Idempotency-Key"] == order.key.uuidString)
        task.cancel()
    }

    @Test("One is not decided while nobody can tell the store's time")
    func unreachable() async throws {
        let (order, task) = try await held()
        server.advance(by: 3_600)
        server.isAway = true
        let other = desk(ScriptedHTTPClient([.transaction()]))
        let record = try #require(try await other.ledger.record(order.key))
        #expect(await other.present(record).state == .sending)
        await #expect(throws: PaymentError.self) { try await other.send(order) }
        task.cancel()
    }

    @Test("A machine that stands still before it is connected does not send when it goes on")
    func lateSender() async throws {
        let (order, client) = (try world.order(), ScriptedHTTPClient([.transaction()]))
        let late = LateClient(base: client) { [world] in world.clock.advance(by: SendingLease.begin) }
        let payment = try await desk(late).send(order)
        #expect(payment.state == .failed)
        #expect(client.requests.isEmpty)
        #expect(SendingLease.begin + SendingLease.request < SendingLease.length)
    }

    @Test("A machine that stands still before it records a payment does not send it half a minute later")
    func lateOrder() async throws {
        let (order, client) = (try world.order(), ScriptedHTTPClient([.transaction()]))
        // Before it comes to the door. Its turn begins later, and would last.
        let look = Locked<Duration?>(SendingLease.patience)
        server.onLook.withLock { [world] in
            $0 = { if let pause = look.withLock({ $0.take() }) { world.clock.advance(by: pause) } }
        }
        let payment = try await desk(client).send(order)
        #expect(payment.state == .failed)
        #expect(client.requests.isEmpty)
    }

    @Test("A late sender that follows a try which may have arrived leaves the outcome unknown")
    func lateAgain() async throws {
        let order = try world.order()
        #expect(
            try await desk(ScriptedHTTPClient([.failure(TransportError(.interrupted))])).send(order).state == .unknown)
        let client = ScriptedHTTPClient([.transaction()])
        let late = LateClient(base: client) { [world] in world.clock.advance(by: SendingLease.begin) }
        #expect(try await desk(late).send(order).state == .unknown)
        #expect(client.requests.isEmpty)
    }

    @Test("A client that cannot look before it sends makes no payment, unless locks show who lives")
    func unsuitable() async throws {
        let client = ScriptedHTTPClient([.transaction()])
        let desk = desk(DeafClient(base: client))
        await #expect(throws: PaymentError.unsuitableClient) { try await desk.send(try world.order()) }
        #expect(client.requests.isEmpty)
        #expect(try await desk.ledger.contents().records.isEmpty)
    }

    @Test("They begin one at a time: a machine that lost its turn while it stood still does not send what it recorded")
    func lostTurn() async throws {
        let (first, second) = (try world.order(), try world.order())
        let (slow, quick) = (ScriptedHTTPClient([.transaction()]), ScriptedHTTPClient([.transaction()]))
        let (other, server) = (desk(quick), server)
        let sent = Locked<PaymentRecord?>(nil)
        // Between its look for earlier payments and its record its time at the door passes, and the other one pays.
        let stopped = desk(slow) {
            guard sent.withLock({ $0 }) == nil else { return }
            server.advance(by: 6)
            let record = try? await other.send(second)
            sent.withLock { $0 = record }
        }
        await #expect(throws: PaymentError.self) { try await stopped.send(first) }
        #expect(sent.withLock { $0 }?.state == .approved)
        #expect(slow.requests.isEmpty && quick.requests.count == 1)
        #expect(try await other.ledger.record(first.key)?.state == .failed)
    }

    @Test("One that the user gave up is asked about until another like it was made, and is sent again under its key")
    func givenUp() async throws {
        let order = try world.order()
        let desk = desk(ScriptedHTTPClient([.failure(TransportError(.interrupted)), .transaction(), .transaction()]))
        _ = try await desk.send(order)
        let given = try #require(try await desk.giveUp(order.key))
        await #expect(throws: PaymentError.unresolved([given])) { try await desk.send(try world.order()) }
        let besides = try world.order()
        #expect(try await desk.send(besides, besides: [order.key]).state == .approved)
        #expect(try await desk.unresolved(order.amount, to: order.contact).isEmpty)
        let made = try #require(try await desk.ledger.record(besides.key))
        await #expect(throws: PaymentError.unresolved([made])) { try await desk.send(order) }
    }

    @Test(
        "An outcome that could not be recorded is recorded as soon as it can be; until then the payment is being sent")
    func recordedLater() async throws {
        let (order, client) = (try world.order(), ScriptedHTTPClient { _ in .held })
        let (desk, other) = (desk(client), desk(ScriptedHTTPClient()))
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

    @Test(
        "One that may have been recorded, though the store said no, is recorded as not sent", arguments: [true, false])
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

    @Test("One that is sent again before an earlier outcome is recorded has the outcome of the last try")
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

    @Test("They leave no door behind, and a door that is damaged holds nobody back and is no payment")
    func door() async throws {
        let desk = desk(ScriptedHTTPClient([.transaction(), .transaction()]))
        #expect(try await desk.send(world.order()).state == .approved)
        #expect(try await world.ledger.retrieve(SharedSending.doorKey) == nil)
        try await world.ledger.insert(StoredEntry(bytes: Data("x".utf8), savedAt: Date()), for: SharedSending.doorKey)
        #expect(try await desk.ledger.contents().unreadable.isEmpty)
        #expect(try await desk.send(world.order()).state == .approved)
    }
}

/// A store's clock, which says the same to all who share the store.
private final class StoreClock: StorePresence {
    let start: Date
    private let state: Locked<(time: Date, isAway: Bool)>
    /// Called before each look at the clock.
    let onLook = Locked<(@Sendable () -> Void)?>(nil)

    init(_ start: Date) {
        self.start = start
        state = Locked((start, false))
    }

    var name: String? { nil }

    var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    func advance(by seconds: TimeInterval) { state.withLock { $0.time += seconds } }

    func time() async throws(StoreError) -> Date {
        onLook.withLock { $0 }?()
        let (time, isAway) = state.withLock { $0 }
        if isAway { throw .failed(operation: "look", reason: "out of reach") }
        return time
    }

    func gone(among names: Set<String>) async throws(StoreError) -> Set<String> { [] }
}

/// A client that does something between the call and the moment when it is connected.
private struct LateClient: HTTPClient {
    let base: ScriptedHTTPClient
    let stands: @Sendable () -> Void

    var asksBeforeSending: Bool { true }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        stands()
        return try await base.send(request)
    }
}

/// A client that does not ask before it sends.
private struct DeafClient: HTTPClient {
    let base: ScriptedHTTPClient

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse { try await base.send(request) }
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

/// A store that does something when it is asked for the time, after its payments were read.
private struct ListedStore: ForwardingStore, StorePresence {
    let base: any CacheStore
    let clock: any StorePresence
    let afterReading: @Sendable () async -> Void
    private let state = Locked((hasListed: false, hasRead: false))

    init(_ base: any CacheStore, _ clock: any StorePresence, afterReading: @escaping @Sendable () async -> Void) {
        (self.base, self.clock, self.afterReading) = (base, clock, afterReading)
    }

    var presence: (any StorePresence)? { self }
    var name: String? { clock.name }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        defer { state.withLock { if $0.hasListed, PaymentLedger.isPayment(key) { $0.hasRead = true } } }
        return try await base.retrieve(key)
    }

    func contents() async throws(StoreError) -> StoreContents {
        state.withLock { $0.hasListed = true }
        return try await base.contents()
    }

    func time() async throws(StoreError) -> Date {
        if state.withLock({ $0.hasRead }) { await afterReading() }
        return try await clock.time()
    }

    func gone(among names: Set<String>) async throws(StoreError) -> Set<String> { try await clock.gone(among: names) }
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
