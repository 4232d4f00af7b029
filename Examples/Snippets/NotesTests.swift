import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Notes
@testable import NotesServer

/// Runs the program Notes as its users do: two folders are two devices.
@Suite("The program Notes", .timeLimit(.minutes(10)))
struct NotesTests {
    /// A device: a folder, and the notes that the program lists.
    private struct Device: Sendable {
        let folder: URL

        init() throws {
            folder = URL.temporaryDirectory.appending(path: "notes-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        /// The lines that the program prints.
        @discardableResult
        func run(_ address: String, _ words: String...) throws -> [String] {
            let process = Process()
            let program: URL = try #require(BuiltProgram.named("Notes"), "Notes is not built")
            process.executableURL = program
            process.arguments = [address, folder.path] + words
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            try #require(process.terminationStatus == 0, "\(words): \(text)")
            return text.split(separator: "\n").map(String.init)
        }

        /// The rows: ids and titles.
        func rows(_ address: String, _ command: String = "list") throws -> [(id: String, title: String)] {
            try run(address, command).filter { $0.contains("  ") }.map { line in
                let parts = line.split(separator: "  ", maxSplits: 1)
                return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
            }
        }

        func titles(_ address: String) throws -> [String] { try rows(address).map(\.title) }

        func id(of title: String, _ address: String) throws -> String {
            try #require(try rows(address).first { $0.title == title }).id
        }
    }

    /// Nothing listens there.
    private let nowhere = "http://127.0.0.1:9/notes"

    @Test("What is made offline is there at once and after a restart, and arrives once, in order, on each device")
    func offline() throws {
        let (ana, bo) = (try Device(), try Device())
        for title in ["Milk", "Bread", "Tea", "Soap"] { try ana.run(nowhere, "add", title) }
        try ana.run(nowhere, "edit", try ana.id(of: "Milk", nowhere), "Oat milk")
        try ana.run(nowhere, "move", try ana.id(of: "Tea", nowhere), "1")
        let shown = try ana.run(nowhere, "delete", try ana.id(of: "Soap", nowhere))
        #expect(shown.first == "The server has not answered. What you change is kept.")
        #expect(try ana.titles(nowhere) == ["Tea", "Oat milk", "Bread"])

        let server = try NotesServer()
        defer { server.stop() }
        #expect(try ana.titles(server.address) == ["Tea", "Oat milk", "Bread"], "the server knows nothing of it yet")
        let synced = try ana.rows(server.address, "sync")
        #expect(synced.map(\.title) == ["Tea", "Oat milk", "Bread"])
        #expect(Set(synced.map(\.id)) == ["17", "18", "19"])
        #expect(server.notes.count == 3)
        #expect(server.requests == Array(repeating: "POST /notes", count: 3), "the server never had what was deleted")
        #expect(try bo.run(server.address, "list") == synced.map { "\($0.id)  \($0.title)" })
        try ana.run(server.address, "sync")
        #expect(server.requests.count == 3)

        // An id that was drawn here keeps its meaning.
        let draft = try #require(server.notes.first { $0.title == "Oat milk" }?.draft)
        try ana.run(nowhere, "edit", draft, "Rice milk")
        #expect(try ana.titles(nowhere) == ["Tea", "Rice milk", "Bread"])
        try ana.run(server.address, "sync")
        #expect(try bo.titles(server.address) == ["Tea", "Rice milk", "Bread"])
    }

    @Test("When two devices edit a note, the second is shown what it was, mine and theirs, and chooses")
    func conflicts() throws {
        let (ana, bo) = (try Device(), try Device())
        let server = try NotesServer()
        defer { server.stop() }
        for title in ["Milk", "Bread"] {
            try ana.run(server.address, "add", title)
            try ana.run(server.address, "sync")
        }
        try bo.run(server.address, "sync")
        for (id, mine) in [("17", "Oat milk"), ("18", "Rye")] {
            try ana.run(nowhere, "edit", id, mine)
            try bo.run(nowhere, "edit", id, "\(mine) of Bo")
        }
        try ana.run(server.address, "sync")
        let refused = try bo.run(server.address, "sync")
        #expect(
            refused == [
                "17  Oat milk of Bo", "18  Rye of Bo",
                "not sent: 17 status 412: somebody else has changed this note",
                "not sent: 18 status 412: somebody else has changed this note",
            ])
        #expect(server.notes.map(\.title) == ["Oat milk", "Rye"])
        #expect(
            try bo.run(server.address, "conflict", "17").first
                == #"before, mine, theirs: ["Milk", "Oat milk of Bo", "Oat milk"]"#)
        try bo.run(server.address, "keep", "mine", "17")
        try bo.run(server.address, "keep", "theirs", "18")
        #expect(try bo.run(server.address, "sync") == ["17  Oat milk of Bo", "18  Rye"])
        #expect(try ana.run(server.address, "list") == ["17  Oat milk of Bo", "18  Rye"])
    }

