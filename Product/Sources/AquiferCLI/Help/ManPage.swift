import Aquifer

/// The manual page in roff, made from the table of commands.
enum ManPage {
    static var lines: [String] {
        [".TH AQUIFER 1 \"\" \"aquifer \(CommandProgram.version)\"", ".nh", ".ad l"]
            + section("NAME") + ["aquifer \\- load the latest, show the saved copy offline"]
            + section("SYNOPSIS") + [".B aquifer", ".I COMMAND", "[\\fIOPTION\\fR]…"]
            + section("DESCRIPTION")
            + [text(HelpText.purpose)]
            + section("COMMANDS") + CommandTable.groups.flatMap(lines)
            + section("OPTIONS") + [text("These options go with every command that works on data.")]
            + Options.general.flatMap { entry($0.declaration) }
            + [
                ".PP", text("These options go with every command that works on data, and concern Shadow Drive."),
            ]
            + Options.drive.flatMap { entry($0.declaration) }
            + section("EXIT STATUS") + ExitStatus.allCases.flatMap { entry("\($0.rawValue)", $0.meaning) }
            + section("FILES") + files.flatMap { entry($0, $1) }
    }

    private static let files = [
        ("$XDG_DATA_HOME/aquifer, ~/.local/share/aquifer", "the saved data, unless --data names another folder"),
        ("$XDG_CONFIG_HOME/aquifer/keys, ~/.config/aquifer/keys", "the keys, apart from the data"),
    ]

    /// The commands of a group, and its notes.
    private static func lines(_ group: CommandGroup) -> [String] {
        [".SS \(text(group.name))"] + group.commands.flatMap(lines) + group.notes.flatMap { [".PP", text($0)] }
    }

    /// A command with its description and its options.
    private static func lines(_ command: Command) -> [String] {
        let description = [command.description, command.exitNote].filter { !$0.isEmpty }.joined(separator: " ")
        let own = command.own.isEmpty ? [] : [".RS"] + command.own.flatMap(entry) + [".RE"]
        return entry("aquifer \(command.usage)", description) + own
    }

    private static func section(_ name: String) -> [String] { [".SH \(name)"] }

    private static func entry(_ option: OptionDeclaration) -> [String] {
        let names = option.names.map { name in option.placeholder.map { "\(name) \($0)" } ?? name }
        return entry(names.joined(separator: ", "), option.help)
    }

    private static func entry(_ name: String, _ meaning: String) -> [String] {
        [".TP", ".B \(text(name))", text(meaning)]
    }

    /// The text as roff shows it unchanged.
    private static func text(_ text: String) -> String {
        let escaped = text.replacingExactly("\\", with: "\\e").replacingExactly("-", with: "\\-")
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }
}
