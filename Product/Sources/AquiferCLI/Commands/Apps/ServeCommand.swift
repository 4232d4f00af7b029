import App
import AquiferPayments
import Foundation
import HTTPServer

/// `aquifer serve`: the whole product in a browser.
struct ServeCommand: CommandHandler {
    private let call: CommandCall
    private let host: String
    private let port: UInt16
    private let token: Bool
    private let origins: [WebOrigin]
    private let metricsPort: UInt16?
    private let logFormat: ServiceLog.Format
    private let drain: Duration
    private let users: (any UserRegister)?
    private let quota: UInt64?

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        host = try call.arguments.value(Options.host) ?? "127.0.0.1"
        port = try call.arguments.value(Options.port) ?? 8080
        token = !call.arguments.has(Options.noToken)
        origins = try call.arguments.all(Options.origin)
        metricsPort = try call.arguments.value(Options.metricsPort)
        logFormat = try call.arguments.value(Options.log) ?? .text
        drain = .seconds(try call.arguments.value(Options.drain) ?? 0)
        users = call.arguments.has(Options.users) ? try call.users() : nil
        quota = try call.arguments.value(Options.quota)
        try checkUsers()
    }

    /// Refuses what does not go with several users, or only with them.
    private func checkUsers() throws(CommandError) {
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
            server = try await WebServer(
                services, host: host, port: port, token: token, origins: origins, metricsPort: metricsPort, log: log,
                users: users, quota: quota)
        } catch let error as UsersError {
            throw CommandError(error)
        } catch let error as VaultError {
            throw CommandError(error)
        } catch {
            throw CommandError(status: .unavailable, message: "\(error)")
        }
        if call.options.json {
            call.console.out(
                json: ResultDocument(local: PagesDocument(address: "\(server.link)", metrics: server.metricsAddress)))
        } else {
            call.console.out("Aquifer is at \(server.link)")
            if let address = server.metricsAddress { call.console.out("Metrics are at \(address)") }
            if users != nil { call.console.note("each user opens the link that aquifer users printed") }
        }
        // If the address could not be printed, nobody can use the server.
        if call.console.canWrite {
            // A user who presses Ctrl-C waits for the end. The sender of SIGTERM has told others to go elsewhere.
            if await signals.untilTold() == SIGTERM { await server.drain(grace: drain) } else { await server.stop() }
        } else {
            await server.stop()
        }
        await services.stop()
        return .delivered
    }

    /// The log, on standard error.
    private var log: ServiceLog {
        let (console, format) = (call.console, logFormat)
        let isQuiet = call.options.quiet && format == .text
        return ServiceLog(isQuiet ? .off : format, now: call.options.configuration.now) { line in
            if format == .json { console.log(line) } else { console.note(line) }
        }
    }
}
