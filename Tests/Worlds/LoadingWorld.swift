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

    @Sendable static func run(_ world: Simulation) async throws {
        world.limits = .init(steps: 200_000, time: .seconds(2 * 24 * 3600))
        let clocksAreRight = world.random.chance(0.6)
        let server = PagesServer(world, pages: pages)
        let judge = PagesJudge(world, server, maxAge: maxAge, clocksAreRight: clocksAreRight)
        let phase = Phase()
        // Without its marker, a folder is no store.
        world.disk.damageable = { $0.hasSuffix(".entry") }
        world.network.serve("pages.example") { await server.answer($0) }
        world.faults.allow(clocksAreRight ? faults : faults.union([.clockSkew, .serverDate]))
        let readers = (0..<3).map { number in
            world.process("reader\(number)") { try await read($0, judge, phase) }
        }
        for reader in readers { reader.isMortal = true }
        for _ in 0..<world.random.int(in: 1...12) {
            try await world.clock.sleep(for: world.random.duration(in: .milliseconds(10) ... .seconds(400)))
            if let page = world.random.element(of: pages) { server.change(page) }
        }
        world.faults.stop()
        phase.isCalm = true
        world.note("all faults have ended")
        for reader in readers { await reader.waitUntilEnded() }
    }

    private static func read(_ process: SimulatedProcess, _ judge: PagesJudge, _ phase: Phase) async throws {
        let (world, random) = (process.world, process.random)
        let store = try await process.untilDone {
            try FileStore(directory: URL(fileURLWithPath: "/disk/pages", isDirectory: true))
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
            try await world.clock.sleep(for: random.duration(in: .milliseconds(1) ... .seconds(300)))
        }
    }

    @Sendable private static func text(_ head: HTTPResponseHead, _ data: Data) throws -> String {
        guard head.status == 200 else { throw InvalidData.status(head.status) }
        guard head.mediaType == "text/plain" else { throw InvalidData.mediaType(head.mediaType) }
        return String(decoding: data, as: UTF8.self)
    }
}
