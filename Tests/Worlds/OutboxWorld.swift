import Aquifer
import AquiferTesting
import Foundation

/// Two processes queue notes in one outbox on one disk, and send them to a server that honours idempotency keys.
///
/// Two switches plant a bug: with `forgetful`, the server forgets the keys when it is restarted; with `volatile`, what is
/// flushed does not reach the disk.
enum OutboxWorld {
    static let faults: Set<SimulatedFault> = [
        .kill, .slowness, .clockSkew, .requestLost, .answerLost, .bodyCut, .duplicated, .slowNetwork, .nameFails,
        .redirect, .portal, .serverError, .serverRestart, .serverDate, .powerCut, .diskFull, .ioError, .tooManyFiles,
        .preemption, .bitFlip, .fileCut,
    ]

    /// The world over a store of files.
    @Sendable static func run(_ world: Simulation) async throws { try await run(world, over: .files) }

    /// The world over a SQLite database.
    @Sendable static func runOverSQLite(_ world: Simulation) async throws { try await run(world, over: .database) }

    /// The world over a store that changes many entries at once.
    @Sendable static func runInBatches(_ world: Simulation) async throws {
        try await run(world, over: .files, inBatches: true)
    }

    private static func run(
        _ world: Simulation, over stores: WorldStore, inBatches: Bool = false
    ) async throws {
        stores.prepare(world)
        world.limits = .init(steps: 200_000, time: .seconds(5 * 24 * 3600))
        let (server, judge, phase) = (NotesServer(world), NotesJudge(world), Phase())
        world.network.serve("notes.example", whenRestarted: server.restart) { await server.answer($0) }
        // A damaged item cannot be sent. A damaged counter must cost nothing.
        world.disk.damageable = { $0.hasSuffix("/counter.entry") }
        world.disk.forgetsFlushes = world.switches.contains("volatile")
        world.faults.allow(faults)
        let senders = (0..<2).map { number in
            world.process("sender\(number)") { try await send($0, stores, inBatches, judge, phase) }
        }
        for sender in senders { sender.isMortal = true }
        try await world.clock.sleep(for: world.random.duration(in: .seconds(1) ... .seconds(1800)))
        world.faults.stop()
        phase.isCalm = true
        world.note("all faults have ended")
        for sender in senders { await sender.waitUntilEnded() }
        judge.compare(with: server.taken)
    }

    private static func send(
        _ process: SimulatedProcess, _ stores: WorldStore, _ inBatches: Bool, _ judge: NotesJudge, _ phase: Phase
    ) async throws {
        let (world, random) = (process.world, process.random)
        let policy = SendPolicy(
            width: random.int(in: 1...4), clock: world.clock, random: { random.fraction() }, now: process.now,
            makeKey: { random.uuid().uuidString })
        let files = try await process.untilDone {
            do { return try stores.open("outbox", survives: .power) } catch StoreError.damaged(let path, let reason) {
                // SQLite ignores that it could not flush the name of its journal. A loss of power then tears a database
                // that is being made. The user does what the error says; only a store with something in it must be whole.
                if judge.hasAcknowledgedNothing { stores.moveAway("outbox") }
                throw StoreError.damaged(path: path, reason: reason)
            }
        }
        let store: any CacheStore = inBatches ? BatchingStore(files) : files
        let outbox = Outbox(in: store, client: process.client, policy: policy, owner: random.uuid())
        let running = Task { await outbox.run() }
        guard let url = URL(string: "http://notes.example/notes") else { return }
        for index in 0..<random.int(in: 1...6) {
            let note = "\(process.name).\(process.starts).\(index)"
            let group = "group\(random.int(in: 0...1))"
            let request = HTTPRequest(.post, url, body: .bytes(Data("\(group) \(note)".utf8)))
            judge.begin(note, group)
            do throws(OutboxError) {
                try await outbox.enqueue(request, group: group, label: note)
                judge.acknowledge(note, group)
            } catch {
                judge.refuse(note, error, mayBeKept: stores == .database)
            }
            try await world.clock.sleep(for: random.duration(in: .milliseconds(1) ... .seconds(60)))
        }
        while !phase.isCalm { try await world.clock.sleep(for: .seconds(5)) }
        while try await process.untilDone({ try await !outbox.items().isEmpty }) {
            if stores == .database { try await process.untilDone { try await discardDamaged(in: outbox, world) } }
            try await world.clock.sleep(for: .seconds(5))
        }
        running.cancel()
        await running.value
    }

    /// The user discards what is told as damaged. A device that failed to flush a database's log may have torn it; nothing
    /// that was acknowledged may be among it, or the judge misses it at the server.
    private static func discardDamaged(in outbox: Outbox, _ world: Simulation) async throws {
        for item in try await outbox.items() {
            guard case .damaged(let reason) = item.state else { continue }
            world.note("discards item \(item.id): \(reason)")
            _ = try await outbox.discard(item.id)
        }
    }
}

/// The facts that a world tells its processes.
final class Phase: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    /// True once no fault strikes any more.
    var isCalm = false
    /// True once the world is to end.
    var isOver = false
    /// True if its processes do much in a short time.
    var isBusy = false
    /// True once a vault has acknowledged a card.
    var hasCard = false
    /// The processes of the world, where they need to know of one another.
    var processes: [SimulatedProcess] = []
}
