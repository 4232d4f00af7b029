import App

/// `aquifer users remove NAME`: removes a user with everything that is the user's.
struct UsersRemoveCommand: CommandHandler {
    private let call: CommandCall
    private let users: any UserRegister
    private let name: UserName
    private let unsent: UnsentOfUser

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        users = try call.users()
        name = try call.userName()
        unsent =
            call.arguments.has(Options.discardUnsent)
            ? .discard : call.arguments.has(Options.sendFirst) ? .sendFirst : .refuse
    }

    func run() async throws(CommandError) -> ExitStatus {
        let services = call.services()
        do throws(UsersError) { try await services.removeUser(name, from: users, unsent: unsent) } catch {
            await services.stop()
            throw CommandError(error)
        }
        await services.stop()
        if call.options.json {
            call.console.out(json: ResultDocument(local: RemovedDocument(removed: name.text)))
        } else if !call.options.quiet {
            call.console.note("\(name) is removed, with cards, keys, payments and everything that waited")
        }
        return .delivered
    }
}
