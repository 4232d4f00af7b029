import App

/// `aquifer store schema`: the SQL that makes the tables of `--store`.
struct StoreSchemaCommand: CommandHandler {
    static var usesStores: Bool { false }

    private let call: CommandCall
    private let role: String?

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        role = try call.arguments.value(Options.role)
        guard role?.isEmpty != true else { throw .usage("--role takes the name of a user of the database") }
    }

    func run() async throws(CommandError) -> ExitStatus {
        let text = SharedStores.definition(role: role)
        call.console.out(
            lines: text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init))
        return .delivered
    }
}
