import Aquifer
import AquiferAudioFeed
import AquiferTesting
import Foundation

/// An app keeps clips for weeks, in which the network comes and goes, faults strike for some hours, and the app is killed
/// and started again. It renews what it keeps each hour.
///
/// The switch `idle` plants a bug: nothing is renewed.
enum ClipsWorld {
    static let faults: Set<SimulatedFault> = [
        .kill, .slowness, .requestLost, .answerLost, .bodyCut, .duplicated, .slowNetwork, .nameFails, .redirect,
        .portal,
        .serverError, .serverRestart, .serverDate, .powerCut, .diskFull, .ioError, .tooManyFiles, .preemption,
    ]

    @Sendable static func run(_ world: Simulation) async throws {
        world.limits = .init(steps: 300_000, time: .seconds(60 * 24 * 3600))
        let (server, phase) = (ClipsServer(world), Phase())
        let judge = ClipsJudge(world, server)
        world.network.serve("audio.example") { await server.answer($0) }
        // Sometimes the date of the app is wrong.
        let dates: Set<SimulatedFault> = world.random.chance(0.2) ? [.clockSkew] : []
        let phone = world.process("phone") { try await use($0, judge, phase) }
        phone.isMortal = true
        for _ in 0..<world.random.int(in: 3...9) {
            if world.random.chance(0.4) {
                world.faults.allow(faults.union(dates))
                try await world.clock.sleep(for: world.random.duration(in: .seconds(600) ... .seconds(40_000)))
                world.faults.stop()
                world.note("the faults have ended")
            }
            world.network.isUp = world.random.chance(0.6)
            world.note(world.network.isUp ? "the network is up" : "the network is down")
            judge.begin()
            if world.random.chance(0.3), let id = world.random.element(of: server.ids) { server.change(id) }
            try await world.clock.sleep(for: world.random.duration(in: .seconds(40_000) ... .seconds(800_000)))
        }
        world.network.isUp = true
        phase.isOver = true
        await phone.waitUntilEnded()
    }

    private static func use(_ process: SimulatedProcess, _ judge: ClipsJudge, _ phase: Phase) async throws {
        let (world, random) = (process.world, process.random)
        guard let base = URL(string: "http://audio.example") else { return }
        let folder = { (name: String) in URL(fileURLWithPath: "/disk/\(name)", isDirectory: true) }
        let store = try await process.untilDone { try FileStore(directory: folder("clips")) }
        let queue = try await process.untilDone { try FileStore(directory: folder("posts")) }
        let retry = RetryPolicy(
            attempts: random.int(in: 1...3), clock: world.clock, random: { random.fraction() }, now: process.now)
        let sound = try await process.untilDone {
            try Downloads(
                directory: folder("sound"), client: process.client, retry: retry, clock: world.clock, now: process.now,
                check: { head, _ in
                    guard head.mediaType == "audio/mpeg" else { throw InvalidData.mediaType(head.mediaType) }
                })
        }
        let policy = SendPolicy(clock: world.clock, random: { random.fraction() }, now: process.now)
        let outbox = AudioFeedService.outbox(
            in: queue, files: .originals, client: process.client, policy: policy, store: store, now: process.now)
        let service = AudioFeedService(
            base: base, client: process.client, store: store,
            downloads: { () throws(StoreError) in sound }, outbox: outbox, retry: retry, now: process.now,
            makeKey: { random.uuid().uuidString })
        judge.begin()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await renew(service, sound, process, judge, phase) }
            group.addTask { try await listen(service, sound, process, judge, phase) }
            try await group.waitForAll()
        }
    }

    /// The tasks beside the screens.
    private static func renew(
        _ service: AudioFeedService, _ sound: Downloads, _ process: SimulatedProcess, _ judge: ClipsJudge,
        _ phase: Phase
    ) async throws {
        while !phase.isOver {
            if !process.world.switches.contains("idle") { await service.renewKept() }
            if let all = try? await sound.list() { judge.look(at: all, now: process.now()) }
            try await process.world.clock.sleep(for: .seconds(3600))
        }
    }

    /// A user looks at the clips, keeps one or lets it go, and plays those that are said to be there.
    private static func listen(
        _ service: AudioFeedService, _ sound: Downloads, _ process: SimulatedProcess, _ judge: ClipsJudge,
        _ phase: Phase
    ) async throws {
        let (world, random) = (process.world, process.random)
        // A user whose screen renews hides what the renewal beside it does not do.
        let opensOften = random.chance(0.5)
        let model = await AudioFeedModel(service)
        await model.appear()
        while !phase.isOver {
            let clips = await model.clips
            if let clip = random.element(of: clips) {
                if random.chance(0.4) {
                    await model.keep(clip.id)
                } else if random.chance(0.1) {
                    await model.remove(clip.id)
                }
            }
            for clip in clips where await model.kept(clip) == .kept {
                do throws(StoreError) {
                    let file = try await sound.saved(clip.audio)
                    let now = process.now()
                    let bytes = try await file?.read(0..<(file?.length ?? 0))
                    judge.play(clip, bytes, savedAt: file?.savedAt, now: now)
                } catch {
                    judge.cannotPlay(clip, error)
                }
            }
            try await world.clock.sleep(for: random.duration(in: .seconds(1) ... .seconds(60_000)))
            if opensOften { await model.refresh() }
        }
    }
}
