import Foundation
import ShadowDrive
import Testing

@testable import AquiferCLI

@Suite("Exit codes")
struct ExitStatusTests {
    @Test("README shows the table of exit codes that --help prints")
    func readme() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let rows = ExitStatus.allCases.map { "| \($0.rawValue) | \($0.meaning) |" }
        #expect(readme.contains("| code | meaning |\n|---|---|\n" + rows.joined(separator: "\n") + "\n\n"))
        #expect(HelpText.lines(for: []).joined(separator: "\n").hasSuffix(ExitStatus.table))
    }

    @Test(
        "A drive server that fails may be tried again; its other refusals are for good",
        arguments: [(500, 69), (501, 69), (400, 1), (401, 1), (409, 1)] as [(Int, Int32)])
    func driveRefusals(status: Int, expected: Int32) {
        #expect(CommandError(DriveError.refused(DriveRefusal(status: status, words: "no"))).status.rawValue == expected)
    }
}
