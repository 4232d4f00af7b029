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

    /// How many files and sockets the server, a client of it and one connection between them need.
    private static let descriptors = 12

    private struct State {
        var apis: ReferenceAPIs?
        var server: HTTPServer?
        var faults: [ReferenceRemote: Fault]
    }

    private let lock = Lock()
    nonisolated(unsafe) private var state: State

    private let folder: URL

    /// - Parameter folder: The folder in which data posted to the remotes is stored, for the next process.
    init(faults: [ReferenceRemote: Fault], folder: URL) {
        state = State(faults: faults)
        self.folder = folder
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
        guard host == Self.name, let server = lock.withLock({ state.server }) else { return nil }
        return (host: "127.0.0.1", port: Int(server.port))
    }

    /// True if the remote of an address is set to act as if there were no connection.
    fileprivate func isOffline(_ url: URL) -> Bool {
        guard let remote = ReferenceRemote(rawValue: url.pathComponents.dropFirst().first ?? "") else { return false }
        return faults[remote] == .offline
    }

    var faults: [ReferenceRemote: Fault] { lock.withLock { state.faults } }

    func set(_ fault: Fault, of remote: ReferenceRemote) {
        lock.withLock {
            state.faults[remote] = fault
            state.apis?.set(fault, of: remote)
        }
    }

    func transfers(of remote: ReferenceRemote) -> TransferCounts {
        lock.withLock { state.apis }?.transfers(of: remote) ?? TransferCounts()
    }

    func requests(of remote: ReferenceRemote) -> [ReferenceRequest] {
        lock.withLock { state.apis }?.requests(of: remote) ?? []
    }

    func bytesSent(of remote: ReferenceRemote) -> [String: UInt64] {
        lock.withLock { state.apis }?.bytesSent(of: remote) ?? [:]
    }

    func stop() async {
        let server = lock.withLock {
            defer { state.server = nil }
            return state.server
        }
        await server?.stop(grace: .zero)
    }

    fileprivate func start() throws {
        try lock.withLock {
            guard state.server == nil else { return }
            DescriptorLimit.raise()
            guard DescriptorLimit.leaves(Self.descriptors) else { throw TooFewDescriptors() }
            let apis = try ReferenceAPIs(directory: folder)
            for (remote, fault) in state.faults { apis.set(fault, of: remote) }
            var configuration = ReferenceAPIs.configuration
            // The client is in the same process, so each connection takes two descriptors.
            configuration.descriptorShare = 1 / 8
            state.server = try HTTPServer(configuration, handler: apis.handler)
            state.apis = apis
        }
    }
}

/// The reference remotes and their client would share fewer files and sockets than one request needs.
private struct TooFewDescriptors: Error, CustomStringConvertible {
    var description: String { "too few files can be open at once; raise the limit (ulimit -n)" }
}

/// Starts the reference remotes when the first request for them comes by.
struct ReferenceClient: HTTPClient {
    let client: any HTTPClient
    let host: ReferenceHost

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if request.url.host() == ReferenceHost.name {
            // A remote that acts as if it were offline hangs up after it was reached. For a request that changes
            // something, a hang-up would count as a lost answer, and not as a missing connection.
            if !request.method.isSafe, host.isOffline(request.url) {
                throw TransportError(.offline, "the reference remote is offline")
            }
            do { try host.start() } catch {
                throw TransportError(.cannotConnect, "the reference remote could not start: \(error)")
            }
        }
        return try await client.send(request)
    }
}
