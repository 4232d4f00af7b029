/// The table of all commands.
enum CommandTable {
    static let groups: [CommandGroup] = [
        serve, link, users, remotes, feed, contacts, cards, pay, payments, foaas, audio, outbox, drive, cache, store,
        completion,
        man, help,
    ]

    static var commands: [Command] { groups.flatMap(\.commands) }

    /// Every option of every command, each once.
    static var options: [OptionDeclaration] {
        var seen: Set<String> = []
        return ((Options.general + Options.drive).map(\.declaration) + commands.flatMap(\.own))
            .filter { seen.insert($0.name).inserted }
    }

    /// The group of this name.
    static func group(_ name: String) -> CommandGroup? { groups.first { $0.name == name } }

    /// The command that the words begin with.
    ///
    /// - Throws: `.usage`, with the words that would be right.
    static func command(_ words: [String]) throws(CommandError) -> Command {
        guard let first = words.first else {
            throw .usage("say what to do: \(list(groups.map(\.name)))")
        }
        guard let group = group(first) else { throw .usage("\"\(first)\" is not a command") }
        if let command = group.single { return command }
        guard words.count > 1 else {
            let names = list(group.commands.map { $0.words[1] })
            throw CommandError.usage("\(names) is missing").pointing(to: group.name)
        }
        guard let command = group.commands.first(where: { $0.words[1] == words[1] }) else {
            throw CommandError.usage("\"\(first) \(words[1])\" is not a command").pointing(to: group.name)
        }
        return command
    }

    /// "list, send or discard".
    static func list(_ names: [String]) -> String {
        names.count == 1 ? names[0] : names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }
}
