/// The values of the `:name` parts of a route's pattern, decoded.
public struct RouteParameters: Sendable {
    let values: [(name: String, value: String)]

    /// The value of a parameter, or `nil` if the pattern has none of this name.
    public subscript(_ name: String) -> String? { values.first { $0.name == name }?.value }
}

/// Finds the handler for a method and a path.
///
/// ```swift
/// var router = Router()
/// router.on("GET", "/v1/image/:id/comments") { request, parameters in .text(parameters["id"] ?? "") }
/// let server = try HTTPServer(handler: router.handle)
/// ```
///
/// A pattern is made of literal segments, `:name` for any one segment that is not empty, and a last `*name` for all
/// the rest. If two patterns match, the one that is literal earlier wins, then the one added first. A `HEAD` is
/// answered by the `GET` handler, unless it has its own. A path that only other methods have gets 405 with `Allow`,
/// any other goes to ``fallback``.
public struct Router: Sendable {
    /// Answers a request that matched a route.
    public typealias Handler = @Sendable (ServerRequest, RouteParameters) async -> ServerResponse

    /// Answers when no route has the path: 404 unless set.
    public var fallback: ServerHandler = { _ in .refusal(404, "not found") }

    private var routes: [Route] = []
    /// The handlers of patterns that are one path, by path and method. No pattern precedes such a one.
    private var exact: [String: [HTTPMethod: Handler]] = [:]

    /// A router without routes.
    public init() {}

    /// Adds a route.
    public mutating func on(_ method: HTTPMethod, _ pattern: String, _ handler: @escaping Handler) {
        let route = Route(method: method, pattern: Self.segments(of: pattern).map(Route.Segment.init), handler: handler)
        // Kept in order of precedence, so that the first match is the best one.
        let position = routes.firstIndex { route.precedes($0) } ?? routes.endIndex
        routes.insert(route, at: position)
        if route.isLiteral, exact[pattern]?[method] == nil { exact[pattern, default: [:]][method] = handler }
    }

    /// The method and the pattern of every route, in order of precedence.
    public var patterns: [(method: HTTPMethod, pattern: String)] {
        routes.map { ($0.method, "/" + $0.pattern.map(\.text).joined(separator: "/")) }
    }

    /// Answers a request by its route.
    public func handle(_ request: ServerRequest) async -> ServerResponse {
        if let handler = exact[request.rawPath]?[request.method] {
            return await handler(request, RouteParameters(values: []))
        }
        let path = Path(segments: Self.segments(of: request.rawPath))
        var methods: [String] = []
        var answeringHead: (Route, RouteParameters)?
        for route in routes {
            guard let parameters = route.match(path) else { continue }
            if route.method == request.method { return await route.handler(request, parameters) }
            if route.method == "GET", request.method == "HEAD", answeringHead == nil {
                answeringHead = (route, parameters)
            }
            methods.append(route.method.rawValue)
        }
        if let (route, parameters) = answeringHead { return await route.handler(request, parameters) }
        guard !methods.isEmpty else { return await fallback(request) }
        if methods.contains("GET") { methods.append("HEAD") }
        var response = ServerResponse.refusal(405, "method not allowed")
        response.headers["Allow"] = Set(methods).sorted().joined(separator: ", ")
        return response
    }

    private static func segments(of path: String) -> [Substring] {
        // Bytes, not characters: a slash that a combining mark follows is a slash.
        let slash = UInt8(ascii: "/")
        return path.utf8.drop { $0 == slash }.split(separator: slash, omittingEmptySubsequences: false)
            .map(Substring.init)
    }
}

/// A request's path, taken apart and then decoded, once for all routes.
private struct Path {
    let raw: [Substring]
    let decoded: [String]
    var count: Int { raw.count }

    init(segments: [Substring]) {
        raw = segments
        decoded = segments.map { PercentEncoding.decode($0) }
    }
}

private struct Route: Sendable {
    enum Segment: Sendable {
        case literal(String)
        case parameter(String)
        case rest(String)

        init(_ text: Substring) {
            switch text.first {
            case ":": self = .parameter(String(text.dropFirst()))
            case "*": self = .rest(String(text.dropFirst()))
            default: self = .literal(String(text))
            }
        }

        /// The segment as it stands in the pattern.
        var text: String {
            switch self {
            case .literal(let text): text
            case .parameter(let name): ":" + name
            case .rest(let name): "*" + name
            }
        }

        var rank: Int {
            switch self {
            case .literal: 0
            case .parameter: 1
            case .rest: 2
            }
        }
    }

    let method: HTTPMethod
    let pattern: [Segment]
    let handler: Router.Handler

    /// True if the pattern has one path only.
    var isLiteral: Bool { pattern.allSatisfy { $0.rank == 0 } }

    func precedes(_ other: Route) -> Bool {
        pattern.map(\.rank).lexicographicallyPrecedes(other.pattern.map(\.rank))
    }

    /// Matched segment by segment as they were *before* decoding: an escaped slash cannot move into another route.
    func match(_ path: Path) -> RouteParameters? {
        var values: [(name: String, value: String)] = []
        for (index, segment) in pattern.enumerated() {
            switch segment {
            case .literal(let text):
                guard index < path.count, path.decoded[index] == text else { return nil }
            case .parameter(let name):
                guard index < path.count, !path.decoded[index].isEmpty else { return nil }
                values.append((name, path.decoded[index]))
            case .rest(let name):
                values.append((name, path.raw.dropFirst(index).joined(separator: "/")))
                return RouteParameters(values: values)
            }
        }
        return pattern.count == path.count ? RouteParameters(values: values) : nil
    }
}
