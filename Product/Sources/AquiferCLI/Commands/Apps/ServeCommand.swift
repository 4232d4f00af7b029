import App
import HTTPServer

/// `aquifer serve`: the whole product in a browser.
struct ServeCommand: CommandHandler {
    private let call: CommandCall
    private let host: String
    private let port: UInt16
    private let token: Bool
    private let origins: [WebOrigin]

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        host = try call.arguments.value(Options.host) ?? "127.0.0.1"
        port = try call.arguments.value(Options.port) ?? 8080
        token = !call.arguments.has(Options.noToken)
        origins = try call.arguments.all(Options.origin)
    }

    func run() async throws(CommandError) -> ExitStatus {
        await ServerProcess.prepare()
        let signals = Signals()
        let services = call.services()
        let server: WebServer
        do {
            server = try await WebServer(services, host: host, port: port, token: token, origins: origins)
        } catch {
            throw CommandError(status: .unavailable, message: "\(error)")
        }
        if call.options.json {
            call.console.out(json: ResultDocument(local: PagesDocument(address: "\(server.link)")))
        } else {
            call.console.out("Aquifer is at \(server.link)")
        }
        // If the address could not be printed, nobody can use the server.
        if call.console.canWrite { await signals.untilTold() }
        await server.stop()
        await services.stop()
        return .delivered
    }
}
