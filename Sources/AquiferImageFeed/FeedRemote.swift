import Aquifer
import AquiferFoundation

/// The requests of the feed's contract (`reference/feeds.md`), from the base URL of its server.
extension HTTPRequest {
    /// `GET /v1/feed?limit=10[&after_id=UUID]`: the newest items, or those after one.
    public static func feed(_ base: URL, limit: Int = FeedService.pageSize, after last: UUID? = nil) -> HTTPRequest {
        var query = [URLQueryItem(name: "limit", value: "\(limit)")]
        if let last { query.append(URLQueryItem(name: "after_id", value: last.uuidString)) }
        return .json(feedAddress(base).appending(queryItems: query))
    }

    /// The address of the feed, without a query.
    static func feedAddress(_ base: URL) -> URL { base.appending(path: "v1/feed") }

    /// `GET /v1/image/{id}/comments`.
    public static func comments(_ base: URL, image: UUID) -> HTTPRequest {
        .json(base.appending(path: "v1/image/\(image.uuidString)/comments"))
    }

    private static func json(_ url: URL) -> HTTPRequest {
        HTTPRequest(.get, url, headers: ["Accept": "application/json"])
    }
}

/// Makes items of a page: `{"items":[{"id":UUID,"description"?,"location"?,"image":URL}]}`, with status 200 exactly.
///
/// One bad item rejects the page: a wrong or repeated id, an address that is not `http` or `https`.
public enum FeedMapper {
    private struct Page: Decodable {
        struct Item: Decodable {
            let id: UUID
            let description: String?
            let location: String?
            let image: String
        }
        let items: [Item]
    }

    /// The items of an answer, in its order.
    ///
    /// - Throws: `InvalidData` or `DecodingError` when it is not as the contract says.
    public static func map(_ head: HTTPResponseHead, _ body: Data) throws -> [FeedItem] {
        guard head.status == 200 else { throw InvalidData.status(head.status) }
        var seen: Set<UUID> = []
        return try JSONDecoder().decode(Page.self, from: body).items.enumerated().map { index, item in
            guard seen.insert(item.id).inserted else {
                throw InvalidData.body(".items[\(index)].id stands in the page twice")
            }
            guard let image = URL(string: item.image), image.isWebAddress else {
                throw InvalidData.body(".items[\(index)].image is not an http(s) address")
            }
            return FeedItem(id: item.id, description: item.description, location: item.location, image: image)
        }
    }
}

/// Makes comments of `{"items":[{"id","message","created_at":ISO 8601,"author":{"username"}}]}`, with any 2xx.
public enum CommentsMapper {
    private struct Page: Decodable {
        struct Item: Decodable {
            struct Author: Decodable { let username: String }
            let id: UUID
            let message: String
            let created_at: String  // swift-format-ignore: AlwaysUseLowerCamelCase
            let author: Author
        }
        let items: [Item]
    }

    /// The comments of an answer, in its order.
    ///
    /// - Throws: `InvalidData` or `DecodingError` when it is not as the contract says.
    public static func map(_ head: HTTPResponseHead, _ body: Data) throws -> [ImageComment] {
        guard HTTPStatus.isSuccess(head.status) else { throw InvalidData.status(head.status) }
        return try JSONDecoder().decode(Page.self, from: body).items.enumerated().map { index, item in
            guard let date = Date(rfc3339: item.created_at) else {
                throw InvalidData.body(".items[\(index)].created_at is not an ISO 8601 date")
            }
            return ImageComment(
                id: item.id, message: item.message, createdAt: date, author: item.author.username)
        }
    }
}
