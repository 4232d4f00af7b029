/// A shell that completes the words of `aquifer`.
enum Shell: String, CaseIterable {
    case bash
    case zsh
    case fish
}

/// `aquifer completion SHELL`: the script that completes the words of `aquifer`.
struct CompletionCommand: CommandHandler {
    static var usesStores: Bool { false }

    private let call: CommandCall
    private let shell: Shell

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        guard let shell = Shell(rawValue: call.words[0]) else {
            throw .usage("\"\(call.words[0])\" is not a shell that is supported; there is bash, zsh and fish")
        }
        self.shell = shell
    }

    func run() async throws(CommandError) -> ExitStatus {
        let script =
            switch shell {
            case .bash: BashCompletion.script
            case .zsh: ZshCompletion.script
            case .fish: FishCompletion.script
            }
        call.console.out(lines: script.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        return .delivered
    }
}
