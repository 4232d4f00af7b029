import Aquifer
import EveryBit
import Foundation
import Testing

@testable import App

@Suite("The file of the users", .timeLimit(.minutes(10)))
struct UsersFileTests {
    private static let date = Date(timeIntervalSince1970: 1_780_000_000)

    private func withFile(_ body: (UsersFile) async throws -> Void) async throws {
        try await Fixture.withFolder { folder in try await body(UsersFile(folder.appending(path: "users").path)) }
    }

    @Test("keeps names and hashes, and never a token")
    func hashes() async throws {
        try await withFile { file in
            let token = try file.add(try UserName("ana"), at: Self.date)
            #expect(token.count == 64)
            let text = try String(contentsOfFile: file.path, encoding: .utf8)
            #expect(text.contains("ana") && text.contains(UserToken.hash(token)) && !text.contains(token))
            #expect(try file.read().map(\.name) == ["ana"])
        }
    }

    @Test("can be read by its owner only, and is refused if others can read it")
    func permissions() async throws {
        try await withFile { file in
            _ = try file.add(try UserName("ana"), at: Self.date)
            #expect(POSIX.isPrivate(file.path))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            #expect(throws: UsersError.open(path: file.path)) { try file.read() }
            #expect(throws: UsersError.open(path: file.path)) { try file.add(try UserName("bruno"), at: Self.date) }
        }
    }

    @Test("tells that there is none, and that there is a user already, whatever the case of the letters")
    func names() async throws {
        try await withFile { file in
            #expect(throws: UsersError.none(path: file.path)) { try file.read() }
            #expect(throws: UsersError.none(path: file.path)) { try file.addToken(try UserName("ana"), at: Self.date) }
            _ = try file.add(try UserName("ana"), at: Self.date)
            #expect(throws: UsersError.exists("ana")) { try file.add(try UserName("Ana"), at: Self.date) }
            #expect(throws: UsersError.unknown("bruno")) { try file.addToken(try UserName("bruno"), at: Self.date) }
        }
    }

    @Test(
        "takes no name that could be something else in a path or a list",
        arguments: [
            "", ".", "..", ".ana", "-ana", "_a", "a/b", "a b", "ana\n", "ána", "a\u{0}", "%2e",
            String(repeating: "a", count: 33),
        ])
    func badName(text: String) {
        #expect(throws: UsersError.badName(text)) { try UserName(text) }
    }

    @Test("takes every good name", arguments: ["a", "Ana-Maria.2_x", "9", String(repeating: "a", count: 32)])
    func goodName(text: String) throws {
        #expect(try UserName(text).text == text)
    }

    @Test("keeps all of fifty users who are added at once")
    func atOnce() async throws {
        try await withFile { file in
            try await withThrowingTaskGroup { group in
                for number in 0..<50 {
                    group.addTask { _ = try file.add(try UserName("user\(number)"), at: Self.date) }
                }
                try await group.waitForAll()
            }
            #expect(Set(try file.read().map(\.name)) == Set((0..<50).map { "user\($0)" }))
        }
    }

    @Test("is damaged whichever bit is flipped and wherever it is cut, and never has other users or none")
    func damage() async throws {
        try await Fixture.withFolder { folder in
            let file = UsersFile(folder.appending(path: "users").path)
            _ = try file.add(try UserName("ana"), at: Self.date)
            let users = try file.read()
            let fixture = try Fixture(folder)
            let sweep = try await Sweep("File of the users", "users", of: fixture) { _ in
                do throws(UsersError) {
                    return try file.read() == users ? .unchanged : .wrong("other users")
                } catch {
                    switch error {
                    case .damaged: return .told("damaged")
                    default: return .wrong("\(error)")
                    }
                }
            }
            #expect(sweep.wrong.isEmpty, "\(sweep)")
        }
    }
}
