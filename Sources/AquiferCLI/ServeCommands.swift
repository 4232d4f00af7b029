import App
import Foundation
import HTTPServer
import ReferenceAPIs

/// `aquifer serve`: the whole product in a browser.
struct ServeCommand {
    private let options: GlobalOptions
    private let host: String
    private let port: UInt16
    private let token: Bool

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        try arguments.end()
        self.options = options
        host = arguments.value("--host") ?? "127.0.0.1"
        port = try arguments.port(else: 8080)
        token = !arguments.has("--no-token")
    }

    func run(_ console: Console) async throws(CommandError) -> ExitStatus {
        await ServerProcess.prepare()
        let signals = Signals()
        let services = Services(options.configuration)
        services.configureFoaas()
        let server: WebServer
        do {
            server = try await WebServer(services, host: host, port: port, token: token)
        } catch {
            throw CommandError(status: .unavailable, message: "\(error)")
        }
        console.out("Aquifer is at \(server.link)")
        // If the address could not be printed, nobody can use the server.
        if console.canWrite { await signals.untilTold() }
        await server.stop()
        await services.stop()
        return .delivered
    }
}

/// `aquifer remotes`: the reference remotes on a port of their own.
struct RemotesCommand {
    private let options: GlobalOptions
    private let host: String
    private let port: UInt16
    /// The folder of posted data; `nil` unless `--data` names one: the remotes then begin empty.
    private let folder: URL?

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        try arguments.end()
        self.options = options
        host = arguments.value("--host") ?? "127.0.0.1"
        port = try arguments.port(else: 8090)
        folder = arguments.value("--data") == nil ? nil : options.configuration.data.appending(path: "reference")
    }

    func run(_ console: Console) async throws(CommandError) -> ExitStatus {
        await ServerProcess.prepare()
        let signals = Signals()
        let server: HTTPServer
        let place = folder ?? .temporaryDirectory.appending(path: "aquifer-remotes-\(UUID().uuidString)")
        // There may be none, when nothing was posted.
        defer { if folder == nil { try? FileManager.default.removeItem(at: place) } }
        do {
            let apis = try ReferenceAPIs(directory: place)
            for (remote, fault) in options.configuration.faults { apis.set(fault, of: remote) }
            var configuration = ReferenceAPIs.configuration
            configuration.host = host
            configuration.port = port
            server = try HTTPServer(configuration, handler: apis.handler)
        } catch {
            throw CommandError(status: .unavailable, message: "\(error)")
        }
        let name = host.contains(":") ? "[\(host)]" : host
        for remote in ReferenceRemote.allCases {
            console.out("\(remote.rawValue)=http://\(name):\(server.port)/\(remote.rawValue)")
        }
        if console.canWrite { await signals.untilTold() }
        await server.stop()
        return .delivered
    }
}

extension Arguments {
    fileprivate func port(else standard: UInt16) throws(CommandError) -> UInt16 {
        guard let text = value("--port") else { return standard }
        guard let port = UInt16(text) else { throw .usage("--port takes a number from 0 to 65535, not \"\(text)\"") }
        return port
    }
}
