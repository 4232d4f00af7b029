import Aquifer
import AquiferTesting
import Foundation

/// Two users on up to three devices over one store on one disk. Their tokens expire, and are renewed once for all loads and items
/// that wait. They log in and out in the middle of a renewal, and processes are killed.
///
/// The switch `anyone` plants a bug: a client shows the credentials of whoever is logged in on the device.
enum CredentialsWorld {
    static let users = ["ada", "ben"]

    static let faults: Set<SimulatedFault> = [
        .kill, .stop, .slowness, .requestLost, .answerLost, .bodyCut, .slowNetwork, .nameFails, .redirect, .portal,
        .serverError, .serverRestart, .powerCut, .diskFull, .ioError, .tooManyFiles, .preemption,
    ]

    @Sendable static func run(_ world: Simulation) async throws {
        world.limits = .init(steps: 400_000, time: .seconds(5 * 24 * 3600))
        let server = TokenServer(world)
        let (judge, phase) = (CredentialsJudge(world, server), Phase())
        world.network.serve("login.example") { await server.login($0) }
        world.network.serve("notes.example") { await server.answer($0) }
        world.faults.allow(faults)
        phase.processes = (0..<world.random.int(in: 1...3)).map { number in
            let keychain = Keychain()
            return world.process("app\(number)") { try await use($0, keychain, judge, phase) }
        }
        for process in phase.processes { process.isMortal = true }
        try await world.clock.sleep(for: world.random.duration(in: .seconds(1) ... .seconds(300)))
        world.faults.stop()
        (phase.isCalm, judge.mayFail, server.isMoody) = (true, false, false)
        world.note("all faults have ended")
        for process in phase.processes { await process.waitUntilEnded() }
        let last = world.process("last") { try await close($0, judge) }
        await last.waitUntilEnded()
        judge.compare()
        judge.scan()
    }

    private static func use(
        _ process: SimulatedProcess, _ keychain: Keychain, _ judge: CredentialsJudge, _ phase: Phase
    ) async throws {
        let store = try await process.untilDone { try WorldStore.files.open("users", survives: .power) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for user in users {
                group.addTask {
                    for _ in 0..<process.random.int(in: 1...4) where !phase.isCalm {
                        try await CredentialsLogin(user, process, store, keychain, judge).run()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// When all is calm, everybody logs in once more, and what was kept is sent.
    private static func close(_ process: SimulatedProcess, _ judge: CredentialsJudge) async throws {
        let store = try await process.untilDone { try WorldStore.files.open("users", survives: .power) }
        try await Scope.finishEnds(in: store)
        for user in users {
            let login = CredentialsLogin(user, process, store, Keychain(), judge)
            guard try await login.open() else { return process.world.expect(false, "\(user) cannot log in") }
            for round in 0... {
                let items = try await login.outbox.items()
                if items.isEmpty { break }
                if round == 100 { process.world.note("waits for \(items.map { ($0.id, $0.state) })") }
                if login.holder.tokens == nil { await login.holder.logIn() }
                try await login.retry()
                try await login.outbox.drainToEnd()
                try await process.world.clock.sleep(for: .seconds(5))
            }
            await login.endScope(nil)
            process.world.expect(!login.goesOn, "\(user) cannot log out")
        }
    }
}
