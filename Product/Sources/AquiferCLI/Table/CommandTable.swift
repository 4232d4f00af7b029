/// The table of all commands.
enum CommandTable {
    /// The groups in the order of the help. A command line needs one of them, and the others are then not made.
    private static let makers: [(name: String, make: @Sendable () -> CommandGroup)] = [
        ("serve", { serve }), ("link", { link }), ("users", { users }), ("remotes", { remotes }), ("feed", { feed }),
        ("contacts", { contacts }), ("cards", { cards }), ("pay", { pay }), ("payments", { payments }),
        ("foaas", { foaas }), ("audio", { audio }), ("outbox", { outbox }), ("drive", { drive }), ("cache", { cache }),
        ("store", { store }), ("completion", { completion }), ("man", { man }), ("help", { help }),
    ]

    static let groups: [CommandGroup] = makers.map { $0.make() }

    static var commands: [Command] { groups.flatMap(\.commands) }

    /// Every option of every command, each once.
    static let options: [OptionDeclaration] = {
        var seen: Set<String> = []
        return ((Options.general + Options.drive).map(\.declaration) + commands.flatMap(\.own))
            .filter { seen.insert($0.name).inserted }
    }()

    /// Finds an option by one of its names: among those of the command that the words begin with, else among all.
    static func option(in words: [String]) -> (_ name: String) -> OptionDeclaration? {
        // Words that name no command may have options of any.
        let command = try? command(Array(words.prefix { !$0.hasPrefix("-") }))
        let known = command?.known ?? []
        return { name in
            known.first { $0.names.contains(name) } ?? options.first { $0.names.contains(name) }
        }
    }

    /// The group of this name.
    static func group(_ name: String) -> CommandGroup? { makers.first { $0.name == name }?.make() }

    /// The command that the words begin with.
    ///
    /// - Throws: `.usage`, with the words that would be right.
    static func command(_ words: [String]) throws(CommandError) -> Command {
        guard let first = words.first else {
            throw .usage("say what to do: \(list(makers.map(\.name)))")
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