    @Test("A note that is renamed while its creation is under way is one row in each list, and is renamed")
    func oneRow() throws {
        let (hasArrived, mayAnswer) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try NotesServer { request in
            guard request.method == "POST" else { return }
            hasArrived.signal()
            _ = mayAnswer.wait(timeout: .now() + 60)
        }
        defer { server.stop() }
        let (ana, bo) = (try Device(), try Device())
        try ana.run(server.address, "add", "Milk")
        let draft = try ana.id(of: "Milk", nowhere)
        let address = server.address
        let syncing = Beside { try ana.run(address, "sync") }
        try #require(hasArrived.wait(timeout: .now() + 60) == .success)
        #expect(server.notes.map(\.title) == ["Milk"])
        #expect(try ana.titles(server.address) == ["Milk"])
        try ana.run(server.address, "edit", draft, "Oat milk")
        #expect(try ana.titles(server.address) == ["Oat milk"])
        #expect(try ana.titles(nowhere) == ["Oat milk"])
        mayAnswer.signal()
        #expect(try syncing.lines().last?.hasSuffix("  Oat milk") == true)
        try ana.run(server.address, "sync")
        #expect(try ana.run(server.address, "list") == ["17  Oat milk"])
        #expect(try bo.run(server.address, "list") == ["17  Oat milk"])
        #expect(server.requests == ["POST /notes", "PATCH /notes/17"])
    }

    @Test("A creation whose answer was lost is one row, arrives once, and can be deleted before it is sent again")
    func lostAnswer() throws {
        struct Lost: Error {}
        let isFirst = Locked(true)
        let server = try NotesServer { request in
            let isFirst = isFirst.withLock { isFirst in
                defer { if request.method == "POST" { isFirst = false } }
                return isFirst
            }
            if isFirst { throw Lost() }
        }
        defer { server.stop() }
        let ana = try Device()
        try ana.run(server.address, "add", "Milk")
        #expect(try ana.run(server.address, "sync").count == 2, "one row, and that it is not sent")
        #expect(try ana.titles(server.address) == ["Milk"])
        try ana.run(server.address, "delete", try ana.id(of: "Milk", server.address))
        #expect(try ana.titles(server.address).isEmpty)
        #expect(try ana.run(server.address, "sync").isEmpty)
        #expect(server.notes.isEmpty)
        #expect(server.requests == ["POST /notes", "POST /notes", "DELETE /notes/17"])
    }

    @Test("Its changes keep the contract")
    func contract() throws {
        let bread = Note(id: "7", title: "Bread", rank: 1, version: "\"1\"")
        let draft = "5F0C4B61-97A1"
        try ChangeContract(
            changes: [
                NoteChange(kind: .create, target: draft, title: "Milk", rank: 2),
                NoteChange(kind: .edit, target: draft, title: "Oat milk"),
                NoteChange(kind: .edit, target: draft, rank: 0.5),
                NoteChange(kind: .edit, target: "7", title: "Rye"), NoteChange(kind: .delete, target: "7"),
                NoteChange(kind: .delete, target: draft),
            ], values: [[bread]], empty: []
        ).run()
    }

    @Test("The program has at most 93 lines: half of what it took without pending changes")
    func length() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: folder.appending(path: "Notes/main.swift"), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count <= 93 && lines.allSatisfy { $0.count <= 120 })
    }
}

/// A program that runs beside the test.
private final class Beside: Sendable {
    private let (result, hasEnded) = (Locked<Result<[String], any Error>?>(nil), DispatchSemaphore(value: 0))

    init(_ body: @escaping @Sendable () throws -> [String]) {
        Thread.detachNewThread { [result, hasEnded] in
            let outcome = Result { try body() }
            result.withLock { $0 = outcome }
            hasEnded.signal()
        }
    }

    func lines() throws -> [String] {
        try #require(hasEnded.wait(timeout: .now() + 60) == .success)
        return try #require(result.withLock { $0 }).get()
    }
}
