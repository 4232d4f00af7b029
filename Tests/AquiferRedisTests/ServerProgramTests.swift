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
