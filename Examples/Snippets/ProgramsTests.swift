import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

/// Runs the programs of Examples as their users do, with a server and without it.
@Suite("The programs of Examples", .timeLimit(.minutes(10)))
struct ProgramsTests {
    @Test("News shows headlines and articles; without a connection, the saved ones with their age")
    func news() throws {
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                switch request.target {
                case "/headlines": try connection.respond(body: Data(#"[{"id":7,"title":"Rain"}]"#.utf8))
                case "/articles/7": try connection.respond(body: Data(#"{"title":"Rain","text":"Much of it."}"#.utf8))
                default: try connection.respond(status: "404 Not Found")
                }
            }
        }
        defer { server.stop() }
        try withFolder { folder in
            let words = [server.url("").absoluteString, folder.appending(path: "news.sqlite").path]
            #expect(try run("News", words) == (0, "7  Rain\n"))
            #expect(
                try run("News", words + ["8"]) == (
                    69, "This isn’t on the server. It may have been removed. Try again later.\n"
                ))
            server.stop()
            let (status, text) = try run("News", words)
            #expect(status == 0 && text.hasSuffix("Saved just now.\n7  Rain\n"))
            // It was prefetched, and is too young to be asked for.
            #expect(try run("News", words + ["7"]).text.hasSuffix("Rain\n\nMuch of it.\n"))
            #expect(try run("News", words + ["9"]).status == 69)
            #expect(try run("News", []).status == 64)
        }
    }

    @Test(
        "Each program has at most half of the lines that it took before",
        arguments: [("TwoScreens", 52), ("News", 75), ("UserServer", 98)])
    func length(program: String, limit: Int) throws {
        let lines = try Self.lines("\(program)/main.swift")
        #expect(lines.count > 10 && lines.count <= limit && lines.allSatisfy { $0.count <= 120 })
    }

    @Test("A store of one's own has at most 67 lines: half of what it took before")
    func lengthOfStore() throws {
        let store = try Self.lines("Snippets/WritingAStore.swift").drop { !$0.hasPrefix("actor DictionaryStore") }
        // Only the tests need the damage helper.
        let lines = store.prefix { !$0.contains("/// Changes the bytes of an entry") }
        #expect(lines.count > 10 && lines.count < store.count && lines.count <= 67)
        #expect(lines.allSatisfy { $0.count <= 120 })
    }

    private static func lines(_ file: String) throws -> [Substring] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }

    @Test("TwoScreens makes one request, and both screens show what one of them adds")
    func twoScreens() throws {
        let requests = Locked(0)
        let server = try LoopbackServer { connection in
            while try connection.readRequest() != nil {
                requests.withLock { $0 += 1 }
                try connection.respond(body: Data(#"["Ana","Bo"]"#.utf8))
            }
        }
        defer { server.stop() }
        try withFolder { folder in
            let words = [server.url("/names").absoluteString, folder.appending(path: "names.sqlite").path, "Zoe"]
            let (status, text) = try run("TwoScreens", words)
            #expect(status == 0)
            #expect(requests.withLock { $0 } == 1)
            let lines = text.split(separator: "\n")
            #expect(lines.contains("Ana, Bo, Zoe") && lines.contains("3 names"), "\(text)")
            #expect(try run("TwoScreens", []).status == 64)
        }
        server.stop()
        try withFolder { folder in
            let words = [server.url("/names").absoluteString, folder.appending(path: "none.sqlite").path, "Zoe"]
            let (status, text) = try run("TwoScreens", words)
            #expect(status == 0 && text.contains("nothing recent is saved"), "\(text)")
        }
    }

    @Test("UserServer keeps users apart, sends what waited, and lets nobody out whose changes are not sent")
    func userServer() throws {
        let notes = Locked<[String: [String]]>([:])
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                let user = request.value("X-User") ?? ""
                if request.method == "POST" {
                    notes.withLock { $0[user, default: []].append(String(decoding: request.body, as: UTF8.self)) }
                    try connection.respond(status: "201 Created")
                } else {
                    try connection.respond(body: try JSONEncoder().encode(notes.withLock { $0[user] ?? [] }))
                }
            }
        }
        defer { server.stop() }
        try withFolder { folder in
            let words = [server.url("").absoluteString, folder.appending(path: "users.sqlite").path]
            let input = "ana add Buy milk\nana notes\nbo notes\nbo logout\nana what\n"
            #expect(try run("UserServer", words, input: input) == (0, "201\n200 Buy milk\n200 \n204\n404\n"))
            server.stop()
            let offline = try run("UserServer", words, input: "ana notes\nbo notes\nana add Later\nana logout\n").text
            let lines = offline.split(separator: "\n").map(String.init)
            try #require(lines.count == 4, "\(offline)")
            #expect(lines[0] == "200 saved Buy milk")
            #expect(lines[1].hasPrefix("503 "), "what the user had here went with the session")
            #expect(lines[2] == "202 waits")
            #expect(lines[3].hasPrefix("503 "), "there is something left to send")
            #expect(try run("UserServer", []).status == 64)
        }
        #expect(notes.withLock { $0 } == ["ana": ["Buy milk"]])
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = URL.temporaryDirectory.appending(path: "programs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func run(_ program: String, _ arguments: [String], input: String = "") throws -> (
        status: Int32, text: String
    ) {
        let process = Process()
        let executable: URL = try #require(BuiltProgram.named(program), "\(program) is not built")
        process.executableURL = executable
        process.arguments = arguments
        let (lines, output) = (Pipe(), Pipe())
        process.standardInput = lines
        process.standardOutput = output
        try process.run()
        lines.fileHandleForWriting.write(Data(input.utf8))
        try lines.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
