import Aquifer

/// The completion script of zsh, made from the table of commands.
enum ZshCompletion {
    static var script: String {
        """
        #compdef aquifer
        # The completion of aquifer for zsh. Made by: aquifer completion zsh

        _aquifer() {
            local name="" option="" word
            local -a everywhere
            for word in "${(@)words[2,CURRENT-1]}"; do
                if [[ -n $option ]]; then
                    option=""
                    continue
                fi
                case $word in
                    (\(valued.joined(separator: "|"))) option=$word ;;
                    (-*) ;;
                    (*)
                        case $name in
                            ("") name=$word ;;
                            (\(pairs.map(\.name).joined(separator: "|"))) name="$name $word" ;;
                        esac
                        ;;
                esac
            done
            everywhere=(
        \(Options.general.map { "        \(spec($0.declaration))" }.joined(separator: "\n"))
            )
            case $name in
                ("") _arguments "$everywhere[@]" \(choice(1, CommandTable.groups.map { ($0.name, $0.summary) })) ;;
        \((pairs.map(line) + CommandTable.groups.flatMap(lines)).map { "        " + $0 }.joined(separator: "\n"))
            esac
        }

        if [[ $funcstack[1] == _aquifer ]]; then
            _aquifer "$@"
        else
            compdef _aquifer aquifer
        fi
        """
    }

    private static var valued: [String] {
        CommandTable.options.filter { $0.placeholder != nil }.flatMap(\.names)
    }

    /// The groups whose commands have two words.
    private static var pairs: [CommandGroup] { CommandTable.groups.filter { $0.single == nil } }

    private static func line(_ group: CommandGroup) -> String {
        let commands = group.commands.map { ($0.words[1], $0.summary) }
        return "(\(group.name)) _arguments \"$everywhere[@]\" '1: :' \(choice(2, commands)) ;;"
    }

    /// A line for each command of a group.
    private static func lines(_ group: CommandGroup) -> [String] {
        group.commands.map { command in
            let own = command.own + group.driveOptions(of: [command])
            let options = command.takesGlobalOptions ? ["\"$everywhere[@]\""] : [spec(Options.help.declaration)]
            let names = command.words.indices.map { "'\($0 + 1): :'" }
            let arguments = command.arguments.enumerated().map { index, argument in
                let place = argument.isRepeated ? "*" : "\(command.words.count + index + 1)"
                return quoted("\(place):\(argument.placeholder):\(action(argument.words))")
            }
            let words = options + own.map(spec) + names + arguments
            return "(\"\(command.name)\") _arguments \(words.joined(separator: " ")) ;;"
        }
    }

    /// An option as `_arguments` takes it.
    private static func spec(_ option: OptionDeclaration) -> String {
        let help = escaped(option.help)
        let value = option.placeholder.map { ":\($0):\(action(option.words))" } ?? ""
        return option.names.map { quoted("*\($0)[\(help)]\(value)") }.joined(separator: " ")
    }

    private static func action(_ words: WordKind) -> String {
        switch words {
        case .text: " "
        case .file: "_files"
        case .folder: "_files -/"
        case .choices(let choices): "(\(choices.joined(separator: " ")))"
        }
    }

    /// One of several words with their meanings.
    private static func choice(_ place: Int, _ entries: [(String, String)]) -> String {
        quoted("\(place):command:((\(entries.map { "\($0)\\:\"\(escaped($1))\"" }.joined(separator: " "))))")
    }

    private static func escaped(_ text: String) -> String {
        text.replacingExactly("\\", with: "\\\\").replacingExactly("[", with: "\\[").replacingExactly("]", with: "\\]")
            .replacingExactly(":", with: "\\:").replacingExactly("\"", with: "\\\"").replacingExactly("$", with: "\\$")
    }

    private static func quoted(_ text: String) -> String { "'\(text.replacingExactly("'", with: "'\\''"))'" }
}
