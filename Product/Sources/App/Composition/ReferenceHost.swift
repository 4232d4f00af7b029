import Aquifer
import AquiferConcurrency
import Foundation
import HTTPServer
import ReferenceAPIs

/// Runs the reference remotes on a free port of the loopback interface, from the first request on.
///
/// They have one permanent address, `http://reference.aquifer.internal/…`, so that the next process finds the entries
/// saved under it. The function ``route(_:_:)`` directs the client to the current port.
final class ReferenceHost: Sendable {
    static let name = "reference.aquifer.internal"

    /// The number of files and sockets that the server, a client of it and one connection between them need.
    private static let descriptors = 12

    private struct State {
        var running: Running?
        var isStopped = false
        var faults: [ReferenceRemote: Fault]
    }

    private struct Running {
        let apis: ReferenceAPIs
        let server: HTTPServer
    }

    /// No file is read or written while this is locked: every connection and the pages' switch ask for it.
    private let state: Locked<State>
    private let start: Lazy<Void, any Error>

    /// - Parameter folder: The folder in which data posted to the remotes is stored, for the next process.
    init(faults: [ReferenceRemote: Fault], folder: URL) {
        let state = Locked(State(faults: faults))
        self.state = state
        start = Lazy { try Self.run(in: folder, state) }
    }

    /// The permanent address of a remote.
    static func base(of remote: ReferenceRemote) -> URL {
        var parts = URLComponents()
        parts.scheme = "http"
        parts.host = Self.name
        parts.path = "/\(remote.rawValue)"
        return parts.url ?? URL(filePath: "/")
    }

    /// The destination of a connection to `host`: the current port for the remotes, `nil` for every other host, which
    /// is connected to as named.
    func route(_ host: String, _ port: Int) -> (host: String, port: Int)? {
        guard host == Self.name, let server = state.withLock({ $0.running?.server }) else { return nil }
        return (host: "127.0.0.1", port: Int(server.port))
    }

    /// True if the remote of an address is set to act as if there were no connection.
    fileprivate func isOffline(_ url: URL) -> Bool {
        guard let remote = ReferenceRemote(rawValue: url.pathComponents.dropFirst().first ?? "") else { return false }
        return faults[remote] == .offline
    }

    var faults: [ReferenceRemote: Fault] { state.withLock { $0.faults } }

    func set(_ fault: Fault, of remote: ReferenceRemote) {
        state.withLock { state in
            state.faults[remote] = fault
            state.running?.apis.set(fault, of: remote)
        }
    }

    func transfers(of remote: ReferenceRemote) -> TransferCounts { apis?.transfers(of: remote) ?? TransferCounts() }

    func requests(of remote: ReferenceRemote) -> [ReferenceRequest] { apis?.requests(of: remote) ?? [] }

    func bytesSent(of remote: ReferenceRemote) -> [String: UInt64] { apis?.bytesSent(of: remote) ?? [:] }

    private var apis: ReferenceAPIs? { state.withLock { $0.running?.apis } }

    /// Stops the remotes for good.
    func stop() async {
        let running = state.withLock { state in
            state.isStopped = true
            defer { state.running = nil }
            return state.running
        }
        await running?.server.stop(grace: .zero)
    }

    /// Starts the remotes, unless they run.
    fileprivate func begin() async throws {
        try await start()
        guard !state.withLock({ $0.isStopped }) else { throw Stopped() }
    }

    private static func run(in folder: URL, _ state: Locked<State>) throws {
        DescriptorLimit.raise()
        guard DescriptorLimit.leaves(descriptors) else { throw TooFewDescriptors() }
        let apis = try ReferenceAPIs(directory: folder)
        var configuration = ReferenceAPIs.configuration
        // The client is in the same process, so each connection takes two descriptors.
        configuration.descriptorShare = 1 / 8
        let running = Running(apis: apis, server: try HTTPServer(configuration, handler: apis.handler))
        try state.withLock { state in
            // A server that nobody keeps ends by itself.
            guard !state.isStopped else { throw Stopped() }
            for (remote, fault) in state.faults { apis.set(fault, of: remote) }
            state.running = running
        }
    }
}

/// The reference remotes were stopped, and do not start again.
private struct Stopped: Error, CustomStringConvertible {
    var description: String { "they were stopped" }
}

/// The reference remotes and their client would share fewer files and sockets than one request needs.
private struct TooFewDescriptors: Error, CustomStringConvertible {
    var description: String { "too few files can be open at once; raise the limit (ulimit -n)" }
}

/// Starts the reference remotes when the first request for them comes by.
struct ReferenceClient: HTTPClient {
    let client: any HTTPClient
    let host: ReferenceHost

    var asksBeforeSending: Bool { client.asksBeforeSending }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard request.url.host() == ReferenceHost.name else { return try await client.send(request) }
        // A remote that acts as if it were offline hangs up after it was reached. For a request that changes something,
        // a hang-up would count as a lost answer, and not as a missing connection.
        if !request.method.isSafe, host.isOffline(request.url) {
            throw TransportError(.offline, "the reference remote is offline")
        }
        do { try await host.begin() } catch {
            throw TransportError(.cannotConnect, "the reference remote could not start: \(error)")
        }
        do throws(TransportError) { return try await client.send(request) } catch {
            // What was switched off is the network. The hang-up only stands for it.
            guard error.kind == .interrupted, host.isOffline(request.url) else { throw error }
            throw TransportError(.offline, "the reference remote is offline")
        }
    }
}
