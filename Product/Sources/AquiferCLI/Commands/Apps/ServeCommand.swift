import App
import Aquifer
import AquiferPayments
import Foundation
import HTTPServer
import ReferenceAPIs

/// `aquifer serve`: the whole product in a browser.
struct ServeCommand: CommandHandler {
    /// It waits for their servers.
    static var usesStores: Bool { false }

    private let call: CommandCall
    private let host: String
    private let port: UInt16
    private let token: Bool
    private let origins: [WebOrigin]
    private let metricsPort: UInt16?
    private let logFormat: ServiceLog.Format
    private let drain: Duration
    private let hasUsers: Bool
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
        hasUsers = call.arguments.has(Options.users)
        if hasUsers { try call.checkUsers() }
        quota = try call.arguments.value(Options.quota)
        try checkUsers()
    }

    /// Refuses what does not go with several users, or only with them.
    private func checkUsers() throws(CommandError) {
        guard hasUsers else {
            if quota != nil { throw .usage("--quota is for --users") }
            return
        }
        if !token { throw .usage("--no-token does not go with --users: every user needs a token") }
        if call.options.configuration.driveKeypair != nil {
            throw .usage("--keypair names one owner; with --users each user has a key of their own")
        }
    }

    func run() async throws(CommandError) -> ExitStatus {
        await ServerProcess.prepare()
        let descriptors = DescriptorLimit.current
        guard descriptors >= DescriptorLimit.least else {
            let need = "a server needs \(DescriptorLimit.least); raise the limit (ulimit -n)"
            throw CommandError(
                status: .unavailable, message: "\(descriptors) files and sockets can be open at once, and \(need)")
        }
        let signals = Signals()
        let told = Task { await signals.untilTold() }
        let entrance: Entrance
        do throws(ServerError) {
            entrance = try Entrance(host: host, port: port, origins: origins, metricsPort: metricsPort, log: log)
        } catch { throw CommandError(status: .unavailable, message: "\(error)") }
        guard let call = try await connected(entrance, told) else {
            await entrance.stop()
            return .delivered
        }
        let services = call.services(patience: nil)
        services.configureFoaas()
        let server: WebServer
        do {
            let users = hasUsers ? try call.users() : nil
            server = try await WebServer(services, at: entrance, token: token, users: users, quota: quota)
        } catch let error as CommandError {
            throw error
        } catch let error as UsersError {
            throw CommandError(error)
        } catch let error as VaultError {
            throw CommandError(error)
        } catch {
            throw CommandError(status: .unavailable, message: "\(error)")
        }
        announce(server, entrance)
        // If the address could not be printed, nobody can use the server.
        if call.console.canWrite {
            // A user who presses Ctrl-C waits for the end. The sender of SIGTERM has told others to go elsewhere.
            if await told.value == SIGTERM { await server.drain(grace: drain) } else { await server.stop() }
        } else {
            await server.stop()
        }
        await services.stop()
        return .delivered
    }

    /// The command on stores that are open; `nil` if a signal has ended the waiting for their servers.
    private func connected(
        _ entrance: Entrance, _ told: Task<Int32, Never>
    ) async throws(CommandError) -> CommandCall? {
        guard let servers = call.options.servers else { return call }
        let (outcomes, continuation) = AsyncStream.makeStream(of: Result<SharedStores, StoreError>?.self)
        // A connection that is late is left behind: making it cannot be cancelled.
        Task {
            let opened: Result<SharedStores, StoreError>
            do throws(StoreError) {
                opened = .success(try await SharedStores.awaited(servers) { entrance.waits(for: $0) })
            } catch { opened = .failure(error) }
            continuation.yield(opened)
        }
        Task {
            _ = await told.value
            continuation.yield(nil)
        }
        for await outcome in outcomes {
            do throws(StoreError) {
                guard let stores = try outcome?.get() else { return nil }
                if let failure = stores.cacheFailure { entrance.doesWithout(failure) }
                return call.on(stores)
            } catch {
                var message = "\(error)"
                if case .readOnly = error {
                    message +=
                        "; if its user may not make tables, an administrator does: aquifer store schema --role NAME"
                }
                throw CommandError(status: .unavailable, message: message)
            }
        }
        return nil
    }

    private func announce(_ server: WebServer, _ entrance: Entrance) {
        if call.options.json {
            call.console.out(
                json: ResultDocument(local: PagesDocument(address: "\(server.link)", metrics: entrance.metricsAddress)))
            return
        }
        call.console.out("Aquifer is at \(server.link)")
        if let address = entrance.metricsAddress { call.console.out("Metrics are at \(address)") }
        if let warning = ownRemotes { note(warning, entrance) }
        guard hasUsers else { return }
        note("each user opens the link that aquifer users printed", entrance)
        if server.hasNobody { note("there are no users yet; aquifer users add NAME adds the first", entrance) }
    }

    /// Tells something beside the log, or in it if programs read it.
    private func note(_ text: String, _ entrance: Entrance) {
        if logFormat == .json { entrance.note(text) } else { call.console.note(text) }
    }

    /// The warning about remotes that are this process's own while its stores are shared; `nil` if there are none.
    private var ownRemotes: String? {
        let own = ReferenceRemote.allCases.filter { call.options.configuration.remotes[$0] == nil }.map(\.rawValue)
        guard call.options.servers != nil, !own.isEmpty else { return nil }
        return
            "each replica has a reference remote of its own for \(own.joined(separator: ", ")): what is sent to one of"
            + " them, the others do not find; name your servers with --remote"
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
