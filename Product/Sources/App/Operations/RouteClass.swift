import HTTPServer

/// The kind of thing that a request asks for, as metrics and the log name it. A class never has a part of the address that is
/// somebody's own.
enum RouteClass: String, CaseIterable, Sendable {
    /// The one page, under any address.
    case page
    /// Scripts, styles, icons and texts of the pages.
    case asset
    /// A stream of a screen's states.
    case events
    /// An action of a user on a screen.
    case intents
    /// A picture or an avatar.
    case picture
    /// The sound of a clip.
    case sound
    /// A file of the drive.
    case file
    /// A file that a page uploads.
    case upload
    /// The feed as JSON.
    case feed
    /// All other parts of the API.
    case api
    /// The questions of whoever runs the service.
    case health, metrics
    /// A request whose head could not be read.
    case unread

    /// The class of a request.
    init(_ request: ServerRequest) {
        // Only the first four parts name a class.
        let parts = request.rawPath.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 4).map(Substring.init)
        switch parts.first {
        case "healthz", "readyz": self = .health
        case "metrics": self = .metrics
        case "assets", "favicon.ico": self = .asset
        case "api": self = Self.api(parts.dropFirst(), request.method)
        default: self = .page
        }
    }

    private static func api(_ parts: ArraySlice<Substring>, _ method: HTTPMethod) -> RouteClass {
        if parts.first == "feed" { return .feed }
        guard parts.first == "screens", parts.count >= 3 else { return .api }
        switch parts[parts.startIndex + 2] {
        case "events": return .events
        case "intents": return .intents
        case "images": return .picture
        case "clips": return .sound
        case "files": return .file
        case "file": return method == "POST" ? .upload : .file
        default: return .api
        }
    }
}

/// The methods that are told apart.
enum MethodClass: String, CaseIterable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
    case other = "other"

    init(_ method: HTTPMethod) { self = Self(rawValue: method.rawValue) ?? .other }
}
