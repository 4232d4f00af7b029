import Aquifer
import Foundation
import HTTPServer

/// The questions of whoever runs the service: `/healthz`, `/readyz` and `/metrics`, the log, and the way to an orderly end.
struct Operations: Sendable {
    let services: Services
    let log: ServiceLog
    let drain = Drain()
    let replica = ReplicaName()
    let requests = RequestMetrics()
    let readiness: Readiness
    private let startedAt = Date()

    /// The longest that a part of `/metrics` waits for a store.
    private static let patience = Duration.seconds(2)

    init(_ services: Services, log: ServiceLog) {
        (self.services, self.log) = (services, log)
        let ground = services.groundwork
        readiness = Readiness(drain, changed: { log.note(.readiness($0)) }, look: { await ground.storesAnswer() })
        ground.events.hear { event in if let line = LogLine(event) { log.note(line) } }
    }

    /// Looks at each request and its answer.
    var watch: RequestWatch { RequestWatch(metrics: requests, log: log, drain: drain) }

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
            return ServerResponse(
                headers: ["Content-Type": OpenMetricsText.contentType], body: .bytes(Data(await metrics().utf8)))
        default: return nil
        }
    }

    /// All metrics.
    func metrics() async -> String {
        var text = OpenMetricsText()
        let ready = await readiness.answer()
        text.family("aquifer_ready", .gauge, "1 if the process can serve, else 0.")
        text.sample(ready == .ready ? 1 : 0)
        requests.write(to: &text)
        services.groundwork.engineMetrics.write(to: &text)
        await writeOutbox(to: &text)
        services.groundwork.storeMetrics.write(to: &text)
        ProcessFacts.write(to: &text, startedAt: startedAt)
        return text.finished()
    }

    private func writeOutbox(to text: inout OpenMetricsText) async {
        let outbox = services.outbox
        let items = await firstWithin(Self.patience) {
            do throws(StoreError) { return Result<_, StoreError>.success(try await outbox.items()) } catch {
                return .failure(error)
            }
        }
        // A queue that cannot be read is not told as empty: its samples are missing, and the store's errors are told.
        guard case .success(let items)? = items else { return }
        var counts: [String: Int] = [:]
        for state in ["waiting", "sending", "paused", "refused", "damaged"] { counts[state] = 0 }
        for item in items { counts[item.state.label, default: 0] += 1 }
        text.family("aquifer_outbox_items", .gauge, "Items in the queue, of all processes that share it.")
        for (state, count) in counts.sorted(by: { $0.key < $1.key }) { text.sample(count, [("state", state)]) }
        text.family(
            "aquifer_outbox_oldest_seconds", .gauge, "The age of the oldest item that is to be sent; 0 without one.")
        let waiting = items.filter { ["waiting", "sending"].contains($0.state.label) }
        let oldest = waiting.map(\.queuedAt).min()
        text.sample(oldest.map { max(0, services.configuration.now().timeIntervalSince($0)) } ?? 0)
    }
}

extension Outbox.State {
    /// The state in one word of five.
    fileprivate var label: String {
        switch self {
        case .waiting, .retrying: "waiting"
        case .sending, .sendingElsewhere: "sending"
        case .paused: "paused"
        case .refused: "refused"
        case .damaged: "damaged"
        // These have left the queue, and are in no list of it.
        case .sent, .gone: "sending"
        }
    }
}

extension LogLine {
    /// A change of `/readyz`.
    fileprivate static func readiness(_ answer: Readiness.Answer) -> LogLine {
        switch answer {
        case .ready: LogLine("ready", sentence: "all stores answer: /readyz says so again")
        case .draining: LogLine("draining")
        case .store: LogLine("unready", .error, sentence: "a store does not answer: /readyz says so, with status 503")
        }
    }
}
