/// `aquifer man`: the manual page.
struct ManCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run() async throws(CommandError) -> ExitStatus {
        call.console.out(lines: ManPage.lines)
        return .delivered
    }
}
