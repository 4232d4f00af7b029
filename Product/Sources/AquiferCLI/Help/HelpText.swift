/// The texts of `--help`, made from the table of commands.
enum HelpText {
    /// The number of columns that every text fits into.
    static let width = 118

    /// The purpose of the program in two sentences.
    static let purpose =
        "Loads the latest and saves it. Offline, or after eight seconds, shows the saved copy for up to seven days."

    /// The help of the command or the group that the words name, or of the whole program.
    static func lines(for words: [String]) -> [String] {
        guard let first = words.first, let group = CommandTable.group(first) else { return program }
        if words.count > 1, let command = group.commands.first(where: { $0.words == Array(words.prefix(2)) }) {
            return lines(of: command, in: group)
        }
        return group.single.map { lines(of: $0, in: group) } ?? lines(of: group)
    }

    /// Checks that the words begin with the name of a group or a command, or that there are none.
    ///
    /// - Throws: `.usage`, with the words that would be right.
    static func check(_ words: [String]) throws(CommandError) {
        guard let name = words.first, words.count > 1 || CommandTable.group(name) == nil else { return }
        _ = try CommandTable.command(words)
    }

    private static var program: [String] {
        let groups = CommandTable.groups.map { ($0.usage, $0.summary) }
        return [
            "Usage: aquifer COMMAND [OPTION]…", "",
            purpose, "",
            "Commands:",
        ] + list(groups, indent: 2) + [
            "", "aquifer COMMAND --help tells what a command can do.",
            "The command line speaks English. The pages of aquifer serve speak Portuguese, too.", "",
            "General options (not of \(CommandTable.list(textual)), which print a text):",
        ] + list(of: Options.general.map(\.declaration)) + ["", "Exit codes, of every command:"]
            + ExitStatus.table.split(separator: "\n").map(String.init)
    }

    /// The names of the commands that the general options do not go with.
    private static var textual: [String] {
        CommandTable.commands.filter { !$0.takesGlobalOptions }.map(\.name).sorted()
    }

    private static func lines(of group: CommandGroup) -> [String] {
        let commands = group.commands.map { ($0.words[1], $0.summary) }
        var seen: Set<String> = []
        let options = group.commands.flatMap(\.own).filter { seen.insert($0.name).inserted }
        return usage(of: group.commands) + [""] + list(commands, indent: 0)
            + rest(options + group.driveOptions(of: group.commands), notes: group.notes)
            + ["", "aquifer \(group.name) COMMAND --help tells more about one of them."]
            + general(group.commands).dropFirst()
    }

    private static func lines(of command: Command, in group: CommandGroup) -> [String] {
        let notes = (group.single == nil ? [] : group.notes) + [command.exitNote].filter { !$0.isEmpty }
        return usage(of: [command]) + [""] + wrapped(command.description, width: width)
            + rest(command.own + group.driveOptions(of: [command]), notes: notes) + general([command])
    }

    /// The options and the notes, each part after an empty line.
    private static func rest(_ options: [OptionDeclaration], notes: [String]) -> [String] {
        (options.isEmpty ? [] : [""] + list(of: options))
            + notes.flatMap { [""] + wrapped($0, width: width) }
    }

    private static func general(_ commands: [Command]) -> [String] {
        commands.contains(where: \.takesGlobalOptions)
            ? ["", "See aquifer --help for the general options."] : []
    }

    private static func usage(of commands: [Command]) -> [String] {
        commands.enumerated().flatMap { index, command in
            let text = "aquifer \(command.usage)" + (command.takesGlobalOptions ? " [OPTION]…" : "")
            let lines = wrapped(text, width: width - 11)
            return lines.enumerated().map { line, text in
                (index == 0 && line == 0 ? "Usage: " : line == 0 ? "       " : "           ") + text
            }
        }
    }

    private static func list(of options: [OptionDeclaration]) -> [String] {
        list(options.map { ($0.usage, $0.help) }, indent: 2)
    }

    /// Names and texts in two columns.
    private static func list(_ entries: [(name: String, text: String)], indent: Int) -> [String] {
        let column = indent + (entries.map(\.name.count).max() ?? 0) + 2
        return entries.flatMap { name, text in
            wrapped(text, width: width - column).enumerated().map { line, text in
                let start = line == 0 ? String(repeating: " ", count: indent) + name : ""
                return start + String(repeating: " ", count: column - start.count) + text
            }
        }
    }

    /// The text in lines of at most this many columns.
    static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + word.count < width {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
