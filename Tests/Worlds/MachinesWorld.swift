import Aquifer
import AquiferPayments
import AquiferTesting
import Foundation

/// One user pays at two machines that share a ledger, and goes to the other machine when one does not answer.
///
/// The machines are killed, stopped and cut off from the store at any step. The user gives up what the bank does not know, pays anew,
/// and is charged once. The switch `late` plants a bug: the client does not ask before it sends.
enum MachinesWorld {
    static let faults: Set<SimulatedFault> = [
        .kill, .slowness, .clockSkew, .requestLost, .answerLost, .nameFails, .serverRestart, .stop,
    ]

    /// What the user asks a machine to do.
    final class Visit: @unchecked Sendable {
        // One thread at a time runs in a simulation.
        let wish: Plan
        var isTaken = false
        var isOver = false
        /// True once the user has gone to another machine, and sees nothing more of this one.
        var isLeft = false
        init(_ wish: Plan) { self.wish = wish }
    }

    /// An amount that the user wants to pay once.
    final class Plan: @unchecked Sendable {
        let cents: Int
        /// The key of the attempt, which the user's page gives to whichever machine it reaches.
        var key: UUID
        /// The keys of those that were given up.
        var given: Set<UUID> = []
        var isPaid = false

        init(cents: Int, key: UUID) { (self.cents, self.key) = (cents, key) }
    }

    @Sendable static func run(_ world: Simulation) async throws {
        world.limits = .init(steps: 300_000, time: .seconds(2 * 24 * 3600))
        let bank = Bank(world)
        world.network.serve("bank.example", whenRestarted: bank.restart) { await bank.answer($0) }
        let ledger = MemoryStore()
        // None that the bank refuses or declines.
        let plans = [1002, 1003, 1004].prefix(world.random.int(in: 1...3)).map {
            Plan(cents: $0, key: world.random.uuid())
        }
        world.faults.allow(faults)
        let links = [Link(), Link()]
        let machines = (0..<2).map { number in
            world.process("machine\(number)") { process in
                let link = links[number]
                let service = service(process, LinkedStore(base: ledger, link: link, process: process))
                while !plans.allSatisfy(\.isPaid) {
                    if let visit = link.visits.first(where: { !$0.isTaken }) {
                        visit.isTaken = true
                        do { try await pay(visit, process, service, link) } catch { world.note("\(error)") }
                        visit.isOver = true
                    }
                    try await world.clock.sleep(for: .milliseconds(100))
                }
            }
        }
        for machine in machines { machine.isMortal = true }
        let calm = world.date.addingTimeInterval(600)
        while let plan = world.random.element(of: plans.filter { !$0.isPaid }) {
            let isCalm = world.date > calm
            if isCalm { world.faults.stop() }
            for link in links { (link.isCut, link.isCalm) = (!isCalm && world.random.chance(0.2), isCalm) }
            let (number, visit) = (world.random.int(in: 0...1), Visit(plan))
            links[number].visits.append(visit)
            // The user waits for a while, and then goes to the other machine.
            for _ in 0..<world.random.int(in: 1...60) where !visit.isOver {
                try await world.clock.sleep(for: .milliseconds(500))
                if world.random.chance(0.02) { links[number].isCut = !isCalm && !links[number].isCut }
            }
            (visit.isTaken, visit.isLeft) = (true, true)
        }
        for machine in machines { await machine.waitUntilEnded() }
        // What is still on its way arrives.
        try await world.clock.sleep(for: .seconds(200))
        for plan in plans {
            let booked = bank.bookings.values.filter { $0.cents == plan.cents }.count
            world.expect(booked == 1, "\(plan.cents) cents were booked \(booked) times")
        }
    }

    private static let base = URL(string: "https://bank.example") ?? URL(fileURLWithPath: "/")

