import Foundation
import HTTPServer

/// The image feed's contract (`docs/reference/feeds.md`): pages of items, comments, pictures with ETag and Range.
///
/// An extension of the contract: its items have author, date, number of comments, size and smaller variants, which another remote may leave out.
struct ReferenceFeed: Sendable {
    private struct Item: Decodable {
        struct Comment: Decodable {
            let id: UUID
            let message: String
            let author: String
            let minutes_ago: Double  // swift-format-ignore: AlwaysUseLowerCamelCase
        }
        struct Variant: Decodable {
            let picture: String
            let width: Int
        }
        let id: UUID
        let description: String?
        let location: String?
        let picture: String
        let variants: [Variant]
        let width: Int
        let height: Int
        let author: String
        let minutes_ago: Double  // swift-format-ignore: AlwaysUseLowerCamelCase
        let comments: [Comment]
    }

    private let items: [Item]
    private let pictures: [String: Data]
    private let now: Date

    init(media: Media, now: Date) throws {
        let items = try JSONDecoder().decode([Item].self, from: try media.data("feed.json"))
        self.items = items
        let names = items.flatMap { [$0.picture] + $0.variants.map(\.picture) }
        pictures = Dictionary(uniqueKeysWithValues: try names.map { ($0, try media.data("pictures/\($0)")) })
        self.now = now
    }

    var handler: ServerHandler {
        var router = Router()
        router.on("GET", "/feed/v1/feed") { request, _ in page(request) }
        router.on("GET", "/feed/v1/image/:id/comments") { request, parameters in
            comments(request, of: parameters["id"] ?? "")
        }
        router.on("GET", "/feed/pictures/:name") { request, parameters in
            picture(request, named: parameters["name"] ?? "")
        }
        return router.handle
    }

    private func page(_ request: ServerRequest) -> ServerResponse {
        let limitText = request.queryValue("limit") ?? "10"
        guard let limit = Int(limitText), (1...1000).contains(limit) else {
            return .error(400, "limit must be a number from 1 to 1000, not \"\(limitText)\"")
        }
        var rest = items[...]
        if let after = request.queryValue("after_id") {
            guard let index = items.firstIndex(where: { $0.id == UUID(uuidString: after) }) else {
                return .error(400, "after_id must be the id of an item, not \"\(after)\"")
            }
            rest = items[(index + 1)...]
        }
        // The pictures have the host that the client used.
        let host = request.headers["Host"] ?? "127.0.0.1"
        // Posts count from the full hour: the validators of a page stay good when the server is started again.
        let hour = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 3600).rounded(.down) * 3600)
        let page = rest.prefix(limit).map { item -> [String: Any] in
            let date = hour.addingTimeInterval(-item.minutes_ago * 60)
            var fields: [String: Any] = [
                "id": item.id.uuidString, "image": "http://\(host)/feed/pictures/\(item.picture)",
                "author": ["username": item.author], "created_at": written(date, form: 0),
                "comment_count": item.comments.count, "width": item.width, "height": item.height,
            ]
            fields["variants"] = item.variants.map { variant -> [String: Any] in
                ["image": "http://\(host)/feed/pictures/\(variant.picture)", "width": variant.width]
            }
            fields["description"] = item.description
            fields["location"] = item.location
            return fields
        }
        return json(["items": page], for: request)
    }

    private func comments(_ request: ServerRequest, of id: String) -> ServerResponse {
        guard let item = items.first(where: { $0.id == UUID(uuidString: id) }) else {
            return .error(404, "there is no picture with the id \"\(id)\"")
        }
        let comments = item.comments.enumerated().map { index, comment -> [String: Any] in
            let date = now.addingTimeInterval(-comment.minutes_ago * 60)
            return [
                "id": comment.id.uuidString, "message": comment.message, "created_at": written(date, form: index),
                "author": ["username": comment.author],
            ]
        }
        return json(["items": comments], for: request)
    }

    /// A date in one of the contract's forms: with `Z`, `+00:00` or `+0000`.
    private func written(_ date: Date, form: Int) -> String {
        let zones = ["Z", "+00:00", "+0000"]
        return date.formatted(.iso8601).dropLast() + zones[form % zones.count]
    }

    private func picture(_ request: ServerRequest, named name: String) -> ServerResponse {
        guard let data = pictures[name] else { return .error(404, "there is no picture \"\(name)\"") }
        // A picture never changes under its name: name and size tell versions of the package apart.
        return .resource(data, contentType: "image/jpeg", etag: "\(name)-\(data.count)", for: request)
    }

    private func json(_ object: [String: Any], for request: ServerRequest) -> ServerResponse {
        do {
            let data = try JSONSerialization.data(
                withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
            return .resource(data, contentType: "application/json", etag: ETag.of(data), for: request)
        } catch {
            return .error(500, "the answer could not be written")
        }
    }
}
