import Aquifer

/// The completion script of fish, made from the table of commands.
enum FishCompletion {
    static var script: String {
        """
        # The completion of aquifer for fish. Made by: aquifer completion fish

        function __aquifer_is --description 'Test for the words of a command before the cursor'
            set -l name
            set -l option
            for word in (commandline -opc)[2..-1]
                if test -n "$option"
                    set option
                    continue
                end
                switch $word
                    case \(valued.joined(separator: " "))
                        set option $word
                    case '-*'
                    case '*'
                        if test -z "$name"
                            set name $word
                        else if contains -- "$name" \(pairs.map(\.name).joined(separator: " "))
                            set name "$name $word"
                        end
                end
            end
            test "$name" = "$argv[1]"
        end

        complete -c aquifer -f
        \(lines.joined(separator: "\n"))
        """
    }

    private static var valued: [String] {
        CommandTable.options.filter { $0.placeholder != nil }.flatMap(\.names)
    }

    /// The groups whose commands have two words.
    private static var pairs: [CommandGroup] { CommandTable.groups.filter { $0.single == nil } }

    private static var lines: [String] {
        Options.general.map { "complete -c aquifer \(spec($0.declaration))" }
            + CommandTable.groups.map { word($0.name, $0.summary, after: "") }
            + CommandTable.groups.map { word($0.name, $0.summary, after: CommandTable.help.name) }
            + pairs.flatMap { group in group.commands.map { word($0.words[1], $0.summary, after: group.name) } }
            + CommandTable.groups.flatMap(lines)
    }

    private static func word(_ word: String, _ help: String, after name: String) -> String {
        "complete -c aquifer -n \(condition(name)) -a \(word) -d \(quoted(help))"
    }

    /// The options and the arguments of the commands of a group.
    private static func lines(_ group: CommandGroup) -> [String] {
        group.commands.flatMap { command in
            let own = command.own + group.driveOptions(of: [command])
            let arguments = command.arguments.compactMap { argument -> String? in
                switch argument.words {
                case .text: nil
                case .file, .folder: "-F"
                case .choices(let choices): "-a \(quoted(choices.joined(separator: " ")))"
                }
            }
            return (own.map(spec) + arguments).map { "complete -c aquifer -n \(condition(command.name)) \($0)" }
        }
    }

    private static func spec(_ option: OptionDeclaration) -> String {
        let names = option.names.map { $0.hasPrefix("--") ? "-l \($0.dropFirst(2))" : "-s \($0.dropFirst())" }
        let value: [String] =
            switch option.words {
            case _ where option.placeholder == nil: []
            case .text: ["-x"]
            case .file: ["-r", "-F"]
            case .folder: ["-x", "-a", "'(__fish_complete_directories)'"]
            case .choices(let choices): ["-x", "-a", quoted(choices.joined(separator: " "))]
            }
        return (names + value + ["-d", quoted(option.help)]).joined(separator: " ")
    }

    private static func condition(_ name: String) -> String { quoted("__aquifer_is \"\(name)\"") }

    private static func quoted(_ text: String) -> String {
        "'\(text.replacingExactly("\\", with: "\\\\").replacingExactly("'", with: "\\'"))'"
    }
}
