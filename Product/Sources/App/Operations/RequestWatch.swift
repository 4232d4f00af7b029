import AquiferConcurrency
import Foundation
import HTTPServer

/// Looks at each request and its answer: counts them, logs them, gives them a name, and ends the stream of events of a server that
/// drains.
struct RequestWatch: Sendable {
    let metrics = RequestMetrics()
    let log: ServiceLog
    let drain = Drain()

    /// The header of a request's name, in requests (from a proxy) and in answers.
    static let idHeader = "X-Request-Id"

    /// Tells of a request that was refused by its head, and returns the answer to it.
    ///
    /// - Parameter request: the request; `nil` if its head could not be read.
    func refused(_ request: ServerRequest?, _ response: ServerResponse) -> ServerResponse {
        let seen = request.map(Seen.init) ?? Seen()
        metrics.answered(seen.route, seen.method, status: response.status, after: .zero)
        seen.log(response.status, bytes: 0, to: log)
        return seen.named(response)
    }

    /// Answers a request with `handler`.
    func answer(
        _ request: ServerRequest, _ handler: @Sendable (ServerRequest) async -> ServerResponse
    ) async -> ServerResponse {
        let seen = Seen(request)
        var response = seen.named(await handler(request))
        metrics.answered(seen.route, seen.method, status: response.status, after: .now - seen.begin)
        // The client then asks again over a new connection, which a load balancer gives to somebody else.
        if drain.isAnnounced { response.headers["Connection"] = "close" }
        guard case .stream(let length, let produce) = response.body, request.method != "HEAD" else {
            let bytes = response.lengthInMemory
            metrics.sent(bytes, seen.route)
            seen.log(response.status, bytes: bytes, to: log)
            return response
        }
        let isEndless = seen.route == .events
        let status = response.status
        response.body = .stream(length: length) { writer in
            metrics.streams(1, seen.route)
            let sent = Locked(0)
            defer {
                metrics.streams(-1, seen.route)
                seen.log(status, bytes: sent.withLock { $0 }, to: log)
            }
            let counting = ServerResponseWriter { data throws(ServerStreamError) in
                try await writer.write(data)
                sent.withLock { $0 &+= data.count }
                metrics.sent(data.count, seen.route)
            }
            if isEndless {
                try await drain.running { try await produce(counting) }
            } else {
                try await produce(counting)
            }
        }
        return response
    }

    /// A request, as it is told.
    private struct Seen: Sendable {
        let route: RouteClass
        let method: MethodClass
        let id: String
        let begin = ContinuousClock.now

        /// A request whose head could not be read.
        init() { (route, method, id) = (.unread, .other, RequestName.next()) }

        init(_ request: ServerRequest) {
            route = RouteClass(request)
            method = MethodClass(request.method)
            id = request.headers[RequestWatch.idHeader].flatMap(Self.sound) ?? RequestName.next()
        }

        /// The name that a proxy gave; `nil` if it could be something else than a name.
        private static func sound(_ id: String) -> String? {
            let isSound =
                (8...64).contains(id.utf8.count)
                && id.allSatisfy { $0.isASCII && ($0.isHexDigit || $0 == "-") }
            return isSound ? id : nil
        }

        func named(_ response: ServerResponse) -> ServerResponse {
            var response = response
            response.headers[RequestWatch.idHeader] = id
            return response
        }

        func log(_ status: Int, bytes: Int, to log: ServiceLog) {
            // They come every few seconds, and say the same. A change of `/readyz` has a line of its own.
            if route == .health || route == .metrics, status < 400 || status == 503 { return }
            var line = LogLine("request", status >= 500 ? .error : status >= 400 ? .warning : .info)
            (line.id, line.method, line.route) = (id, method.rawValue, route.rawValue)
            (line.status, line.bytes) = (status, bytes)
            line.milliseconds = Int((ContinuousClock.now - begin) / .milliseconds(1))
            log.note(line)
        }
    }
}

extension ServerResponse {
    /// The length of a body that is at hand; 0 for a stream.
    fileprivate var lengthInMemory: Int {
        switch body {
        case .bytes(let data): data.count
        case .file(_, _, let length): Int(clamping: length)
        case .stream: 0
        }
    }
}
