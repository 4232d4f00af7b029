import Aquifer
import AquiferFoundation

/// The requests of the feed's contract (`docs/reference/feeds.md`), from the base URL of its server.
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
/// An extension of the contract: an item may also have `"author":{"username"}`, `"created_at":ISO 8601`,
/// `"comment_count"`, in pixels `"width"` and `"height"`, and smaller forms of the picture, `"variants":[{"image":URL,"width"}]`.
/// Each may be absent or `null`; a side alone is no size.
///
/// One bad item rejects the page: a wrong or repeated id, an address that is not `http` or `https`, and also a field of the
/// extension that is there and is not what it should be. So a fault of the remote is told, and no item vanishes by it.
public enum FeedMapper {
    private struct Page: Decodable {
        struct Item: Decodable {
            let id: WrittenUUID
            let description: String?
            let location: String?
            let image: String
            let author: CommentsMapper.Author?
            let created_at: String?  // swift-format-ignore: AlwaysUseLowerCamelCase
            let comment_count: Int?  // swift-format-ignore: AlwaysUseLowerCamelCase
            let width: Int?
            let height: Int?
            let variants: [Variant]?
        }
        struct Variant: Decodable {
            let image: String
            let width: Int
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
            let id = item.id.value
            guard seen.insert(id).inserted else {
                throw InvalidData.body(".items[\(index)].id stands in the page twice")
            }
            return try self.item(item, id, at: ".items[\(index)]")
        }
    }

    private static func item(_ item: Page.Item, _ id: UUID, at place: String) throws -> FeedItem {
        guard let address = LazyURL(item.image), address.isWebAddress else {
            throw InvalidData.body("\(place).image is not an http(s) address")
        }
        let date = item.created_at.flatMap { Date(rfc3339: $0) }
        guard (date == nil) == (item.created_at == nil) else {
            throw InvalidData.body("\(place).created_at is not an ISO 8601 date")
        }
        guard item.comment_count ?? 0 >= 0 else { throw InvalidData.body("\(place).comment_count is below zero") }
        var size: FeedItem.Size?
        if let width = item.width, let height = item.height {
            size = FeedItem.Size(width: width, height: height)
            guard size != nil else { throw InvalidData.body("\(place).width and .height are no size in pixels") }
        }
        return FeedItem(
            id: id, description: item.description, location: item.location, address: address,
            author: item.author?.username, createdAt: date, commentCount: item.comment_count, size: size,
            variants: try variants(item.variants ?? [], at: "\(place).variants"))
    }

    private static func variants(_ variants: [Page.Variant], at place: String) throws -> [FeedItem.Variant] {
        guard variants.count <= FeedItem.mostVariants else {
            throw InvalidData.body("\(place) are more than \(FeedItem.mostVariants)")
        }
        return try variants.enumerated().map { index, variant in
            guard let address = LazyURL(variant.image), address.isWebAddress else {
                throw InvalidData.body("\(place)[\(index)].image is not an http(s) address")
            }
            guard let variant = FeedItem.Variant(address: address, width: variant.width) else {
                throw InvalidData.body("\(place)[\(index)].width is no width in pixels")
            }
            return variant
        }
    }
}

/// Makes comments of `{"items":[{"id","message","created_at":ISO 8601,"author":{"username"}}]}`, with any 2xx.
public enum CommentsMapper {
    /// An author as the contract writes one.
    struct Author: Decodable {
        let username: String
    }

    private struct Page: Decodable {
        struct Item: Decodable {
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

/// A UUID in JSON. Foundation's own decoding scans the text with `sscanf`, which takes a third of the time of decoding a feed.
private struct WrittenUUID: Decodable {
    let value: UUID

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        // Foundation has the last word on every other form.
        guard let value = UUID(usual: text) ?? UUID(uuidString: text) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "Attempted to decode UUID from invalid UUID string."))
        }
        self.value = value
    }
}

extension UUID {
    /// The UUID of a text in its usual form, 8-4-4-4-12 hexadecimal digits; `nil` for any other text.
    init?(usual text: String) {
        var text = text
        var bytes: (UInt64, UInt64) = (0, 0)
        let isUsual = text.withUTF8 { utf8 in
            guard utf8.count == 36 else { return false }
            for (place, byte) in utf8.enumerated() {
                if place == 8 || place == 13 || place == 18 || place == 23 {
                    guard byte == UInt8(ascii: "-") else { return false }
                    continue
                }
                guard let digit = Self.digit(byte) else { return false }
                bytes.0 = bytes.0 << 4 | bytes.1 >> 60
                bytes.1 = bytes.1 << 4 | digit
            }
            return true
        }
        guard isUsual else { return nil }
        self.init(
            uuid: withUnsafeBytes(of: (bytes.0.bigEndian, bytes.1.bigEndian)) { $0.loadUnaligned(as: uuid_t.self) })
    }

    private static func digit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte &- UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte &- UInt8(ascii: "a") &+ 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte &- UInt8(ascii: "A") &+ 10)
        default: nil
        }
    }
}
