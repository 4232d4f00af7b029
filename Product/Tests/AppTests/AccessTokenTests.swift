import Foundation
import Testing

@testable import App

@Suite("The token that is kept with the data")
struct AccessTokenTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-token-\(UUID().uuidString)")
    private var file: URL { folder.appending(path: AccessToken.file) }

    private func mode() throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    @Test("A data folder's token stays the same, and only its user can read it")
    func stays() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = AccessToken.kept(in: folder)
        #expect(first.count == 32 && AccessToken.kept(in: folder) == first)
        #expect(try mode() == 0o600)
        #expect(try String(contentsOf: file, encoding: .utf8) == first + "\n")
    }

    @Test(
        "A token that others could read, or that is damaged, is replaced",
        arguments: [
            ("open", 0o644), ("", 0o600), ("short\n", 0o600), (String(repeating: "z", count: 32) + "\n", 0o600),
        ])
    func replaced(text: String, mode: Int) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = AccessToken.kept(in: folder)
        if text != "open" { try Data(text.utf8).write(to: file) }
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        let second = AccessToken.kept(in: folder)
        #expect(second != first && second.count == 32 && AccessToken.kept(in: folder) == second)
        #expect(try self.mode() == 0o600)
    }

    @Test("A link in the token's place is not followed")
    func link() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let token = AccessToken.kept(in: folder)
        let elsewhere = folder.appending(path: "elsewhere")
        try FileManager.default.moveItem(at: file, to: elsewhere)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: elsewhere)
        #expect(AccessToken.kept(in: folder) != token)
        #expect(try String(contentsOf: elsewhere, encoding: .utf8) == token + "\n")
    }

    @Test("Two servers that begin at once agree on one token")
    func together() async {
        defer { try? FileManager.default.removeItem(at: folder) }
        let tokens = await withTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { AccessToken.kept(in: folder) } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
    }

    @Test("Where nothing can be kept, the token is good for one run")
    func nowhere() {
        let folder = URL(filePath: "/dev/null/aquifer")
        #expect(AccessToken.kept(in: folder) != AccessToken.kept(in: folder))
    }

    @Test("Tokens are of 128 bits and differ")
    func random() {
        let tokens = Set((0..<100).map { _ in AccessToken.random() })
        #expect(tokens.count == 100 && tokens.allSatisfy { $0.count == 32 })
    }
}
