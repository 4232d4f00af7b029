import Aquifer
import Foundation
import HTTPServer
import ReferenceAPIs

/// Runs the reference remotes on a free port of loopback, from the first request on.
///
/// They have one address that never changes, `http://reference.aquifer.internal/…`, so that what is saved under it is
/// found again by the next process; the client is led to the port of the day by ``route(_:_:)``.
final class ReferenceHost: Sendable {
    static let name = "reference.aquifer.internal"

    private struct State {
        var apis: ReferenceAPIs?
        var server: HTTPServer?
        var faults: [ReferenceRemote: Fault]
    }

    private let lock = NSLock()
    nonisolated(unsafe) private var state: State

    private let folder: URL

    /// - Parameter folder: where what is posted to the remotes is kept, for the next process.
    init(faults: [ReferenceRemote: Fault], folder: URL) {
        state = State(faults: faults)
        self.folder = folder
    }

    static func base(of remote: ReferenceRemote) -> URL {
        var parts = URLComponents()
        parts.scheme = "http"
        parts.host = name
        parts.path = "/\(remote.rawValue)"
        return parts.url ?? URL(filePath: "/")
    }

    /// Where a connection to `host` goes: to the port of the day for the remotes, where it says for everyone else.
    func route(_ host: String, _ port: Int) -> (host: String, port: Int)? {
        guard host == Self.name, let server = lock.withLock({ state.server }) else { return nil }
        return (host: "127.0.0.1", port: Int(server.port))
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
            let apis = try ReferenceAPIs(folder: folder)
            for (remote, fault) in state.faults { apis.set(fault, of: remote) }
            state.server = try HTTPServer(ReferenceAPIs.configuration, handler: apis.handler)
            state.apis = apis
        }
    }
}

/// Starts the reference remotes when the first request for them comes by.
struct ReferenceClient: HTTPClient {
    let client: any HTTPClient
    let host: ReferenceHost

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if request.url.host() == ReferenceHost.name {
            do { try host.start() } catch {
                throw TransportError(.cannotConnect, "the reference remote could not start: \(error)")
            }
        }
        return try await client.send(request)
    }
}
