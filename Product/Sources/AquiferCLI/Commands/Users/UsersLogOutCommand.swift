import App

/// `aquifer users logout NAME`: ends all tokens of a user.
struct UsersLogOutCommand: CommandHandler {
    private let call: CommandCall
    private let users: any UserRegister
    private let name: UserName

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        users = try call.users()
        name = try call.userName()
    }

    func run() async throws(CommandError) -> ExitStatus {
        let count: Int
        do throws(UsersError) { count = try await users.endTokens(of: users.user(name).id, hash: nil) } catch {
            throw CommandError(error)
        }
        if call.options.json {
            call.console.out(json: ResultDocument(local: UserTokensDocument(name: name.text, ended: count)))
        } else if !call.options.quiet {
            call.console.note(
                "\(counted(count, "token")) of \(name) ended; what \(name) has saved stays, and aquifer users token \(name)"
                    + " makes a new one")
        }
        return .delivered
    }
}
