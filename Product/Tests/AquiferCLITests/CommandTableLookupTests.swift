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
        "finds each option by each of its names, whatever the words begin with",
        arguments: CommandTable.commands.map(\.name) + ["x", "feed", ""])
    func options(words: String) {
        let option = CommandTable.option(in: words.split(separator: " ").map(String.init))
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
