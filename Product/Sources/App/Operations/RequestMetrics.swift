import AquiferConcurrency

/// Counts the requests that the server answers.
final class RequestMetrics: Sendable {
    private struct Answered: Hashable {
        let route: RouteClass
        let method: MethodClass
        let status: Int
    }

    private struct State {
        var answered: [Answered: Int] = [:]
        var seconds: [RouteClass: Histogram] = [:]
        var bytes: [RouteClass: Int] = [:]
        var openStreams: [RouteClass: Int] = [:]
    }

    private let state = Locked(State())

    /// Counts an answer, and the time until it began.
    func answered(_ route: RouteClass, _ method: MethodClass, status: Int, after duration: Duration) {
        // No answer has another status; the set of labels stays bounded in any case.
        let status = (100...599).contains(status) ? status : 500
        state.withLock { state in
            state.answered[Answered(route: route, method: method, status: status), default: 0] += 1
            state.seconds[route, default: Histogram()].add(duration / .seconds(1))
        }
    }

    /// Counts the bytes of bodies.
    func sent(_ bytes: Int, _ route: RouteClass) {
        state.withLock { $0.bytes[route, default: 0] &+= bytes }
    }

    /// Counts a stream that begins (1) or ends (-1).
    func streams(_ change: Int, _ route: RouteClass) {
        state.withLock { $0.openStreams[route, default: 0] += change }
    }

    /// Adds all of it to a text.
    func write(to text: inout OpenMetricsText) {
        let state = state.withLock { $0 }
        text.family("aquifer_http_requests", .counter, "Requests that were answered.")
        let rows = state.answered.sorted { "\($0.key)" < "\($1.key)" }
        for (key, count) in rows {
            text.sample(
                count, [("route", key.route.rawValue), ("method", key.method.rawValue), ("status", "\(key.status)")])
        }
        text.family("aquifer_http_request_seconds", .histogram, "The time until an answer began.")
        for (route, histogram) in state.seconds.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            text.sample(histogram, [("route", route.rawValue)])
        }
        text.family(
            "aquifer_http_sent_bytes", .counter,
            "Bytes of the bodies of answers before they are compressed, without those sent from files.")
        for (route, bytes) in state.bytes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            text.sample(bytes, [("route", route.rawValue)])
        }
        text.family("aquifer_http_open_streams", .gauge, "Answers that are being written as they come to be.")
        for route in RouteClass.allCases {
            guard let count = state.openStreams[route] else { continue }
            text.sample(count, [("route", route.rawValue)])
        }
    }
}
