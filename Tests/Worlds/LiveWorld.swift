import Aquifer
import AquiferTesting
import Foundation

/// Pages and a list in pages change on a server, and the processes that changed them make them invalid: by key, by prefix, by
/// tag. Others load them, asking only after a while, and follow them.
///
/// The switch `deaf` plants a bug: nobody is told what others change in the store.
enum LiveWorld {
    static let pages = ["a1", "a2", "b1"]

    static let faults: Set<SimulatedFault> = [
        .kill, .stop, .slowness, .requestLost, .answerLost, .bodyCut, .slowNetwork, .nameFails, .redirect, .portal,
        .serverError, .serverRestart, .powerCut, .diskFull, .ioError, .tooManyFiles, .preemption,
    ]

    @Sendable static func run(_ world: Simulation) async throws {
        world.limits = .init(steps: 300_000, time: .seconds(24 * 3600))
        world.disk.tellsChanges = !world.switches.contains("deaf")
        let (server, phase) = (PagesServer(world, pages: pages + [LiveList.name]), Phase())
        let judge = LiveJudge(world, server)
        world.network.serve("pages.example") { await server.answer($0) }
        let lists = ListServer(world)
        lists.whenAnswered = { server.hasAnswered(LiveList.name, $0) }
        world.network.serve("lists.example") { await lists.answer($0) }
        world.faults.allow(faults)
        phase.processes = (0..<world.random.int(in: 1...3)).map { number in
            world.process("app\(number)") { try await use($0, server, lists, judge, phase) }
        }
        for process in phase.processes { process.isMortal = true }
        try await world.clock.sleep(for: world.random.duration(in: .seconds(1) ... .seconds(600)))
        world.faults.stop()
        phase.isCalm = true
        world.note("all faults have ended")
        while judge.resting.count < phase.processes.count { try await world.clock.sleep(for: .seconds(1)) }
        // What has changed last is told within milliseconds.
        try await world.clock.sleep(for: .seconds(2))
        phase.isOver = true
        for process in phase.processes { await process.waitUntilEnded() }
    }

    private static func use(
        _ process: SimulatedProcess, _ server: PagesServer, _ lists: ListServer, _ judge: LiveJudge, _ phase: Phase
    ) async throws {
        let world = process.world
        let store = try await process.untilDone { try WorldStore.files.open("live", survives: .power) }
        let life = "\(process.name)#\(process.starts)"
        let reader = LiveReader(process, life, family(process, store), server, judge)
        let list = LiveList(process, life, policy(process), store, (server, lists), judge)
        let followers = reader.follow() + [list.follow()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<process.random.int(in: 1...2) {
                group.addTask { try await act(reader, list, process, phase, "\(life).\(task)") }
            }
            try await group.waitForAll()
        }
        while !phase.isCalm { try await world.clock.sleep(for: .seconds(5)) }
        for page in pages { try await reader.load(page, "\(life).last", isLast: true) }
        await list.load("\(life).last", isLast: true)
        judge.resting.insert(process.name)
        while !phase.isOver { try await world.clock.sleep(for: .seconds(1)) }
        for page in pages { judge.compare(try await reader.family[page].saved(), of: page, to: life) }
        try await list.compare()
        for follower in followers { follower.cancel() }
        for follower in followers { await follower.value }
    }

    private static func policy(_ process: SimulatedProcess) -> CachePolicy {
        CachePolicy(maxAge: .hours(20), askAfter: .seconds(process.random.int(in: 30...2000)))
    }

    private static func family(
        _ process: SimulatedProcess, _ store: any CacheStore
    ) -> ResourceFamily<String, String> {
        let (world, random) = (process.world, process.random)
        let retry = RetryPolicy(
            attempts: random.int(in: 1...3), clock: world.clock, random: { random.fraction() }, now: process.now)
        let policy = policy(process)
        return ResourceFamily(in: store, keeping: 4, tags: { $0.hasPrefix("a") ? ["letters"] : [] }) { page in
            let url = URL(fileURLWithPath: "/").appendingPathComponent(page)
            let request = HTTPRequest(.get, URL(string: "http://pages.example\(url.path)") ?? url)
            let remote = RemoteLoader<String>(request, client: process.client, retry: retry) { head, data in
                guard head.status == 200 else { throw InvalidData.status(head.status) }
                guard head.mediaType == "text/plain" else { throw InvalidData.mediaType(head.mediaType) }
                return String(decoding: data, as: UTF8.self)
            }
            let cache = Cache<String>(key: page, in: store, policy: policy, codec: .json, now: process.now)
            return Resource(remote: remote, cache: cache, clock: world.clock)
        }
    }

    private static func act(
        _ reader: LiveReader, _ list: LiveList, _ process: SimulatedProcess, _ phase: Phase, _ task: String
    ) async throws {
        for _ in 0..<process.random.int(in: 5...20) where !phase.isCalm {
            if process.random.chance(0.25) { await list.act(task) } else { try await reader.act(task) }
            try await process.world.clock.sleep(for: process.random.duration(in: .milliseconds(1) ... .seconds(20)))
        }
    }
}

/// What one life of a process does with the pages.
struct LiveReader {
    let family: ResourceFamily<String, String>
    private let process: SimulatedProcess
    private let life: String
    private let server: PagesServer
    private let judge: LiveJudge

    init(
        _ process: SimulatedProcess, _ life: String, _ family: ResourceFamily<String, String>, _ server: PagesServer,
        _ judge: LiveJudge
    ) {
        (self.process, self.life, self.family, self.server, self.judge) = (process, life, family, server, judge)
    }

    func follow() -> [Task<Void, Never>] {
        LiveWorld.pages.map { page in
            Task { for await loaded in family[page].updates { judge.emit(loaded, of: page, to: life) } }
        }
    }

    func act(_ task: String) async throws {
        guard let page = process.random.element(of: LiveWorld.pages) else { return }
        switch process.random.int(in: 0...9) {
        case 0:
            await invalidate([page], isByKey: true) { () async throws(StoreError) in
                try await family.invalidate(page)
            }
        case 1:
            await invalidate(["a1", "a2"]) { () async throws(StoreError) in
                try await family.invalidate(prefix: "a")
            }
        case 2:
            await invalidate(["a1", "a2"]) { () async throws(StoreError) in
                try await family.invalidate(tag: "letters")
            }
        case 3: await family.prefetch(LiveWorld.pages)
        default: try await load(page, task)
        }
    }

    /// Changes pages on the server, and makes them invalid.
    private func invalidate(
        _ pages: [String], isByKey: Bool = false, _ body: () async throws(StoreError) -> Void
    ) async {
        for page in pages where process.world.callerIsAlive { server.change(page) }
        let call = judge.begin(pages, in: life, isByKey: isByKey)
        do throws(StoreError) {
            try await body()
            judge.hasInvalidated(call)
        } catch { process.world.note("cannot make \(pages) invalid: \(error)") }
    }

    func load(_ page: String, _ task: String, isLast: Bool = false) async throws {
        let look = judge.look(at: page, by: task)
        do throws(LoadError) { judge.see(try await family[page].load(), look) } catch {
            process.world.note("no \(page): \(error)")
            process.world.expect(!isLast, "no \(page) although all is calm: \(error)")
        }
    }
}
