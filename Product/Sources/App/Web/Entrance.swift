import AquiferConcurrency
import Foundation
import HTTPServer

/// The ports of the server, which listen before there is anything to serve.
///
/// Until ``open(_:)``, for as long as the servers of the stores are away, `/healthz` is answered, `/readyz` says that nothing can be served
/// yet, pages come without their contents, and the API answers 503.
public final class Entrance: Sendable {
    /// The product behind the ports.
    struct Doors: Sendable {
        let gate: ServerGate
        let handler: ServerHandler
        /// Answers a collector; `nil` for what it does not ask.
        let metrics: @Sendable (ServerRequest) async -> ServerResponse?
    }

    let host: String
    let origins: [WebOrigin]
    /// Looks at each request, from the first one on.
    let watch: RequestWatch
    private let doors: Locked<Doors?>
    private let server: HTTPServer
    private let metrics: MetricsServer?

    /// The port on which the server listens.
    public var port: UInt16 { server.port }
    /// The address of the metrics on their own port; `nil` if they have none.
    public var metricsAddress: String? { metrics?.address }

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: The port; 0 for any free one.
    ///   - origins: The addresses under which proxies before the server answer.
    ///   - metricsPort: The port on loopback for metrics without a token, 0 for any free one; `nil` for none.
    ///   - log: The log of requests and events.
    /// - Throws: ``ServerError`` when the server cannot listen on the address.
    public init(
        host: String = "127.0.0.1", port: UInt16 = 8080, origins: [WebOrigin] = [], metricsPort: UInt16? = nil,
        log: ServiceLog = .off
    ) throws(ServerError) {
        let watch = RequestWatch(log: log)
        let doors = Locked<Doors?>(nil)
        (self.host, self.origins, self.watch, self.doors) = (host, origins, watch, doors)
        let early = EarlyAnswers(watch: watch, startedAt: Date())
        metrics = try metricsPort.map { port throws(ServerError) in
            try MetricsServer(port: port) { request in
                guard let doors = doors.withLock({ $0 }) else { return early.metrics(request) }
                return await doors.metrics(request)
            }
        }
        let limits = HTTPServer.Configuration(host: host, port: port, maxBodyBytesByPath: WebServer.uploads)
        server = try HTTPServer.listening(limits) { port in
            // The gate knows the server's own addresses, which contain the port.
            let gate = Gate(
                host: host, port: port, token: nil, addresses: SignedAddresses(token: nil) { Date() }, origins: origins)
            return HTTPServer.Answers(
                gate: { request in
                    let admission = doors.withLock { $0 }?.gate(request) ?? early.admission(of: request, gate)
                    guard case .refused(let refusal) = admission else { return admission }
                    return .refused(watch.refused(request, refusal))
                },
                refused: { watch.refused($0, $1.hardened()) },
                handler: { request in
                    await watch.answer(request) { request in
                        await doors.withLock { $0 }?.handler(request) ?? early.answer(request)
                    }
                })
        }
    }

    /// Lets requests in to the product.
    func open(_ doors: Doors) { self.doors.withLock { $0 = doors } }

    /// Tells the log that the servers of the stores are away, and why.
    public func waits(for failure: any Error) {
        var line = LogLine(
            "waiting", .warning,
            sentence: "\(failure); until the stores can be reached, pages have no contents and /readyz answers 503")
        line.reason = "\(failure)"
        watch.log.note(line)
    }

    /// Tells the log something that its operator may want to know.
    public func note(_ text: String) {
        var line = LogLine("note")
        line.reason = text
        watch.log.note(line)
    }

    /// Tells the log that a cache is away, and why.
    public func doesWithout(_ cache: any Error) {
        var line = LogLine(
            "uncached", .warning, sentence: "\(cache); until the cache can be reached, everything is read without it")
        line.reason = "\(cache)"
        watch.log.note(line)
    }

    /// Accepts no new connections, and gives requests under way `grace` to end.
    func finish(grace: Duration) async { await server.stop(grace: grace) }

    /// Stops. It accepts no new connections, and gives open ones two seconds to finish.
    public func stop() async {
        watch.drain.endStreams()
        await server.stop(grace: .seconds(2))
        await metrics?.stop()
        watch.log.note(LogLine("stopped"))
        await watch.log.end()
    }
}

/// The answers of a server whose stores have not been opened yet.
private struct EarlyAnswers: Sendable {
    let watch: RequestWatch
    let startedAt: Date

    func admission(of request: ServerRequest, _ gate: Gate) -> ServerAdmission {
        if Operations.isHealthCheck(request) { return .unknown }
        if let refusal = gate.refusal(request) { return .refused(refusal.hardened()) }
        let isPage = !request.path.hasPrefix("/api/") && request.rawPath != "/metrics"
        guard isPage, ["GET", "HEAD"].contains(request.method), request.body.isAbsent else {
            return .refused(Self.notYet.hardened())
        }
        return .unknown
    }

    func answer(_ request: ServerRequest) -> ServerResponse {
        switch request.rawPath {
        case "/healthz": .text("ok\n")
        case "/readyz":
            .text("store: the stores have not answered since the start; the log says why\n", status: 503).hardened()
        default: PageFiles.answer(request).hardened()
        }
    }

    func metrics(_ request: ServerRequest) -> ServerResponse? {
        guard request.rawPath == "/metrics" else {
            return ["/healthz", "/readyz"].contains(request.rawPath) ? answer(request) : nil
        }
        var text = OpenMetricsText()
        Operations.write(isReady: false, to: &text)
        watch.metrics.write(to: &text)
        ProcessFacts.write(to: &text, startedAt: startedAt)
        return .openMetrics(text)
    }

    private static var notYet: ServerResponse {
        var response = ServerResponse.problem(
            503, "starting", "the server cannot reach its stores yet; nothing was changed; try again in a moment")
        response.headers["Retry-After"] = "2"
        return response
    }
}
