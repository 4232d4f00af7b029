import Aquifer
import AquiferTesting
import Foundation

/// Two devices change notes offline and online: one with two processes over one disk, one with one. They are killed and lose power
/// between any two writes; answers are lost, and come late.
///
/// Each change that was acknowledged is shown from then on, once, whatever happens, and is carried out once at the server.
enum ChangesWorld {
    static let faults: Set<SimulatedFault> = [
        .kill, .slowness, .requestLost, .answerLost, .bodyCut, .duplicated, .slowNetwork, .nameFails, .redirect,
        .portal, .serverError, .serverRestart, .powerCut, .diskFull, .ioError, .tooManyFiles, .preemption,
    ]

    @Sendable static func run(_ world: Simulation) async throws {
        let stores = WorldStore.files
        stores.prepare(world)
        world.limits = .init(steps: 400_000, time: .seconds(5 * 24 * 3600))
        let (server, judge, phase) = (ChangesServer(world), ChangesJudge(world), Phase())
        world.network.serve("notes.example") { await server.answer($0) }
        world.faults.allow(faults)
        let users = [("phone", "phone-a"), ("phone", "phone-b"), ("tablet", "tablet")].map { device, name in
            world.process(name) { try await use($0, device, stores, judge, phase) }
        }
        for user in users { user.isMortal = true }
        try await world.clock.sleep(for: world.random.duration(in: .seconds(1) ... .seconds(1200)))
        world.faults.stop()
        phase.isCalm = true
        world.note("all faults have ended")
        for user in users { await user.waitUntilEnded() }
        judge.compare(with: server)
    }

    private static func use(
        _ process: SimulatedProcess, _ device: String, _ stores: WorldStore, _ judge: ChangesJudge, _ phase: Phase
    ) async throws {
        let (world, random) = (process.world, process.random)
        let policy = SendPolicy(
            width: random.int(in: 1...4), clock: world.clock, random: { random.fraction() }, now: process.now,
            makeKey: { random.uuid().uuidString })
        let queue = try await process.untilDone { try stores.open(device + "-queue", survives: .power) }
        let values = try await process.untilDone { try stores.open(device + "-values", survives: .process) }
        let outbox = Outbox(in: queue, client: process.client, policy: policy, owner: random.uuid())
        guard let url = URL(string: "http://notes.example/notes") else { return }
        let remote = RemoteLoader<[WorldNote]>(HTTPRequest(.get, url), client: process.client) { head, body in
            guard head.status == 200 else { throw InvalidData.status(head.status) }
            return try JSONDecoder().decode([WorldNote].self, from: body)
        }
        let resource = Resource(
            remote: remote, cache: Cache(key: "notes", in: values, now: process.now), clock: world.clock)
        let notes = EditableResource(resource, changes: WorldChange.self, empty: [], outbox: outbox)
        let following = Task {
            for await case let state? in notes.updates { judge.see(state, device, process) }
        }
        let running = Task { await outbox.run() }
        try await act(process, notes, device, judge, phase)
        while try await process.untilDone({ try await !isSettled(notes, device, judge, process) }) {
            try await world.clock.sleep(for: .seconds(5))
        }
        running.cancel()
        following.cancel()
        await running.value
    }

    /// The user looks, changes something, and looks again.
    private static func act(
        _ process: SimulatedProcess, _ notes: EditableResource<WorldChange>, _ device: String, _ judge: ChangesJudge,
        _ phase: Phase
    ) async throws {
        let random = process.random
        var number = 0
        while !phase.isCalm {
            // The user looks again later if the disk cannot be read now.
            if let shown = try? await notes.saved() { judge.look(shown, device, process) }
            for _ in 0..<random.int(in: 0...3) {
                number += 1
                await judge.change(notes, device, process, number)
            }
            // An error of a load is no error of the changes.
            if random.chance(0.5), let loaded = try? await notes.load() { judge.look(loaded, device, process) }
            await resolve(notes, process)
            try await process.world.clock.sleep(for: random.duration(in: .milliseconds(1) ... .seconds(60)))
        }
    }

    /// The user keeps their own version of what was refused.
    private static func resolve(_ notes: EditableResource<WorldChange>, _ process: SimulatedProcess) async {
        // A queue that cannot be read now is read again when the user looks the next time.
        guard let pending = try? await notes.pendingChanges() else { return }
        for (item, _) in pending where item.refusal != nil {
            process.world.note(
                "\(process.name) resolves \(item.id), \(item.label): \(item.refusal.map { "\($0)" } ?? "")")
            // It is tried again when the user looks the next time.
            if item.isConflict { try? await notes.keepMine(item.id) } else { try? await notes.retry(item.id) }
        }
    }

    private static func isSettled(
        _ notes: EditableResource<WorldChange>, _ device: String, _ judge: ChangesJudge, _ process: SimulatedProcess
    ) async throws -> Bool {
        await resolve(notes, process)
        judge.look(try await notes.load(), device, process)
        return try await notes.outbox.items().isEmpty
    }
}
