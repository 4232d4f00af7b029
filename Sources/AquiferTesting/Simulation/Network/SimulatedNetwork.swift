import Aquifer
import Foundation

/// The network of a ``Simulation``: its servers, and what happens on the way to them and back.
public final class SimulatedNetwork: @unchecked Sendable {
    // One thread at a time runs in a simulation.

    /// A request as a server gets it.
    public struct Request: Sendable {
        /// The method.
        public let method: HTTPMethod
        /// The address.
        public let url: URL
        /// The fields.
        public let headers: HTTPHeaders
        /// The whole body.
        public let body: Data
    }

    /// The answer of a server. The network adds `Content-Length` to all answers, and `Date` to one of a
    /// server that has acted.
    public struct Answer: Sendable {
        /// The status.
        public var status: Int
        /// The fields.
        public var headers: HTTPHeaders
        /// The whole body.
        public var body: Data

        /// An answer.
        public init(status: Int = 200, headers: HTTPHeaders = [:], body: Data = Data()) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// Answers a request. It may wait, and other requests then come in between.
    public typealias Serve = @Sendable (Request) async -> Answer

    /// False while there is no network: no name is found, and what is under way is lost in silence.
    public var isUp = true

    let random: SimulatedRandom
    let faults: Faults
    private var servers: [String: SimulatedServer] = [:]

    init(_ random: SimulatedRandom, _ faults: Faults) {
        self.random = random
        self.faults = faults
    }

    /// Serves a host.
    ///
    /// - Parameters:
    ///   - host: the host's name, for `http` and `https`.
    ///   - whenRestarted: called when the fault ``SimulatedFault/serverRestart`` strikes. What the server has begun does not go
    ///     on. Drop here what it would not find on its disk.
    ///   - serve: answers a request.
    public func serve(
        _ host: String, whenRestarted: @escaping @Sendable () -> Void = {}, _ serve: @escaping Serve
    ) {
        servers[host] = SimulatedServer(host, faults, whenRestarted, serve)
    }

    /// The server of a host; `nil` if there is none.
    func server(_ url: URL) -> SimulatedServer? { url.host().flatMap { servers[$0] } }

    func client(of process: SimulatedProcess) -> SimulatedClient { SimulatedClient(network: self, process: process) }
}
