/// `aquifer man`: the manual page.
struct ManCommand: CommandHandler {
    static var usesStores: Bool { false }

    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run() async throws(CommandError) -> ExitStatus {
        call.console.out(lines: ManPage.lines)
        return .delivered
    }
}
