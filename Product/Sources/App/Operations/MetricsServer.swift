import Foundation
import HTTPServer

/// `/metrics`, `/healthz` and `/readyz` on a port of their own on loopback, without a token: for a collector on this machine.
final class MetricsServer: Sendable {
    private let server: HTTPServer

    /// The address of the metrics.
    var address: String { "http://127.0.0.1:\(server.port)/metrics" }

    /// - Parameter answer: answers a question; `nil` for anything else.
    /// - Throws: ``ServerError`` when the server cannot listen on the port.
    init(
        port: UInt16, answer: @escaping @Sendable (ServerRequest) async -> ServerResponse?
    ) throws(ServerError) {
        server = try HTTPServer.listening(.init(port: port, maxBodyBytes: 0, maxConnections: 64)) { port in
            // Only under its own address: a page of another site must not read the numbers by a name of its own.
            let gate = Gate(
                host: "127.0.0.1", port: port, token: nil, addresses: SignedAddresses(token: nil) { Date() })
            return HTTPServer.Answers(
                gate: { request in
                    if Operations.isHealthCheck(request) { return .known }
                    return gate.refusal(request).map { .refused($0.hardened()) } ?? .known
                },
                handler: { request in
                    let none = ServerResponse.problem(404, "notFound", "there are /metrics, /healthz and /readyz here")
                    return (await answer(request) ?? none).hardened()
                })
        }
    }

    func stop() async { await server.stop(grace: .zero) }
}
