/// `aquifer help [COMMAND]…`: the help of a command.
struct HelpCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        // The name of a group has a help, too.
        if let name = call.words.first, call.words.count > 1 || CommandTable.group(name) == nil {
            let command = try CommandTable.command(call.words)
            if call.words.count > command.words.count {
                throw .usage("\"\(call.words[command.words.count])\" is one word too many")
            }
        }
    }

    func run() async throws(CommandError) -> ExitStatus {
        call.console.out(lines: HelpText.lines(for: call.words))
        return .delivered
    }
}
