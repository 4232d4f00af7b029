import App

/// `aquifer users remove NAME`: removes a user with everything that is the user's.
struct UsersRemoveCommand: CommandHandler {
    private let call: CommandCall
    private let users: any UserRegister
    private let name: UserName
    private let unsent: UnsentOfUser
    private let isSure: Bool

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        users = try call.users()
        name = try call.userName()
        unsent =
            call.arguments.has(Options.discardUnsent)
            ? .discard : call.arguments.has(Options.sendFirst) ? .sendFirst : .refuse
        isSure = call.arguments.has(Options.yes)
    }

    func run() async throws(CommandError) -> ExitStatus {
        try await ask()
        let services = try await call.atHome(of: users).services()
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

    /// Asks first, because nothing brings back what the user has. A user who does not exist is told without asking.
    private func ask() async throws(CommandError) {
        do throws(UsersError) {
            guard try await users.read().contains(where: { $0.name == name.text }) else { throw .unknown(name.text) }
        } catch { throw CommandError(error) }
        let lines = [
            "cards, keys, payments, settings and uploads of \(name) are deleted for good, and all links of \(name) end",
            unsent == .discard ? "what has not been sent is deleted, too" : nil,
        ]
        try call.console.agree(
            Question(action: "removing the user \(name)", lines: lines.compactMap(\.self)), isSure: isSure, call.options
        )
    }
}
