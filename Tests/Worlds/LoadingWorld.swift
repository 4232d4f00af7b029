import Aquifer
import AquiferTesting
import Foundation

/// Three processes load pages that change, through one store on one disk: as resources, and as data.
///
/// The switch `eternal` plants a bug: one process takes every saved copy for fresh.
enum LoadingWorld {
    static let pages = ["news", "weather"]
    static let maxAge = Duration.seconds(600)

    static let faults: Set<SimulatedFault> = [
        .kill, .slowness, .requestLost, .answerLost, .bodyCut, .duplicated, .slowNetwork, .nameFails, .redirect,
        .portal,
        .serverError, .serverRestart, .powerCut, .diskFull, .ioError, .tooManyFiles, .preemption, .bitFlip, .fileCut,
        .fileSwapped,
    ]

    /// The world over a store of files.
    @Sendable static func run(_ world: Simulation) async throws { try await run(world, over: .files) }

    /// The world over a SQLite database.
    @Sendable static func runOverSQLite(_ world: Simulation) async throws { try await run(world, over: .database) }

    private static func run(_ world: Simulation, over stores: WorldStore) async throws {
        stores.prepare(world)
        world.limits = .init(steps: 200_000, time: .seconds(2 * 24 * 3600))
        let clocksAreRight = world.random.chance(0.6)
        let server = PagesServer(world, pages: pages)
        let judge = PagesJudge(world, server, maxAge: maxAge, clocksAreRight: clocksAreRight)
        let phase = Phase()
        // In some worlds everything happens at once: loads overlap, and answers overtake one another.
        phase.isBusy = world.random.chance(0.5)
        // Without its marker, a folder is no store.
        world.disk.damageable = { $0.hasSuffix(".entry") || $0.hasSuffix(".sqlite") || $0.hasSuffix(".sqlite-wal") }
        world.network.serve("pages.example") { await server.answer($0) }
        world.faults.allow(clocksAreRight ? faults : faults.union([.clockSkew, .serverDate]))
        let readers = (0..<3).map { number in
            world.process("reader\(number)") { try await read($0, stores, judge, phase) }
        }
        for reader in readers { reader.isMortal = true }
        for _ in 0..<(phase.isBusy ? world.random.int(in: 8...24) : world.random.int(in: 1...12)) {
            let pause = Duration.milliseconds(10) ... .seconds(phase.isBusy ? 12 : 400)
            try await world.clock.sleep(for: world.random.duration(in: pause))
            if let page = world.random.element(of: pages) { server.change(page) }
        }
        world.faults.stop()
        phase.isCalm = true
        world.note("all faults have ended")
        for reader in readers { await reader.waitUntilEnded() }
    }

    private static func read(
        _ process: SimulatedProcess, _ stores: WorldStore, _ judge: PagesJudge, _ phase: Phase
    ) async throws {
        let (world, random) = (process.world, process.random)
        let store = try await process.untilDone {
            try stores.open("pages", survives: .process)
        }
        let retry = RetryPolicy(
            attempts: random.int(in: 1...3), clock: world.clock, random: { random.fraction() }, now: process.now)
        let isEternal = world.switches.contains("eternal")
        let policy: CachePolicy = isEternal ? .forever : .maxAge(maxAge)
        guard let base = URL(string: "http://pages.example") else { return }
        let data = DataLoader(
            client: process.client, store: store, policy: policy, retry: retry, now: process.now,
            check: { head, data in _ = try text(head, data) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for page in pages {
                let url = base.appendingPathComponent(page)
                let remote = RemoteLoader<String>(
                    HTTPRequest(.get, url), client: process.client, retry: retry, map: text)
                let cache = Cache<String>(key: page, in: store, policy: policy, codec: .json, now: process.now)
                let resource = Resource<String>(remote: remote, cache: cache)
                let life = "\(process.name)#\(process.starts)"
                group.addTask {
                    try await look(page, life, process, judge, phase) { () async throws(LoadError) in
                        try await resource.load()
                    }
                }
                group.addTask {
                    try await look(page, "\(life) data", process, judge, phase) { () async throws(LoadError) in
                        try await data.data(for: url).map { String(decoding: $0, as: UTF8.self) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Asks for a page again and again. Once all is calm, the latest one must come.
    private static func look(
        _ page: String, _ reader: String, _ process: SimulatedProcess, _ judge: PagesJudge, _ phase: Phase,
        _ load: () async throws(LoadError) -> Loaded<String>
    ) async throws {
        let (world, random) = (process.world, process.random)
        while true {
            let (isLast, asked) = (phase.isCalm, world.clock.now)
            do throws(LoadError) {
                judge.see(try await load(), of: page, by: reader, now: process.now(), asked: asked)
            } catch {
                judge.fail(error, of: page, asked: asked)
                world.expect(!isLast, "no \(page) although all is calm: \(error)")
            }
            if isLast { return }
            let pause = Duration.milliseconds(1) ... .seconds(phase.isBusy ? 20 : 300)
            try await world.clock.sleep(for: random.duration(in: pause))
        }
    }

    @Sendable private static func text(_ head: HTTPResponseHead, _ data: Data) throws -> String {
        guard head.status == 200 else { throw InvalidData.status(head.status) }
        guard head.mediaType == "text/plain" else { throw InvalidData.mediaType(head.mediaType) }
        return String(decoding: data, as: UTF8.self)
    }
}
