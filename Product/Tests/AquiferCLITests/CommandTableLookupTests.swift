import ReferenceAPIs
import Testing

@testable import AquiferCLI

@Suite("The table, asked for one command", .timeLimit(.minutes(10)))
struct CommandTableLookupTests {
    @Test("has each group under its name")
    func groups() {
        for group in CommandTable.groups {
            #expect(CommandTable.group(group.name)?.summary == group.summary, "\(group.name)")
        }
        #expect(CommandTable.group("feeds") == nil)
    }

    @Test(
        "finds each option by each of its names, whatever command the words begin with",
        arguments: ["feed list", "serve", "x", ""])
    func options(words: String) {
        let option = CommandTable.option(in: words.split(separator: " ").map(String.init) + ["--limit", "3"])
        for declared in CommandTable.options {
            for name in declared.names { #expect(option(name) == declared, "\(name)") }
        }
        #expect(option("--nothing") == nil)
    }

    @Test("The help of --remote names each remote")
    func remotes() {
        let names = ReferenceRemote.allCases.map(\.rawValue).joined(separator: ", ")
        #expect(Options.remote.declaration.help.contains("(\(names))"))
    }
}
