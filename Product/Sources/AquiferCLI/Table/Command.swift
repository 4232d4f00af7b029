/// A command of `aquifer`: a line of the table from which parsing, help, completion and the man page are made.
struct Command: Sendable {
    /// The words of the command: `feed list`.
    let name: String
    /// The effect of the command in the third person, in lower case, without a full stop.
    let summary: String
    /// Sentences for the help of the command; empty if the summary says it all.
    let details: String
    let arguments: [CommandArgument]
    /// The options without which the command cannot run.
    let required: [any DeclaredOption]
    /// The other options, beside those of every command.
    let options: [any DeclaredOption]
    /// Options that exclude each other.
    let exclusive: [any DeclaredOption]
    /// The options of Shadow Drive that the command takes. A command of another app accepts them all, so that a shell
    /// alias can name the key once.
    let driveOptions: [any DeclaredOption]
    /// True if the general options go with this command. A command that prints a text has none.
    let takesGlobalOptions: Bool
    /// The exit codes that mean something particular in this command, in the order of their numbers.
    let exits: [CommandExit]
    /// True if the command changes something. What it did is told, also if its result cannot be written.
    let acts: Bool
    let handler: any CommandHandler.Type

    init(
        _ name: String, _ summary: String, details: String = "", _ arguments: [CommandArgument] = [],
        required: [any DeclaredOption] = [], options: [any DeclaredOption] = [], exclusive: [any DeclaredOption] = [],
        driveOptions: [any DeclaredOption] = Options.drive, takesGlobalOptions: Bool = true, exits: [CommandExit] = [],
        acts: Bool = false, run handler: any CommandHandler.Type
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.arguments = arguments
        self.required = required
        self.options = options
        self.exclusive = exclusive
        self.driveOptions = driveOptions
        self.takesGlobalOptions = takesGlobalOptions
        self.exits = exits
        self.acts = acts
        self.handler = handler
    }

    /// The words of the name: `["feed", "list"]`.
    var words: [String] { name.split(separator: " ").map(String.init) }

    /// The argument at a place from 0; `nil` if the command takes none there. The last one may be repeated.
    func argument(at place: Int) -> CommandArgument? {
        guard place >= arguments.count else { return place < 0 ? nil : arguments[place] }
        return arguments.last?.isRepeated == true ? arguments.last : nil
    }

    /// The options of this command alone.
    var own: [OptionDeclaration] { (required + exclusive + options).map(\.declaration) }

    /// Every option that goes with the command.
    var known: [OptionDeclaration] {
        own + (takesGlobalOptions ? Options.general + driveOptions : [Options.help]).map(\.declaration)
    }

    /// The summary as a sentence, the details, and the notes of the arguments.
    var description: String {
        let sentence = summary.prefix(1).uppercased() + summary.dropFirst() + "."
        return ([sentence, details] + arguments.map(\.note)).filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// One sentence with the exit codes that mean something particular here; empty if there are none.
    var exitNote: String {
        guard !exits.isEmpty else { return "" }
        return "Exit: " + exits.map { "\($0.status.rawValue) \($0.meaning)" }.joined(separator: "; ") + "."
    }

    /// The command, its arguments and its own options: `feed image ID -o FILE`.
    var usage: String {
        var parts = [name] + arguments.map(\.usage) + required.map(\.declaration.usage)
        if !exclusive.isEmpty { parts.append("[\(exclusive.map(\.declaration.usage).joined(separator: " | "))]") }
        parts += options.map { "[\($0.declaration.usage)]" + ($0.declaration.isRepeatable ? "…" : "") }
        return parts.joined(separator: " ")
    }

    /// The command with nothing that can be left out: `feed image ID -o FILE`.
    var shortUsage: String {
        let arguments = arguments.filter { !$0.isOptional }.map(\.placeholder)
        return ([name] + arguments + required.map(\.declaration.usage)).joined(separator: " ")
    }
}

/// The meaning of an exit code in one command, where the general table says too little.
struct CommandExit: Sendable, Hashable {
    let status: ExitStatus
    let meaning: String

    init(_ status: ExitStatus, _ meaning: String) {
        self.status = status
        self.meaning = meaning
    }
}

/// An argument of a command: a word that is not an option.
struct CommandArgument: Sendable, Hashable {
    /// The name in help texts: `ID`.
    let placeholder: String
    /// A few words for an error: "the picture's ID".
    let meaning: String
    /// True if the argument can be left out.
    var isOptional = false
    /// True if the argument can be given several times. Only the last one of a command can.
    var isRepeated = false
    /// The words that a shell offers.
    var words = WordKind.text
    /// A sentence for the help of each command with this argument; empty if the meaning says it all.
    var note = ""

    init(_ placeholder: String, _ meaning: String, _ words: WordKind = .text, note: String = "") {
        self.placeholder = placeholder
        self.meaning = meaning
        self.words = words
        self.note = note
    }

    /// The same argument, which can be left out.
    var optional: CommandArgument { changed { $0.isOptional = true } }
    /// The same argument, which can be given several times.
    var repeated: CommandArgument { changed { $0.isRepeated = true } }

    private func changed(_ change: (inout CommandArgument) -> Void) -> CommandArgument {
        var copy = self
        change(&copy)
        return copy
    }

    /// The argument as help texts write it: `[QUERY]…`.
    var usage: String {
        (isOptional ? "[\(placeholder)]" : placeholder) + (isRepeated ? "…" : "")
    }
}

/// Commands whose names begin with the same word, or one command that has a single word.
struct CommandGroup: Sendable {
    /// The first word of the commands.
    let name: String
    /// The purpose of the group as an order, in lower case, without a full stop.
    let summary: String
    let commands: [Command]
    /// Paragraphs for the help of the group. What concerns one command is in its details.
    let notes: [String]
    /// True if the help shows the options of Shadow Drive.
    let showsDriveOptions: Bool

    init(
        _ name: String, _ summary: String, showsDriveOptions: Bool = false, notes: [String] = [], _ commands: [Command]
    ) {
        self.name = name
        self.summary = summary
        self.showsDriveOptions = showsDriveOptions
        self.notes = notes
        self.commands = commands
    }

    /// The options of Shadow Drive that the help shows for some commands of the group.
    func driveOptions(of some: [Command]) -> [OptionDeclaration] {
        guard showsDriveOptions else { return [] }
        let taken = Set(some.flatMap(\.driveOptions).map(\.declaration.name))
        return Options.drive.map(\.declaration).filter { taken.contains($0.name) }
    }

    /// The command, if the group is a single one.
    var single: Command? { commands.count == 1 && commands[0].name == name ? commands[0] : nil }

    /// The group, or its command and the arguments, in a list of all groups.
    var usage: String {
        single.map { ([name] + $0.arguments.map(\.usage)).joined(separator: " ") } ?? "\(name) COMMAND"
    }
}
