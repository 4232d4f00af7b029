import AquiferTesting
import Foundation
import ServerPrograms
import Testing

#if os(Linux)
    /// The programs that run the servers of tests.
    @Suite("The program of a server of tests", .timeLimit(.minutes(5)))
    struct ServerProgramTests {
        /// A child that nobody waits for holds up each exit test of the process.
        @Test("is waited for, also when its server has ended before")
        func collected() async throws {
            var program: ServerProgram? = try RedisServer.make()
            let folder = try #require(program?.folder)
            #expect(try scripts(of: folder).isEmpty == false)
            try program?.kill()
            program = nil
            #expect(await eventually { (try? scripts(of: folder))?.isEmpty == true && zombies().isEmpty })
        }

        @Test("is started once more, with another port, if it ended before it was ready; twice is enough")
        func anotherPort() throws {
            let text = """
                ports=$(dirname "$0")/ports
                echo $3 >> "$ports"
                [ $(wc -l < "$ports") = 2 ] || exit 1
                echo ready
                cat
                """
            try withScript(text) { script, folder in
                let program = try ServerProgram(script)
                let text = try String(contentsOf: folder.appending(path: "ports"), encoding: .utf8)
                let ports = text.split(separator: "\n")
                #expect(ports.count == 2 && ports[1] == "\(program.port)")
                #expect(throws: ServerProgram.Failure.self) { try ServerProgram(script) }
            }
        }

        @Test("that never says that it is ready is an error, and is waited for only so long")
        func silent() throws {
            try withScript("cat > /dev/null") { script, _ in
                let error = #expect(throws: ServerProgram.Failure.self) { try ServerProgram(script, patience: 1) }
                let words = try #require(error).description
                #expect(words.contains("not ready in 1 s"))
            }
        }

        private func withScript(_ text: String, _ body: (String, URL) throws -> Void) throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "script-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }  // the system removes it one day
            let script = folder.appending(path: "server")
            try Data("#!/bin/sh\n\(text)\n".utf8).write(to: script)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
            try body(script.path, folder)
        }

        /// The processes whose command line has this word.
        private func scripts(of folder: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { process in
                Int(process) != nil
                    && FileManager.default.contents(atPath: "/proc/\(process)/cmdline").map {
                        String(decoding: $0, as: UTF8.self).contains(folder)
                    } == true
            }
        }

        /// The scripts of this process that have ended, and are not waited for.
        private func zombies() -> [String] {
            let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []  // none: the test fails
            return all.filter { process in
                guard Int(process) != nil, let data = FileManager.default.contents(atPath: "/proc/\(process)/stat")
                else { return false }
                let text = String(decoding: data, as: UTF8.self)
                // The name is in parentheses, and may have spaces.
                let fields = text.drop { $0 != ")" }.split(separator: " ")
                return text.contains("(bash)") && fields.count > 2 && fields[1] == "Z" && fields[2] == "\(getpid())"
            }
        }
    }
#endif
