import App
import HTTPServer

/// `aquifer serve`: the whole product in a browser.
struct ServeCommand: CommandHandler {
    private let call: CommandCall
    private let host: String
    private let port: UInt16
    private let token: Bool
    private let users: UsersFile?
    private let quota: UInt64?

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        host = try call.arguments.value(Options.host) ?? "127.0.0.1"
        port = try call.arguments.value(Options.port) ?? 8080
        token = !call.arguments.has(Options.noToken)
        users = try call.arguments.value(Options.users).map { UsersFile($0) }
        quota = try call.arguments.value(Options.quota)
        guard users != nil else {
            if quota != nil { throw .usage("--quota is for --users") }
            return
        }
        if !token { throw .usage("--users lets in nobody without a token, so that --no-token does not go with it") }
        if call.options.configuration.driveKeypair != nil {
            throw .usage("--keypair names one owner; with --users each user has a key alone")
        }
    }

    func run() async throws(CommandError) -> ExitStatus {
        await ServerProcess.prepare()
        let signals = Signals()
        let services = call.services()
        let server: WebServer
        do {
            server = try await WebServer(services, host: host, port: port, token: token, users: users, quota: quota)
        } catch let error as UsersError {
            throw CommandError(error)
        } catch {
            throw CommandError(status: .unavailable, message: "\(error)")
        }
        if call.options.json {
            call.console.out(json: ResultDocument(local: PagesDocument(address: "\(server.link)")))
        } else {
            call.console.out("Aquifer is at \(server.link)")
            if users != nil { call.console.note("each user opens the link that aquifer users printed") }
        }
        // If the address could not be printed, nobody can use the server.
        if call.console.canWrite { await signals.untilTold() }
        await server.stop()
        await services.stop()
        return .delivered
    }
}
