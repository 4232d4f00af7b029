import App
import Foundation

/// `aquifer users list`: the users of `aquifer serve`.
struct UsersListCommand: CommandHandler {
    private let call: CommandCall
    private let users: any UserRegister

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        users = try call.users()
    }

    func run() async throws(CommandError) -> ExitStatus {
        var found: [UserRecord] = []
        do throws(UsersError) { found = try await users.read() } catch {
            // Nobody has been added yet.
            switch error {
            case .none, .noneStored: break
            default: throw CommandError(error)
            }
        }
        if call.options.json {
            call.console.out(json: ResultDocument(local: found.map(UserDocument.init)))
            return .delivered
        }
        let rows = found.map { user in
            [user.name, "\(user.tokens.count)", user.isLeaving ? "being removed" : ""]
        }
        call.console.table(
            ["NAME", "TOKENS", "STATE"], rows, call.options,
            ifEmpty: "there are no users; add one with aquifer users add")
        return .delivered
    }
}
