import Aquifer
import AquiferFoundation

/// The requests of the feed's contract (`reference/feeds.md`), from the base URL of its server.
extension HTTPRequest {
    /// `GET /v1/feed?limit=10[&after_id=UUID]`: the newest items, or those after one.
    public static func feed(_ base: URL, limit: Int = FeedService.pageSize, after last: UUID? = nil) -> HTTPRequest {
        var query = [URLQueryItem(name: "limit", value: "\(limit)")]
        if let last { query.append(URLQueryItem(name: "after_id", value: last.uuidString)) }
        return .json(base.appending(path: "v1/feed").appending(queryItems: query))
    }

    /// `GET /v1/image/{id}/comments`.
    public static func comments(_ base: URL, image: UUID) -> HTTPRequest {
        .json(base.appending(path: "v1/image/\(image.uuidString)/comments"))
    }

    private static func json(_ url: URL) -> HTTPRequest {
        HTTPRequest(.get, url, headers: ["Accept": "application/json"])
    }
}
