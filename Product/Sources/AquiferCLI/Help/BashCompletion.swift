/// The completion script of bash, made from the table of commands. It runs on bash 3.2 and later.
enum BashCompletion {
    static var script: String {
        """
        # The completion of aquifer for bash. Made by: aquifer completion bash

        _aquifer() {
            local line=${COMP_LINE:0:COMP_POINT} cur="" name="" option="" word="" kind="" candidates="" prefix="" i
            local -a words
        \(reading)
        \(finding)
        \(offering)
        }

        complete -F _aquifer aquifer
        """
    }

    /// Reads the line up to the cursor: the command, and the option whose value comes next.
    private static var reading: String {
        """
            # Readline splits words at "=", so the line is split here.
            read -r -a words <<< "$line"
            case $line in *[[:space:]]) words+=("") ;; esac
            cur=${words[${#words[@]} - 1]}
            for ((i = 1; i < ${#words[@]} - 1; i++)); do
                word=${words[i]}
                if [[ -n $option ]]; then
                    option=""
                    continue
                fi
                case $word in
                    \(valued.flatMap(\.names).joined(separator: " | "))) option=$word ;;
                    -*) ;;
                    *)
                        case $name in
                            "") name=$word ;;
                            \(pairs.joined(separator: " | "))) name="$name $word" ;;
                        esac
                        ;;
                esac
            done
            case $cur in
                --*=*)
                    option=${cur%%=*}
                    cur=${cur#*=}
                    ;;
            esac
        """
    }

    /// Finds the candidates for the word under the cursor.
    private static var finding: String {
        """
            if [[ -n $option ]]; then
                case $option in
        \(lines(values, indent: 12))
                esac
            elif [[ $cur == -* ]]; then
                candidates="\(names(everywhere))"
                case $name in
        \(lines(options, indent: 12))
                esac
            else
                case $name in
        \(lines(arguments, indent: 12))
                esac
            fi
        """
    }

    /// Gives bash the candidates that begin like the word.
    private static var offering: String {
        """
            case $kind in
                file) while read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur") ;;
                folder) while read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$cur") ;;
                *) while read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$candidates" -- "$cur") ;;
            esac
            if type compopt > /dev/null 2>&1; then
                case $kind in file | folder) compopt -o filenames 2> /dev/null ;; esac
                case ${COMPREPLY[0]} in *=) compopt -o nospace 2> /dev/null ;; esac
            fi
            # Readline has the part before "=" or ":" already.
            if [[ $cur == *[=:]* && $COMP_WORDBREAKS == *=* ]]; then
                prefix=${cur%"${cur##*[=:]}"}
                COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
            fi
        """
    }

    /// The groups whose commands have two words.
    private static var pairs: [String] { CommandTable.groups.filter { $0.single == nil }.map(\.name) }

    private static var valued: [OptionDeclaration] { CommandTable.options.filter { $0.placeholder != nil } }

    private static var everywhere: [OptionDeclaration] { Options.everywhere.map(\.declaration) }

    /// The words for the value of each option.
    private static var values: [String] {
        valued.compactMap { option in
            assignment(option.words).map { "\(option.names.joined(separator: " | "))) \($0) ;;" }
        }
    }

    /// The options of each command, in addition to those of every command.
    private static var options: [String] {
        CommandTable.groups.flatMap { group in
            group.commands.compactMap { command -> String? in
                let own = command.own + (group.showsDriveOptions ? Options.drive.map(\.declaration) : [])
                guard command.takesGlobalOptions else { return "\"\(command.name)\") candidates=--help ;;" }
                return own.isEmpty ? nil : "\"\(command.name)\") candidates=\"$candidates \(names(own))\" ;;"
            }
        }
    }

    /// The words in the place of an argument: names of commands, files or choices.
    private static var arguments: [String] {
        let groups = CommandTable.groups.map(\.name).joined(separator: " ")
        let commands = CommandTable.groups.filter { $0.single == nil }.map { group in
            "\(group.name)) candidates=\"\(group.commands.map { $0.words[1] }.joined(separator: " "))\" ;;"
        }
        let own = CommandTable.commands.compactMap { command in
            command.arguments.compactMap { assignment($0.words) }.first.map { "\"\(command.name)\") \($0) ;;" }
        }
        return ["\"\" | help) candidates=\"\(groups)\" ;;"] + commands + own
    }

    private static func assignment(_ words: WordKind) -> String? {
        switch words {
        case .text: nil
        case .file: "kind=file"
        case .folder: "kind=folder"
        case .choices(let choices): "candidates=\"\(choices.joined(separator: " "))\""
        }
    }

    private static func names(_ options: [OptionDeclaration]) -> String {
        options.flatMap(\.names).joined(separator: " ")
    }

    private static func lines(_ lines: [String], indent: Int) -> String {
        lines.map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
    }
}
