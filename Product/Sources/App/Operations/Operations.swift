import Aquifer
import Foundation
import HTTPServer

/// The questions of whoever runs the service: `/healthz`, `/readyz` and `/metrics`, the log, and the way to an orderly end.
struct Operations: Sendable {
    let services: Services
    /// Looks at each request and its answer.
    let watch: RequestWatch
    let replica = ReplicaName()
    let readiness: Readiness
    private let census: OutboxCensus
    private let rooms: UserRooms?
    private let startedAt = Date()

    /// - Parameters:
    ///   - watch: what has looked at requests until now.
    ///   - rooms: the apps of the users, if the server has several.
    init(_ services: Services, watch: RequestWatch, rooms: UserRooms? = nil) {
        (self.services, self.watch, self.rooms) = (services, watch, rooms)
        let (ground, log, drain) = (services.groundwork, watch.log, watch.drain)
        // The apps of every user who has something unsent are open.
        census = OutboxCensus { [outbox = services.outbox] in await rooms?.outboxes ?? [outbox] }
        readiness = Readiness(
            drain, changed: { log.note(.readiness($0)) },
            look: { [hasUsers = rooms != nil] in await ground.storesAnswer(hasUsers: hasUsers) })
        ground.events.hear { event in if let line = LogLine(event) { log.note(line) } }
        ground.storeMetrics.hear { log.note(.trouble($0)) }
    }

    var log: ServiceLog { watch.log }
    var drain: Drain { watch.drain }

    /// True for a request that is answered to anybody under any name: it tells nothing that a web page could use, and a
    /// health check knows the server by an address only.
    static func isHealthCheck(_ request: ServerRequest) -> Bool {
        ["/healthz", "/readyz"].contains(request.rawPath) && ["GET", "HEAD"].contains(request.method)
            && request.body.isAbsent
    }

    /// The answer to a health check, or to a request for the metrics; `nil` for anything else.
    func answer(_ request: ServerRequest) async -> ServerResponse? {
        switch request.rawPath {
        case "/healthz": return .text("ok\n")
        case "/readyz":
            let answer = await readiness.answer()
            return .text("\(answer.rawValue)\n", status: answer == .ready ? 200 : 503)
        case "/metrics":
            guard ["GET", "HEAD"].contains(request.method) else {
                var refusal = ServerResponse.problem(405, "method", "metrics are only read")
                refusal.headers["Allow"] = "GET, HEAD"
                return refusal
            }
            return .openMetrics(await metrics())
        default: return nil
        }
    }

    /// All metrics.
    func metrics() async -> OpenMetricsText {
        var text = OpenMetricsText()
        Self.write(isReady: await readiness.answer() == .ready, to: &text)
        watch.metrics.write(to: &text)
        services.groundwork.engineMetrics.write(to: &text)
        // A queue that cannot be read is not told as empty: its samples are missing, and the store's errors are told.
        if let counts = await census.counts() {
            counts.write(to: &text, at: services.configuration.now(), hasUsers: rooms != nil)
        }
        services.groundwork.storeMetrics.write(to: &text)
        StoreUse.write(services.groundwork.place.uses, to: &text)
        ProcessFacts.write(to: &text, startedAt: startedAt)
        return text
    }

    static func write(isReady: Bool, to text: inout OpenMetricsText) {
        text.family("aquifer_ready", .gauge, "1 if the process can serve, else 0.")
        text.sample(isReady ? 1 : 0)
    }
}

extension ServerResponse {
    /// Metrics.
    static func openMetrics(_ text: OpenMetricsText) -> ServerResponse {
        ServerResponse(
            headers: ["Content-Type": OpenMetricsText.contentType], body: .bytes(Data(text.finished().utf8)))
    }
}

extension LogLine {
    /// The users cannot be read any more.
    static func users(_ error: UsersError) -> LogLine {
        var line = LogLine("users", .error, sentence: "\(error); nobody is let in meanwhile")
        line.reason = "\(error)"
        return line
    }

    /// A failure of a store.
    fileprivate static func trouble(_ trouble: StoreMetrics.Trouble) -> LogLine {
        let reason = trouble.error.reasonForLog
        var line = LogLine("store", .error, sentence: "the store of \(trouble.store): \(reason)")
        (line.keyClass, line.reason) = (trouble.store, reason)
        return line
    }

    /// A change of `/readyz`.
    fileprivate static func readiness(_ answer: Readiness.Answer) -> LogLine {
        switch answer {
        case .ready: LogLine("ready", sentence: "all stores answer: /readyz says so again")
        case .draining: LogLine("draining")
        case .store: LogLine("unready", .error, sentence: "a store does not answer: /readyz says so, with status 503")
        }
    }
}
