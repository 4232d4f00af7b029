import Aquifer
import AquiferTesting
import Foundation

/// Two processes download files that change, into one folder on one disk: whole files, and bytes as they arrive.
///
/// The switch `mixing` plants a bug: the server continues with the bytes of another version.
enum DownloadsWorld {
    static let files = ["film", "song"]
    static let maxAge = Duration.seconds(600)

    static let faults: Set<SimulatedFault> = [
        .kill, .slowness, .requestLost, .answerLost, .bodyCut, .duplicated, .slowNetwork, .nameFails, .redirect,
        .portal,
        .serverError, .serverRestart, .powerCut, .diskFull, .ioError, .tooManyFiles, .preemption, .bitFlip, .fileCut,
        .clockSkew,
    ]

    @Sendable static func run(_ world: Simulation) async throws {
        world.limits = .init(steps: 300_000, time: .seconds(2 * 24 * 3600))
        let (server, phase) = (FilesServer(world, files: files), Phase())
        // Without its marker, a folder is not one of downloads.
        world.disk.damageable = { !$0.contains("/aquifer-downloads") }
        let judge = FilesJudge(world, server, maxAge: maxAge)
        world.network.serve("files.example") { await server.answer($0) }
        world.faults.allow(faults)
        let readers = (0..<2).map { number in
            world.process("reader\(number)") { try await read($0, judge, phase) }
        }
        for reader in readers { reader.isMortal = true }
        for _ in 0..<world.random.int(in: 1...6) {
            try await world.clock.sleep(for: world.random.duration(in: .milliseconds(10) ... .seconds(400)))
            if let file = world.random.element(of: files) { server.change(file) }
        }
        world.faults.stop()
        phase.isCalm = true
        world.note("all faults have ended")
        for reader in readers { await reader.waitUntilEnded() }
    }

    private static func read(_ process: SimulatedProcess, _ judge: FilesJudge, _ phase: Phase) async throws {
        let (world, random) = (process.world, process.random)
        let retry = RetryPolicy(
            attempts: random.int(in: 1...3), clock: world.clock, random: { random.fraction() }, now: process.now)
        let downloads = try await process.untilDone {
            try Downloads(
                directory: URL(fileURLWithPath: "/disk/files", isDirectory: true), client: process.client,
                bound: random.chance(0.5) ? 1 << 30 : 700_000, policy: .maxAge(maxAge), retry: retry,
                durability: random.chance(0.5) ? .power : .process, clock: world.clock, now: process.now,
                check: { head, _ in
                    guard head.mediaType == "application/octet-stream" else {
                        throw InvalidData.mediaType(head.mediaType)
                    }
                })
        }
        guard let base = URL(string: "http://files.example") else { return }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for file in files {
                group.addTask {
                    try await look(file, base.appendingPathComponent(file), downloads, process, judge, phase)
                }
            }
            try await group.waitForAll()
        }
    }

    /// Downloads a file again and again. Once all is calm, it must come.
    private static func look(
        _ file: String, _ url: URL, _ downloads: Downloads, _ process: SimulatedProcess, _ judge: FilesJudge,
        _ phase: Phase
    ) async throws {
        let (world, random) = (process.world, process.random)
        while true {
            let isLast = phase.isCalm
            do {
                if random.chance(0.3) {
                    var bytes = Data()
                    for try await chunk in downloads.download(url).bytes() { bytes.append(chunk) }
                    judge.see(bytes, of: file)
                } else {
                    let found = try await downloads.file(for: url)
                    judge.see(stamp: found.savedAt, of: file, now: process.now())
                    judge.see(try await found.read(0..<found.length), of: file)
                }
            } catch {
                world.note("no \(file): \(error)")
                if isLast, !passes(error) { world.expect(false, "no \(file) although all is calm: \(error)") }
                if isLast { continue }
            }
            if isLast { return }
            try await world.clock.sleep(for: random.duration(in: .milliseconds(1) ... .seconds(300)))
        }
    }

    /// True for what may still happen once all is calm, and goes by.
    private static func passes(_ error: any Error) -> Bool {
        guard case DownloadError.store(let error)? = error as? DownloadError else {
            if case StoreError.unreadable? = error as? StoreError { return true }
            return false
        }
        return switch error {
        // A file that was damaged at rest is found out when it is read, and then fetched anew.
        case .unreadable: true
        // A process whose request was lost before the calm has the lock until that times out.
        case .busy: true
        default: false
        }
    }
}
