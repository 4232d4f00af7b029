import Aquifer
import AquiferShadowDrive
import AquiferTesting
import Foundation

/// Two windows of one owner create storage accounts, add storage, upload and delete files, over a chain that forks; then
/// they are online and offline by turns for weeks.
///
/// Two switches plant a bug: with `twice`, the server carries out what it has refused; with `fickle`, a node takes a
/// processed block for a confirmed one.
enum ChainWorld {
    static let faults: Set<SimulatedFault> = [
        .kill, .slowness, .clockSkew, .requestLost, .answerLost, .bodyCut, .duplicated, .slowNetwork, .nameFails,
        .redirect, .portal, .serverError, .serverRestart, .serverDate, .powerCut, .diskFull, .ioError, .tooManyFiles,
        .preemption, .bitFlip, .fileCut,
    ]

    /// The parts of one window.
    private struct Window {
        let process: SimulatedProcess
        let service: ShadowDriveService
        let judge: DriveJudge
        let phase: Phase
        /// Its name, and the number of its start.
        let life: String

        var world: Simulation { process.world }
        var random: SimulatedRandom { process.random }

        /// Short while faults strike; later a part of a day.
        func pause() async throws {
            let (short, long) = (Duration.milliseconds(1) ... .seconds(60), Duration.seconds(600) ... .seconds(80_000))
            try await world.clock.sleep(for: random.duration(in: phase.isCalm ? long : short))
        }
    }

    @Sendable static func run(_ world: Simulation) async throws {
        world.limits = .init(steps: 300_000, time: .seconds(60 * 24 * 3600))
        let (owner, uploader) = (try keypair(world.random), try keypair(world.random))
        let program = ShadowDriveProgram.v1(uploader: uploader.publicKey)
        let chain = Chain(world, owner: owner.publicKey, program: program)
        let server = StorageServer(world, chain, uploader: uploader, owner: owner.publicKey)
        let node = NodeServer(world, chain, owner: owner.publicKey)
        world.network.serve("drive.example") { await server.answer($0) }
        world.network.serve("files.example") { await server.file($0) }
        world.network.serve("node.example") { await node.answer($0) }
        world.disk.damageable = { $0.hasSuffix(".entry") }
        let clocksAreRight = world.random.chance(0.6)
        let (judge, phase) = (DriveJudge(world, server, clocksAreRight: clocksAreRight), Phase())
        world.faults.allow(clocksAreRight ? faults.subtracting([.clockSkew, .serverDate]) : faults)
        let windows = (0..<2).map { number in
            world.process("window\(number)") { try await use($0, owner, program, judge, phase) }
        }
        for window in windows { window.isMortal = true }
        try await world.clock.sleep(for: world.random.duration(in: .seconds(10) ... .seconds(900)))
        world.faults.stop()
        phase.isCalm = true
        world.note("all faults have ended")
        // A change that was begun before has ended by then.
        try await world.clock.sleep(for: .seconds(3600))
        judge.beginCalm()
        for _ in 0..<world.random.int(in: 2...10) {
            world.network.isUp = world.random.chance(0.4)
            world.note(world.network.isUp ? "the network is up" : "the network is down")
            try await world.clock.sleep(for: world.random.duration(in: .seconds(20_000) ... .seconds(400_000)))
        }
        world.network.isUp = true
        phase.isOver = true
        for window in windows { await window.waitUntilEnded() }
        try await world.clock.sleep(for: .seconds(600))
        judge.compare()
    }

