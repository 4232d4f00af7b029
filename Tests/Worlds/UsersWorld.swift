import Aquifer
import AquiferTesting
import Foundation

/// Users log in and out, in several processes over one store on one disk. Each login has values, a page, a counter and a queue of
/// notes in its ``Scope``. Processes are killed, and stopped and continued, in the middle of everything.
///
/// The switch `blind` plants a bug: a process looks at the marks of scopes once, and takes them for unchanged.
enum UsersWorld {
    /// One name begins with the other.
    static let users = ["user/4", "user/42"]

    static let faults: Set<SimulatedFault> = [
        .kill, .stop, .slowness, .requestLost, .answerLost, .bodyCut, .slowNetwork, .redirect, .portal, .serverError,
        .serverRestart, .powerCut, .diskFull, .ioError, .tooManyFiles, .preemption,
    ]

    /// The world over a store of files.
    @Sendable static func run(_ world: Simulation) async throws { try await run(world, over: .files) }

    /// The world over a SQLite database.
    @Sendable static func runOverSQLite(_ world: Simulation) async throws { try await run(world, over: .database) }

    private static func run(_ world: Simulation, over stores: WorldStore) async throws {
        stores.prepare(world)
        world.limits = .init(steps: 300_000, time: .seconds(5 * 24 * 3600))
        let server = UsersServer(world)
        let (judge, phase) = (UsersJudge(world, server), Phase())
        world.network.serve("users.example") { await server.answer($0) }
        world.faults.allow(faults)
        // In some worlds nobody throws anything away, so that every note must arrive.
        let choices: [Scope.Unsent?] =
            world.random.chance(0.5) ? [nil, .keep, .sendFirst] : [nil, .keep, .sendFirst, .discard]
        phase.processes = (0..<world.random.int(in: 1...3)).map { number in
            world.process("app\(number)") { try await use($0, stores, judge, phase, choices) }
        }
        for process in phase.processes { process.isMortal = true }
        try await world.clock.sleep(for: world.random.duration(in: .seconds(1) ... .seconds(300)))
        world.faults.stop()
        phase.isCalm = true
        world.note("all faults have ended")
        for process in phase.processes { await process.waitUntilEnded() }
        let last = world.process("last") { try await close($0, stores, judge) }
        await last.waitUntilEnded()
    }

    // MARK: A process

    private static func use(
        _ process: SimulatedProcess, _ stores: WorldStore, _ judge: UsersJudge, _ phase: Phase,
        _ choices: [Scope.Unsent?]
    ) async throws {
        let random = process.random
        let store = try await process.untilDone { try stores.open("users", survives: .power) }
        if random.chance(0.5) { try await process.untilDone { try await Scope.finishEnds(in: store) } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<random.int(in: 1...2) {
                group.addTask {
                    for _ in 0..<random.int(in: 1...3) where !phase.isCalm {
                        guard let user = random.element(of: users) else { return }
                        let login = UserLogin(user, process, store, judge)
                        try await login.run(choices, phase)
                    }
                }
            }
            try await group.waitForAll()
        }
        while !phase.isCalm { try await process.world.clock.sleep(for: .seconds(5)) }
    }

    /// When all is calm, everybody logs in once more: what was kept is sent, and then nothing is left.
    private static func close(_ process: SimulatedProcess, _ stores: WorldStore, _ judge: UsersJudge) async throws {
        let world = process.world
        let store = try await process.untilDone { try stores.open("users", survives: .power) }
        try await Scope.finishEnds(in: store)
        judge.look(at: try await store.contents())
        for user in users {
            let login = UserLogin(user, process, store, judge)
            guard try await login.open() else { return world.expect(false, "\(user) cannot log in") }
            while try await !login.outbox.items().isEmpty {
                try await login.outbox.drainToEnd()
                try await world.clock.sleep(for: .seconds(5))
            }
            judge.compare(user)
            await login.end(nil)
            world.expect(!login.goesOn, "\(user) cannot log out")
        }
        let left = try await store.contents()
        world.expect(left.entries.isEmpty && left.damaged.isEmpty, "\(left.entries.map(\.key)) are left")
    }
}
