import App
import Foundation
import HTTPServer
import ReferenceAPIs

/// `aquifer remotes`: the reference remotes on a port of their own.
struct RemotesCommand: CommandHandler {
    static var usesStores: Bool { false }

    private let call: CommandCall
    private let host: String
    private let port: UInt16
    /// The folder of posted data; `nil` unless `--data` names one: the remotes then begin empty.
    private let folder: URL?

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        host = try call.arguments.value(Options.host) ?? "127.0.0.1"
        port = try call.arguments.value(Options.port) ?? 8090
        let isKept = call.arguments.has(Options.data)
        folder = isKept ? call.options.configuration.data.appending(path: "reference") : nil
    }

    func run() async throws(CommandError) -> ExitStatus {
        await ServerProcess.prepare()
        let signals = Signals()
        let server: HTTPServer
        let place = folder ?? .temporaryDirectory.appending(path: "aquifer-remotes-\(UUID().uuidString)")
        // There may be none, when nothing was posted.
        defer { if folder == nil { try? FileManager.default.removeItem(at: place) } }
        do {
            let apis = try ReferenceAPIs(directory: place)
            for (remote, fault) in call.options.configuration.faults { apis.set(fault, of: remote) }
            var configuration = ReferenceAPIs.configuration
            configuration.host = host
            configuration.port = port
            server = try HTTPServer(configuration, handler: apis.handler)
        } catch {
            throw CommandError(status: .unavailable, message: "\(error)")
        }
        let remotes = ReferenceRemote.allCases.map { remote in
            RemoteDocument(
                name: remote.rawValue, address: "http://\(host.asURLHost):\(server.port)/\(remote.rawValue)")
        }
        if call.options.json {
            call.console.out(json: ResultDocument(local: remotes))
        } else {
            for remote in remotes { call.console.out("\(remote.name)=\(remote.address)") }
        }
        if call.console.canWrite { await signals.untilTold() }
        await server.stop()
        return .delivered
    }
}