    private static func keypair(_ random: SimulatedRandom) throws -> Keypair {
        try Keypair(seed: Data((0..<32).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
    }

    private static func use(
        _ process: SimulatedProcess, _ owner: Keypair, _ program: ShadowDriveProgram, _ judge: DriveJudge,
        _ phase: Phase
    ) async throws {
        let (world, random) = (process.world, process.random)
        guard let base = URL(string: "http://drive.example"), let files = URL(string: "http://files.example"),
            let node = URL(string: "http://node.example/")
        else { return }
        let store = try await process.untilDone {
            try FileStore(directory: URL(fileURLWithPath: "/disk/drive", isDirectory: true))
        }
        let retry = RetryPolicy(
            attempts: random.int(in: 1...3), clock: world.clock, random: { random.fraction() }, now: process.now)
        let service = ShadowDriveService(
            api: ShadowDriveAPI(base: base, files: files, client: process.client, retry: retry),
            rpc: SolanaRPC(url: node, client: process.client, retry: retry), program: program, keypair: owner,
            store: store, clock: world.clock, now: process.now)
        let window = Window(
            process: process, service: service, judge: judge, phase: phase, life: "\(process.name)#\(process.starts)")
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await look(window) }
            group.addTask { try await change(window) }
            try await group.waitForAll()
        }
    }

    // MARK: Looking

    private static func look(_ window: Window) async throws {
        while true {
            let isLast = window.phase.isOver
            let (asked, began) = (window.world.date, window.world.clock.now)
            do throws(LoadError) {
                let loaded = try await window.service.accounts?.load()
                if let loaded { window.judge.see(loaded, by: window.life, asked: asked, now: window.process.now()) }
            } catch {
                window.judge.fail(error, isLast: isLast)
            }
            window.judge.bound(began, "the list")
            if let account = window.random.element(of: window.judge.known) {
                let asked = window.world.date
                do throws(LoadError) {
                    let loaded = try await window.service.contents(of: account).load()
                    window.judge.see(loaded, of: account, by: window.life, asked: asked, now: window.process.now())
                } catch {
                    window.world.note("no contents: \(error)")
                }
                window.judge.bound(began, "the contents")
            }
            if isLast { return }
            try await window.pause()
        }
    }

    // MARK: Changing

    private static func change(_ window: Window) async throws {
        while !window.phase.isOver {
            let began = window.world.clock.now
            switch window.random.int(in: 0...5) {
            case 0, 1: await create(window)
            case 2, 3: await addStorage(window)
            case 4: await upload(window)
            default: await delete(window)
            }
            window.judge.bound(began, "a change")
            try await window.pause()
        }
    }

    private static func create(_ window: Window) async {
        guard let name = window.judge.newAccount() else { return }
        do throws(DriveError) {
            let created = try await window.service.createStorageAccount(name: name, size: DriveJudge.size)
            window.judge.tell(.made, account: name)
            if created.saveError == nil { window.judge.saved(created.account) }
        } catch {
            window.judge.tell(DriveJudge.Told(error), account: name, because: error)
        }
    }

    private static func addStorage(_ window: Window) async {
        guard let account = window.random.element(of: window.judge.known), let bytes = window.judge.newAddition() else {
            return
        }
        do throws(DriveError) {
            _ = try await window.service.addStorage(bytes, to: account)
            window.judge.tell(.made, addition: bytes)
        } catch {
            window.judge.tell(DriveJudge.Told(error), addition: bytes, because: error)
        }
    }

    private static func upload(_ window: Window) async {
        guard let account = window.random.element(of: window.judge.known) else { return }
        let places = (0..<window.random.int(in: 1...2)).map { place in
            let (path, bytes) = window.judge.newFile(
                named: "file\((place + window.random.int(in: 0...1)) % 3)", in: account)
            window.world.disk.write(bytes, to: path)
            return URL(fileURLWithPath: path)
        }
        do throws(DriveError) {
            let results = try await window.service.upload(places, to: account, overwrite: window.random.chance(0.3))
            for result in results {
                window.judge.tell(
                    result.error.map(DriveJudge.Told.init) ?? .made, file: result.file.path, because: result.error)
            }
        } catch {
            window.world.note("no upload: \(error)")
        }
    }

    private static func delete(_ window: Window) async {
        guard let account = window.random.element(of: window.judge.known) else { return }
        let (name, asked) = ("file\(window.random.int(in: 0...2))", window.world.date)
        do throws(DriveError) {
            _ = try await window.service.deleteFile(window.service.api.location(of: name, in: account))
            window.judge.tellDeleted(name, of: account, asked: asked)
        } catch {
            window.world.note("\(name) is not deleted: \(error)")
        }
    }
}
