import AquiferTesting
import Foundation
import Testing

@Suite("Simulations", .timeLimit(.minutes(10)), .enabled(if: Simulation.isSupported))
struct SimulationTests {
    @Test("The same seed twice gives the same bytes; two seeds differ")
    func repeats() throws {
        let first = try run("--world", "toy-tasks", "--seed", "7", "--trace")
        let again = try run("--world", "toy-tasks", "--seed", "7", "--trace")
        let other = try run("--world", "toy-tasks", "--seed", "8", "--trace")
        #expect(first.status == 0)
        #expect(first.text.contains("order ["))
        #expect(first.text == again.text)
        #expect(first.text != other.text)
    }

    @Test("A seed does the same after other seeds as alone")
    func isAlone() throws {
        let (status, alone) = try run("--world", "outbox", "--seed", "5", "--trace")
        let (statusBehind, behind) = try run("--world", "outbox", "--from", "3", "--count", "3", "--trace")
        #expect(status == 0 && statusBehind == 0)
        let part = { (text: String) in
            text.range(of: "outbox, seed 5").flatMap { start in
                text.range(of: "  replay:", range: start.lowerBound..<text.endIndex).map {
                    String(text[start.lowerBound..<$0.lowerBound])
                }
            }
        }
        #expect(part(alone) != nil)
        #expect(part(alone) == part(behind))
    }

    @Test("A world that cannot go on fails, and says who waits")
    func deadlock() throws {
        let (status, text) = try run("--world", "toy-deadlock", "--seed", "1")
        #expect(status == 1)
        #expect(text.contains("nothing is ready and nobody sleeps"))
        #expect(text.contains("waits for the end of waiting"))
        #expect(text.contains("waiting (a task)"))
        #expect(text.contains("replay: --world toy-deadlock --seed 1"))
    }

    @Test("A world that does not end meets the bound of steps or of time", arguments: ["endless", "eternity"])
    func bounds(_ toy: String) throws {
        let (status, text) = try run("--world", "toy-\(toy)", "--seed", "1")
        #expect(status == 1)
        #expect(text.contains(toy == "endless" ? "1000 steps were not enough" : "of simulated time were not enough"))
    }

    @Test("A job that waits for another process lets that one run")
    func locks() throws {
        let (status, text) = try run("--world", "toy-locks", "--count", "20")
        #expect(status == 0, "\(text)")
    }

    @Test("A killed process releases its locks, and can be started again")
    func kills() throws {
        let (status, text) = try run("--world", "toy-kill", "--count", "20")
        #expect(status == 0, "\(text)")
    }

    @Test("A stopped process keeps its locks, and goes on where it was")
    func stops() throws {
        let (status, text) = try run("--world", "toy-stop", "--count", "20")
        #expect(status == 0, "\(text)")
    }

    @Test("A process that takes the mark of a scope for unchanged is found, and its seed replays it")
    func blindToEnds() throws {
        let (status, text) = try run("--world", "users", "--count", "200", "--set", "blind")
        #expect(status == 1)
        #expect(text.contains("FAILED"))
        try expectReplay(of: text, "--set", "blind")
    }

    @Test("A client that shows the credentials of whoever is logged in is found, and its seed replays it")
    func anyonesCredentials() throws {
        let (status, text) = try run("--world", "credentials", "--count", "200", "--set", "anyone")
        #expect(status == 1)
        #expect(text.contains("had other credentials when"))
        try expectReplay(of: text, "--set", "anyone")
    }

    @Test("A process that is not told what others change is found, and its seed replays it")
    func deafToOthers() throws {
        let (status, text) = try run("--world", "live", "--count", "200", "--set", "deaf")
        #expect(status == 1)
        #expect(text.contains("was told"))
        try expectReplay(of: text, "--set", "deaf")
    }

    @Test("A server that forgets the keys is found, and its seed replays it")
    func forgetfulServer() throws {
        let (status, text) = try run("--world", "outbox", "--count", "200", "--set", "forgetful")
        #expect(status == 1)
        #expect(text.contains("is at the server twice"))
        try expectReplay(of: text, "--set", "forgetful")
    }

    @Test("A disk that loses what was flushed is found, and its seed replays it")
    func volatileDisk() throws {
        let (status, text) = try run("--world", "outbox", "--count", "500", "--set", "volatile")
        #expect(status == 1)
        #expect(text.contains("FAILED"))
        try expectReplay(of: text, "--set", "volatile")
    }

    @Test(
        "A seed that has found a mistake of the engine passes now",
        arguments: [
            // access() failed, and the folders above a new store were not flushed.
            ("outbox", 253),
            // A counter was lost twice, and an item got the number of one of another group, which then stood still.
            ("outbox", 2256),
            // A loss of power took a store's marker away, and left its files.
            ("downloads", 1983),
            // The bytes of a growing download were delivered as they were on disk.
            ("downloads", 8),
            // A loss of power took the lock of a sender away.
            ("payments", 316),
            // A database that could not be looked up was taken for missing, and its log was deleted.
            ("outbox-sqlite", 26),
            // A loss of power took the name of a log away, with the commits that had been acknowledged.
            ("outbox-sqlite", 42),
            // A load of a list joined one that had begun before the list was made invalid.
            ("live", 2735),
        ])
    func mended(_ world: String, _ seed: Int) throws {
        let (status, text) = try run("--world", world, "--seed", "\(seed)")
        #expect(status == 0, "\(text)")
    }

    @Test("The simulation of the documentation passes")
    func example() throws {
        let (status, text) = try run(["--count", "50"], of: "NotesSimulation")
        #expect(status == 0, "\(text)")
        #expect(text.contains("kill "))
    }

    @Test("A wrong command line is told, with the options")
    func options() throws {
        #expect(try run("--world", "nowhere").status == 2)
        #expect(try run("--world", "toy-tasks", "--count", "0").status == 2)
        #expect(try run("--world", "toy-tasks", "--seed", "18446744073709551615").status == 2)
        #expect(try run("--without", "nothing").status == 2)
        #expect(try run("--help").text.contains("--trace"))
    }

    /// The first failing seed, alone, prints the same history.
    private func expectReplay(of text: String, _ more: String...) throws {
        let line = try #require(text.split(separator: "\n").first { $0.contains("FAILED") && $0.contains(", seed ") })
        // "users, seed 6: FAILED: …"
        let words = line.prefix { $0 != ":" }.split(separator: " ").map(String.init)
        let (world, seed) = (String(words[0].dropLast()), try #require(words.last))
        let again = try run(["--world", world, "--seed", seed] + more).text
        let history = { (text: String) in
            text.components(separatedBy: "  replay:").first?.components(separatedBy: "\(world), seed").last
        }
        #expect(history(text) == history(again))
    }

    private func run(_ arguments: String...) throws -> (status: Int32, text: String) { try run(arguments) }

    private func run(_ arguments: [String], of program: String = "Worlds") throws -> (status: Int32, text: String) {
        let process = Process()
        let executable: URL = try #require(BuiltProgram.named(program), "\(program) is not built")
        process.executableURL = executable
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
