import App
import Foundation

/// `aquifer users list`: the users of `aquifer serve`.
struct UsersListCommand: CommandHandler {
    private let call: CommandCall
    private let file: UsersFile

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        file = try call.usersFile()
    }

    func run() async throws(CommandError) -> ExitStatus {
        var users: [UserRecord] = []
        do throws(UsersError) { users = try file.read() } catch {
            // Without a file nobody has been added.
            guard case .none = error else { throw CommandError(error) }
        }
        if call.options.json {
            call.console.out(json: ResultDocument(local: users.map(UserDocument.init)))
            return .delivered
        }
        let rows = users.map { user in
            [user.name, "\(user.tokens.count)", user.isLeaving ? "being removed" : ""]
        }
        call.console.table(
            ["NAME", "TOKENS", "STATE"], rows, call.options,
            ifEmpty: "there are no users; add one with aquifer users add")
        return .delivered
    }
}
