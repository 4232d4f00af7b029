import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Hammer

/// Starts workers on one store, kills them at random moments, and checks that nothing acknowledged is lost.
final class Parent {
    private let kind: String
    private let kills: Int
    private let workers: Int
    private let place: URL
    private var numbers: SeededNumbers
    private let tally = Tally()

    init(kind: String, kills: Int, workers: Int, seed: UInt64) {
        self.kind = kind
        self.kills = kills
        self.workers = workers
        numbers = SeededNumbers(seed: seed)
        place = FileManager.default.temporaryDirectory.appendingPathComponent("hammer-\(UUID().uuidString)")
    }

    /// True if nothing was lost or torn.
    func run() async throws -> Bool {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let store = try Plan.open(kind, place.path)
        var running = try (0..<workers).map { try start($0) }
        for kill in 0..<kills {
            usleep(UInt32.random(in: 1_000...60_000, using: &numbers))
            let victim = Int.random(in: 0..<workers, using: &numbers)
            running[victim].strike()
            running[victim] = try start(workers + kill)
            // The others write on meanwhile: an entry may be newer than the acknowledged one, never older.
            try await check(store)
        }
        HammerProcess.wait { tally.result.acknowledged > kills }
        for worker in running { worker.strike() }
        try await check(store)
        // A fresh instance reads the disk, and not the pages that this one has mapped.
        try await check(try Plan.open(kind, place.path))
        let (acknowledged, lost, torn) = tally.result
        print("\(kills) kills, \(acknowledged) acknowledged writes, \(lost) lost, \(torn) torn")
        let isGood = lost == 0 && torn == 0 && acknowledged > kills
        if isGood { try FileManager.default.removeItem(at: place) } else { print("the store is left in \(place.path)") }
        return isGood
    }

    private func check(_ store: any CacheStore) async throws {
        for key in Plan.keys {
            // The expectation is taken before retrieving: later writes are not asked of the store.
            let acknowledged = tally.acknowledged(key)
            let entry: StoredEntry?
            do {
                entry = try await store.retrieve(key)
            } catch {
                tally.note(torn: "\(key): \(error)")
                continue
            }
            guard let entry else {
                if acknowledged > 0 { tally.note(lost: "\(key): nothing, \(acknowledged) was acknowledged") }
                continue
            }
            guard let counter = Plan.counter(of: entry, key: key) else {
                tally.note(torn: "\(key): not what its writer wrote")
                continue
            }
            if counter < acknowledged { tally.note(lost: "\(key): \(counter), \(acknowledged) was acknowledged") }
        }
    }

    private func start(_ writer: Int) throws -> HammerProcess {
        try HammerProcess(
            ["--worker", "\(writer)", "--store", kind, "--path", place.path, "--seed", "\(numbers.next())"]
        ) { [tally] line in tally.note(line: line) }
    }
}

/// The acknowledged writes, and the violations.
private final class Tally: @unchecked Sendable {
    private let lock = Lock()
    private var highest: [String: Int] = [:]
    private var count = 0
    private var lost = 0
    private var torn = 0

    func note(line: String) {
        let parts = line.split(separator: " ")
        guard parts.count == 2, let counter = Int(parts[1]) else { return note(torn: line) }
        lock.withLock {
            count += 1
            highest[String(parts[0])] = max(counter, highest[String(parts[0])] ?? 0)
        }
    }

    func note(lost detail: String) {
        print("lost: \(detail)")
        lock.withLock { lost += 1 }
    }

    func note(torn detail: String) {
        print("torn: \(detail)")
        lock.withLock { torn += 1 }
    }

    func acknowledged(_ key: String) -> Int { lock.withLock { highest[key] ?? 0 } }

    var result: (acknowledged: Int, lost: Int, torn: Int) { lock.withLock { (count, lost, torn) } }
}
