import Foundation
import Testing

@testable import AquiferCLI

@Suite("The table of commands")
struct CommandTableTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test("Each command has one line")
    func commands() {
        let names = CommandTable.commands.map(\.name)
        #expect(names.count > 50)
        #expect(Set(names).count == names.count)
        #expect(Set(CommandTable.groups.map(\.name)).count == CommandTable.groups.count)
    }

    @Test("A command of a group has two words, the first of which is the group's")
    func groups() {
        for group in CommandTable.groups where group.single == nil {
            #expect(group.commands.allSatisfy { $0.words.count == 2 && $0.words[0] == group.name })
        }
    }

    @Test("A name of an option means one option, with or without a value, in every command")
    func options() {
        var known: [String: OptionDeclaration] = [:]
        for command in CommandTable.commands {
            for option in command.known {
                for name in option.names {
                    #expect(known[name] == nil || known[name] == option)
                    known[name] = option
                }
            }
        }
        #expect(known.count > 40)
    }

    @Test(
        "Each command declares its own exit codes, in order, and its help shows them; another command's are not in it")
    func exits() {
        for command in CommandTable.commands {
            let codes = command.exits.map(\.status.rawValue)
            #expect(codes == Set(codes).sorted(), "\(command.name)")
            let help = HelpText.lines(for: command.words).joined(separator: " ")
            #expect(help.contains("Exit: ") == !command.exits.isEmpty, "\(command.name)")
            #expect(command.exitNote.isEmpty || help.contains(command.exitNote), "\(command.name)")
        }
        for group in CommandTable.groups where group.single == nil {
            #expect(!HelpText.lines(for: [group.name]).joined(separator: " ").contains("Exit: "))
        }
    }

    @Test("The help of a command shows no option that the command refuses")
    func shownOptions() {
        for group in CommandTable.groups {
            for command in group.commands {
                let shown = (command.own + group.driveOptions(of: [command])).map(\.name)
                #expect(Set(shown).isSubset(of: command.known.map(\.name)), "\(command.name)")
            }
        }
        let keygen = CommandTable.commands.first { $0.name == "drive keygen" }
        #expect(keygen?.known.contains { $0.name == "--rpc" } == false)
    }

    @Test("Only the last argument of a command may be left out or given several times")
    func arguments() {
        for command in CommandTable.commands {
            #expect(command.arguments.dropLast().allSatisfy { !$0.isOptional && !$0.isRepeated })
        }
    }

    @Test("Each option is declared in one place of the sources")
    func declarations() throws {
        let folder = Self.root.appending(path: "Product/Sources/AquiferCLI")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var texts: [String] = []
        for case let file as URL in files where file.pathExtension == "swift" {
            texts.append(try String(contentsOf: file, encoding: .utf8))
        }
        #expect(texts.count > 80)
        for name in CommandTable.options.flatMap(\.names) {
            // Messages mention options. A string that is the name alone declares it.
            let count = texts.reduce(0) { $0 + $1.ranges(of: "\"\(name)\"").count }
            #expect(count == 1, "\(name)")
        }
    }

    @Test("README's list of commands has each command, with the arguments of the table")
    func readme() throws {
        let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let start = try #require(readme.range(of: "| command | what it does |"))
        let rows = readme[start.upperBound...].components(separatedBy: "\n\n")[0].split(separator: "\n").dropFirst()
        let listed = rows.flatMap { row in
            let cells = row.split(separator: "|")
            return cells[0].matches(of: /`aquifer ([^`]*)`/).map { String($0.output.1) }
        }
        var named: Set<String> = []
        for usage in listed {
            let command = CommandTable.commands.first { $0.usage == usage || $0.shortUsage == usage }
            #expect(command != nil, "\(usage)")
            named.insert(command?.name ?? "")
        }
        #expect(named == Set(CommandTable.commands.map(\.name)))
    }
}