    private static func service(_ process: SimulatedProcess, _ ledger: LinkedStore) -> PaymentsService {
        let world = process.world
        let folder = URL(fileURLWithPath: "/disk/\(process.name)", isDirectory: true)
        let client: any HTTPClient =
            world.switches.contains("late") ? HastyClient(base: process.client) : process.client
        return PaymentsService(
            base: base, client: client, store: MemoryStore(), pictureStore: MemoryStore(), ledgerStore: ledger,
            vault: CardVault(directory: folder, keys: folder), allowsTestCard: false, clock: world.clock,
            now: process.now, makeID: { ledger.link.key ?? process.random.uuid() })
    }

    /// Does what a careful user does at one machine.
    private static func pay(_ visit: Visit, _ process: SimulatedProcess, _ service: PaymentsService, _ link: Link)
        async throws
    {
        let contact = Contact(id: 7, name: "M", imageURL: base, username: "@m")
        let (plan, key) = (visit.wish, visit.wish.key)
        let card = Card(
            id: UUID(uuidString: "00000000-0000-0000-0000-000000000001") ?? plan.key,
            number: try CardNumber("4111111111111111"), holder: "M", expiry: Expiry(month: 12, year: 2090))
        let code = try SecurityCode("123", for: .visa)
        if let written = try await service.desk.ledger.record(key) {
            let record = await service.desk.present(written)
            process.world.note("\(process.name): \(key.uuidString.prefix(8)) is \(record.state.rawValue)")
            if record.isDecided { return plan.isPaid = true }
            if record.state == .sending { return }
            if record.state == .unknown {
                guard let checked = try await service.check(key) else { return }
                if checked.isDecided { return plan.isPaid = true }
                // The bank does not know it: the user gives it up, and pays anew.
                guard checked.notFoundAt != nil, process.random.chance(0.7) else { return }
                guard try await service.desk.giveUp(key)?.state == .abandoned, !visit.isLeft else { return }
                plan.given.insert(key)
                process.world.note("\(process.name): gives up \(key.uuidString.prefix(8))")
                plan.key = process.random.uuid()
                return
            }
        }
        // Who has left presses nothing.
        guard !visit.isLeft else { return }
        link.key = key
        // What is sent again is no longer given up, and is the one that counts: without an answer it may be made after all.
        plan.given.remove(key)
        plan.key = key
        process.world.note("\(process.name): pays \(plan.cents) under \(key.uuidString.prefix(8))")
        let paid = try await service.pay(
            Money(cents: plan.cents), to: contact, with: card, code: code, besides: plan.given)
        if paid.isDecided { plan.isPaid = true }
    }
}

/// The way of one machine to the store.
private final class Link: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    var isCut = false
    var isCalm = false
    var visits: [MachinesWorld.Visit] = []
    /// The key of the next payment.
    var key: UUID?
}

/// A store on a server of its own, whose clock is the true one. Each call takes a while each way, and either way may be cut.
private struct LinkedStore: ForwardingStore, StorePresence {
    let base: any CacheStore
    let link: Link
    let process: SimulatedProcess

    var presence: (any StorePresence)? { self }
    var name: String? { nil }

    func time() async throws(StoreError) -> Date {
        try await travel()
        let date = process.world.date
        try await travel()
        return date
    }

    func gone(among names: Set<String>) async throws(StoreError) -> Set<String> { [] }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        try await travel()
        let entry = try await base.retrieve(key)
        try await travel()
        return entry
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        try await travel()
        try await base.update(key, decide)
        do throws(StoreError) { try await travel() } catch { throw .uncertain(operation: "update", reason: "cut") }
    }

    /// One way; on some the machine stands still for longer than the turn of a payment.
    private func travel() async throws(StoreError) {
        let stands = !link.isCalm && process.random.chance(0.03)
        let longest = stands ? Duration.seconds(150) : .milliseconds(50)
        // Only a task that was cancelled sleeps shorter.
        try? await process.world.clock.sleep(for: process.random.duration(in: .milliseconds(1)...longest))
        if link.isCut { throw .failed(operation: "reach the store", reason: "it is cut off") }
    }
}

/// A client that sends whenever it gets to it.
private struct HastyClient: HTTPClient {
    let base: any HTTPClient

    var asksBeforeSending: Bool { true }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var request = request
        request.maySend = nil
        return try await base.send(request)
    }
}
