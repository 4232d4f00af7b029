import AquiferConcurrency
import AquiferTesting
import Foundation
import Hammer

/// Starts a server and senders, kills any of them at random moments, then lets them finish and compares.
final class Parent {
    private let kills: Int
    private let senders: Int
    private let place: Place
    private var numbers: SeededNumbers
    private var writers = 0
    private let tally = Tally()

    init(kills: Int, senders: Int, seed: UInt64) {
        self.kills = kills
        self.senders = senders
        numbers = SeededNumbers(seed: seed)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hammer-\(UUID().uuidString)")
        place = Place(folder.path)
    }

    /// True if the server has each item once, in order.
    func run() async throws -> Bool {
        try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
        var server = try startServer()
        var running = try (0..<senders).map { _ in try startSender() }
        for _ in 0..<kills {
            usleep(UInt32.random(in: 5_000...120_000, using: &numbers))
            // The server is killed as often as either sender.
            let victim = Int.random(in: 0...senders, using: &numbers)
            if victim == senders {
                server.strike()
                server = try startServer()
            } else {
                running[victim].strike()
                running[victim] = try startSender()
            }
        }
        HammerProcess.wait { tally.notes.count > kills }
        for sender in running { sender.strike() }
        server.strike()
        let isEmpty = try finish()
        let (lost, twice, disordered, count) = compare()
        print(
            "\(kills) kills, \(tally.notes.count) queued, \(count) at the server, \(lost) lost, \(twice) twice, "
                + "\(disordered) out of order")
        let isGood = isEmpty && lost + twice + disordered == 0 && count > kills
        if isGood {
            try FileManager.default.removeItem(at: place.folder)
        } else {
            print("left in \(place.folder.path)")
        }
        return isGood
    }

    /// Two senders empty the queue, undisturbed.
    private func finish() throws -> Bool {
        let server = try start(["--server", "--calm"])
        let last = try (0..<senders).map { _ in try start(["--sender", "--quiet"]) }
        let isEmpty = last.map { $0.waitForEnd() }.allSatisfy { $0 }
        server.strike()
        if !isEmpty { print("the queue was not emptied") }
        return isEmpty
    }

    private func compare() -> (lost: Int, twice: Int, disordered: Int, count: Int) {
        // A log that is not there is an empty one.
        let text = (try? Data(contentsOf: place.log)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        var seen: [Note: Int] = [:]
        var latest: [String: Int] = [:]
        var disordered = 0
        for line in text.split(separator: "\n") {
            guard let key = line.firstIndex(of: " "), let note = Note(line[line.index(after: key)...]) else { continue }
            seen[note, default: 0] += 1
            // It is exactly the next one: an item that was not acknowledged is the last of its writer, or is not there
            // at all.
            if note.index != (latest[note.groupName] ?? -1) + 1 { disordered += 1 }
            latest[note.groupName] = note.index
        }
        let lost = tally.notes.filter { seen[$0] == nil }
        for note in lost.sorted() { print("lost: \(note.name)") }
        return (lost.count, seen.values.count { $0 > 1 }, disordered, seen.count)
    }

    private func startServer() throws -> HammerProcess {
        try start(["--server"])
    }

    /// Each writer has a number of its own: items that it did not acknowledge are not written again.
    private func startSender() throws -> HammerProcess {
        writers += 1
        return try start(["--sender", "--writer", "\(writers)"])
    }

    private func start(_ arguments: [String]) throws -> HammerProcess {
        try HammerProcess(arguments + ["--path", place.folder.path, "--seed", "\(numbers.next())"]) {
            [tally] line in tally.note(line)
        }
    }
}

/// The items that were acknowledged.
private final class Tally: @unchecked Sendable {
    private let lock = Lock()
    private var acknowledged: Set<Note> = []

    func note(_ line: String) {
        guard let note = Note(Substring(line)) else { return print("not a note: \(line)") }
        _ = lock.withLock { acknowledged.insert(note) }
    }

    var notes: Set<Note> { lock.withLock { acknowledged } }
}
