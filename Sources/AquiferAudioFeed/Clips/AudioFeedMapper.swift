import Aquifer
import AquiferFoundation

/// Makes clips of the remote's answers (`docs/reference/feeds.md`):
/// `{"items":[{"id","title","author"?,"duration","created_at":ISO 8601,"audio":URL,"waveform"?:[0…1]}]}`.
///
/// One bad item rejects the list: a wrong or repeated id, an address that is not `http` or `https`, a date that is none,
/// a duration below zero, a waveform outside 0 … 1.
public enum AudioFeedMapper {
    private struct Page: Decodable {
        let items: [Item]
    }

    private struct Item: Decodable {
        let id: UUID
        let title: String
        let author: String?
        let duration: Double
        let created_at: String  // swift-format-ignore: AlwaysUseLowerCamelCase
        let audio: String
        let waveform: [Double]?
    }

    /// The clips of an answer with status 200, in its order.
    ///
    /// - Throws: `InvalidData` or `DecodingError` when it is not as the contract says.
    public static func clips(_ head: HTTPResponseHead, _ body: Data) throws -> [AudioClip] {
        guard head.status == 200 else { throw InvalidData.status(head.status) }
        var seen: Set<UUID> = []
        return try JSONDecoder().decode(Page.self, from: body).items.enumerated().map { index, item in
            guard seen.insert(item.id).inserted else {
                throw InvalidData.body(".items[\(index)].id stands in the list twice")
            }
            return try clip(item, at: ".items[\(index)]")
        }
    }

    /// The clip that a post was answered with: status 201, or any other 2xx.
    ///
    /// - Throws: `InvalidData` or `DecodingError` when it is not as the contract says.
    public static func posted(_ head: HTTPResponseHead, _ body: Data) throws -> AudioClip {
        guard HTTPStatus.isSuccess(head.status) else { throw InvalidData.status(head.status) }
        return try clip(try JSONDecoder().decode(Item.self, from: body), at: "the document")
    }

    private static func clip(_ item: Item, at place: String) throws -> AudioClip {
        guard let audio = URL(foreign: item.audio), audio.isWebAddress else {
            throw InvalidData.body("\(place).audio is not an http(s) address")
        }
        guard let date = Date(rfc3339: item.created_at) else {
            throw InvalidData.body("\(place).created_at is not an ISO 8601 date")
        }
        guard item.duration >= 0, item.duration.isFinite else {
            throw InvalidData.body("\(place).duration is not a time in seconds")
        }
        let waveform = item.waveform ?? []
        guard waveform.allSatisfy({ (0...1).contains($0) }) else {
            throw InvalidData.body("\(place).waveform is not all between 0 and 1")
        }
        return AudioClip(
            id: item.id, title: item.title, author: item.author, duration: item.duration, createdAt: date, audio: audio,
            waveform: waveform)
    }
}
