import AquiferPayments
import AquiferTesting
import Foundation
import Hammer

/// Starts workers on one vault, kills them at random moments, and checks that no card is lost.
final class Parent {
    private let kills: Int
    private let workers: Int
    private let place: URL
    private var numbers: SeededNumbers
    private let tally = Tally()

    init(kills: Int, workers: Int, seed: UInt64) {
        self.kills = kills
        self.workers = workers
        numbers = SeededNumbers(seed: seed)
        place = FileManager.default.temporaryDirectory.appendingPathComponent("vault-\(UUID().uuidString)")
    }

    /// True if nothing was lost.
    func run() async throws -> Bool {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        var running = try (0..<workers).map { try start($0) }
        for kill in 0..<kills {
            usleep(UInt32.random(in: 1_000...40_000, using: &numbers))
            let victim = Int.random(in: 0..<workers, using: &numbers)
            running[victim].strike()
            running[victim] = try start(workers + kill)
            // The others write on meanwhile.
            await check()
        }
        HammerProcess.wait { tally.result.changes > kills && tally.result.rotations > 0 }
        for worker in running { worker.strike() }
        await check()
        try await checkRollback()
        try checkFiles()
        let (acknowledged, rotations, wrong) = tally.result
        print("\(kills) kills, \(acknowledged) acknowledged changes, \(rotations) rotations, \(wrong) wrong")
        let isGood = wrong == 0 && acknowledged > kills && rotations > 0
        if isGood { try FileManager.default.removeItem(at: place) } else { print("the vault is left in \(place.path)") }
        return isGood
    }

    private func check() async {
        // The expectation is taken before reading: later changes are not asked of the vault.
        let (kept, gone) = tally.expected
        do {
            let vault = Plan.open(place.path)
            let found = Set(try await vault.cards().map(\.id))
            for number in kept where !found.contains(Plan.id(number)) {
                // A worker may have removed it meanwhile. It told so before, and its line may still be on its way.
                if !tally.isLeaving(number, within: 5) { tally.note(wrong: "card \(number) was lost") }
            }
            for number in gone where found.contains(Plan.id(number)) {
                tally.note(wrong: "card \(number) is back")
            }
            if let number = kept.randomElement(using: &numbers), let card = try await vault.card(Plan.id(number)),
                try card != Plan.card(number)
            {
                tally.note(wrong: "card \(number) is another")
            }
        } catch {
            tally.note(wrong: "\(error)")
        }
    }

    /// A copy from before the last acknowledged change is detected, however the writers ended.
    private func checkRollback() async throws {
        let vault = Plan.open(place.path)
        let file = place.appendingPathComponent("vault/cards.vault")
        // No worker has this card: the cards that they told of are checked again below.
        let number = 999_999_999
        try await vault.add(try Plan.card(number))
        let older = try Data(contentsOf: file)
        guard try await vault.remove(Plan.id(number)) else { return tally.note(wrong: "card \(number) was lost") }
        let latest = try Data(contentsOf: file)
        try older.write(to: file)
        do {
            _ = try await vault.cards()
            tally.note(wrong: "an older copy was taken for the vault")
        } catch VaultError.rolledBack {
            try latest.write(to: file)
            await check()
        }
    }

    /// No file is left half replaced, there is one key, and all files are this user's only.
    private func checkFiles() throws {
        for folder in ["vault", "keys"] {
            let path = place.appendingPathComponent(folder).path
            try checkMode(path, 0o700)
            for name in try FileManager.default.contentsOfDirectory(atPath: path) {
                try checkMode(path + "/" + name, 0o600)
                if name.hasSuffix(".incoming") || name.hasSuffix(".outgoing") { tally.note(wrong: "\(name) was left") }
            }
        }
    }

    private func checkMode(_ path: String, _ mode: Int) throws {
        let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        if found != mode { tally.note(wrong: "\(path) has mode \(String(found ?? 0, radix: 8))") }
    }

    private func start(_ writer: Int) throws -> HammerProcess {
        try HammerProcess(["--worker", "\(writer)", "--path", place.path, "--seed", "\(numbers.next())"]) {
            [tally] line in tally.note(line: line)
        }
    }
}
