import App
import Foundation

/// `aquifer users add NAME` and `aquifer users token NAME`: print a token, which is shown this once.
struct UsersAddCommand: CommandHandler {
    private let call: CommandCall
    private let users: any UserRegister
    private let name: UserName
    private let address: String

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        users = try call.users()
        name = try call.userName()
        address = try call.serverAddress()
    }

    func run() async throws(CommandError) -> ExitStatus {
        let now = call.options.configuration.now()
        let file = (users as? UsersFile)?.path
        let isNew = call.command.words[1] == "add" && file.map { !FileManager.default.fileExists(atPath: $0) } == true
        let token: String
        do throws(UsersError) {
            token =
                call.command.words[1] == "add"
                ? try await users.add(name, at: now) : try await users.addToken(name, at: now)
        } catch {
            if case .exists(let other) = error {
                throw CommandError(
                    status: .usage, message: "\(error); aquifer users token \(other) lets another device of theirs in")
            }
            throw CommandError(error)
        }
        let link = "\(address)#token=\(token)"
        let other = "the link, which is a secret; aquifer users token \(name) prints another one"
        if call.options.json {
            let document = UserLinkDocument(name: name.text, token: token, link: link)
            call.console.out(json: ResultDocument(local: document), else: other)
        } else {
            call.console.out(link, else: other)
            if call.console.canWrite {
                call.console.note("\(name) opens this link; it is shown only now, and whoever has it is let in")
            }
            if isNew, let file { call.console.note("\(file) is new: nobody else is in it") }
        }
        return .delivered
    }
}
