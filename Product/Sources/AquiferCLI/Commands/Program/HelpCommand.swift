/// `aquifer help [COMMAND]…`: the help of a command.
struct HelpCommand: CommandHandler {
    static var usesStores: Bool { false }

    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        try HelpText.check(call.words)
        // The name of a group alone is no command, and has a help.
        if let command = try? CommandTable.command(call.words), call.words.count > command.words.count {
            throw .usage("\"\(call.words[command.words.count])\" is one word too many")
        }
    }

    func run() async throws(CommandError) -> ExitStatus {
        call.console.out(lines: HelpText.lines(for: call.words))
        return .delivered
    }
}
