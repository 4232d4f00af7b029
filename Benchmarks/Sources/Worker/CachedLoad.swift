import Aquifer
import AquiferImageFeed
import AquiferSQLite
import Foundation

/// A saved feed of so many items, kept in three ways. Each is loaded from the disk to values in memory.
final class CachedLoad {
    /// A feed item that suits `JSONDecoder` best.
    struct Item: Codable {
        var id: UUID
        var description: String?
        var location: String?
        var image: URL
    }

    /// The file that people write by hand: the value and its time in JSON.
    struct File: Codable {
        var savedAt: Date
        var items: [Item]
    }

    private let items: Int
    private let store: SQLiteStore
    private let cache: Cache<[FeedItem]>
    private let resource: Resource<[FeedItem]>
    private let json: Data
    private let file: URL

    init(items: Int, folder: URL) async throws {
        self.items = items
        let feed = (0..<items).map(Self.item)
        store = try SQLiteStore(file: folder.appending(path: "cached-\(items).sqlite"))
        cache = Cache(key: "feed", in: store, codec: .binary)
        let nowhere = HTTPRequest(.get, URL(filePath: "/"))
        resource = Resource(
            remote: RemoteLoader(nowhere, client: NoClient(), map: { _, _ in [] }), cache: cache)
        try await cache.save(feed)
        let plain = feed.map { Item(id: $0.id, description: $0.description, location: $0.location, image: $0.image) }
        json = try JSONEncoder().encode(plain)
        file = folder.appending(path: "cached-\(items).json")
        try JSONEncoder().encode(File(savedAt: Date(), items: plain)).write(to: file, options: .atomic)
    }

    /// The seconds of a load; for `memory`, two shares of the bytes of the saved entry.
    func run(_ way: String, _ count: Int) async throws -> [Double] {
        switch way {
        case "resource":
            [try await secondsEach(count) { try check(try await resource.saved()?.value.count) }]
        case "decoder":
            [try await secondsEach(count) { try check(try JSONDecoder().decode([Item].self, from: json).count) }]
        case "file":
            [
                try await secondsEach(count) {
                    let saved = try JSONDecoder().decode(File.self, from: try Data(contentsOf: file))
                    try check(abs(saved.savedAt.timeIntervalSinceNow) < 7 * 86_400 ? saved.items.count : nil)
                }
            ]
        case "memory": try await memory()
        default: throw Bench.Unknown(words: [way])
        }
    }

    /// The memory of one load at its peak, the items included, and that of the items alone, in bytes of the saved entry.
    private func memory() async throws -> [Double] {
        guard let size = try await store.retrieve("feed")?.bytes.count else {
            throw Bench.Unknown(words: ["nothing is saved"])
        }
        let memory = try await MemoryPeak.beyondRest { () async throws -> [FeedItem] in
            let items = try await resource.saved()?.value
            try check(items?.count)
            return items ?? []
        }
        return [memory.peak / Double(size), memory.rest / Double(size)]
    }

    private func check(_ count: Int?) throws {
        guard count == items else { throw Bench.Unknown(words: ["\(count ?? -1) items instead of \(items)"]) }
    }

    /// An item as the feed's contract brings it: a description of 60 characters, a location of 20, and an address.
    private static func item(_ index: Int) -> FeedItem {
        let number = String(index + 100_000)
        return FeedItem(
            id: UUID(), description: "Picture \(number): fog over the river, an hour after sunrise.",
            location: "Harbour No. \(number)\u{E9}",
            image: URL(string: "https://pictures.example.com/v1/image/\(number).jpeg") ?? URL(filePath: "/"))
    }
}

/// The remote is never asked: only saved values are loaded here.
struct NoClient: HTTPClient {
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        throw TransportError(.offline, "a benchmark of saved copies")
    }
}
