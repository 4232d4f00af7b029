import Aquifer
import AquiferImageFeed
import AquiferSQLite
import Foundation

/// One more page of a long list, as its user scrolls. A page has 20 items, and the server answers at once.
final class PageBench {
    private static let size = 20

    private let store: SQLiteStore
    private var lists = 0

    init(folder: URL) throws {
        store = try SQLiteStore(file: folder.appending(path: "pages.sqlite"))
    }

    /// The seconds until a page is appended and saved, when the list has one of these numbers of pages: the median of the eleven
    /// appends around it.
    func run(_ work: String, _ lengths: [Int]) async throws -> [Double] {
        lists += 1
        switch work {
        case "paged": return try await paged(lengths)
        case "whole": return try await whole(lengths)
        default: throw Bench.Unknown(words: [work])
        }
    }

    private func paged(_ lengths: [Int]) async throws -> [Double] {
        let key = "paged-\(lists)"
        let list = PagedResource<FeedItem>(
            key: key, in: store,
            first: HTTPRequest(.get, URL(string: "https://example.com/feed") ?? URL(filePath: "/")),
            next: .cursor("cursor") { _, body in "\(try Self.number(body) + 1)" }, client: PageClient(),
            codec: .binary, id: \.id
        ) { _, body in Self.items(try Self.number(body)) }
        var loaded = try await list.load()
        var seconds: [Double] = [0]
        for _ in 1..<(lengths.max() ?? 1) + 6 {
            let start = ContinuousClock.now
            loaded = try await list.loadMore()
            seconds.append((ContinuousClock.now - start) / .seconds(1))
        }
        guard loaded.saveError == nil, loaded.value.items.count == seconds.count * Self.size else {
            throw Bench.Unknown(words: ["\(loaded.value.items.count) items in \(seconds.count) pages"])
        }
        try await store.deleteAll(prefix: key)
        return lengths.map { length in
            let around = seconds[max(1, length - 5)..<length + 6].sorted()
            return around[around.count / 2]
        }
    }

    /// The list without pages: one entry, which each append reads and writes.
    private func whole(_ lengths: [Int]) async throws -> [Double] {
        let cache = Cache<[FeedItem]>(key: "whole", in: store, codec: .binary)
        var medians: [Double] = []
        for length in lengths {
            try await cache.save((0..<length).flatMap(Self.items))
            var seconds: [Double] = []
            for number in 0..<3 {
                let start = ContinuousClock.now
                try await cache.amend { $0 + Self.items(length + number) }
                seconds.append((ContinuousClock.now - start) / .seconds(1))
            }
            medians.append(seconds.sorted()[1])
        }
        return medians
    }

    private static func number(_ body: Data) throws -> Int {
        guard let number = Int(String(decoding: body, as: UTF8.self)) else { throw Bench.Unknown(words: ["no page"]) }
        return number
    }

    @Sendable private static func items(_ page: Int) -> [FeedItem] {
        (0..<size).map { index in
            let number = page * size + index
            let id = withUnsafeBytes(of: (UInt64(0x4000), UInt64(number).bigEndian)) { $0.load(as: uuid_t.self) }
            return FeedItem(
                id: UUID(uuid: id), description: "Picture \(number): fog over the river, an hour after sunrise.",
                location: "Harbour No. \(number)",
                image: URL(string: "https://pictures.example.com/\(number).jpeg")
                    ?? URL(filePath: "/"))
        }
    }
}

/// A server that answers at once, with the number of the page that was asked for.
private struct PageClient: HTTPClient {
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let number = request.url.query?.split(separator: "=").last.map(String.init) ?? "0"
        return HTTPResponse(head: HTTPResponseHead(status: 200, url: request.url), source: Body(Data(number.utf8)))
    }

    /// Read by one reader, one call at a time.
    private final class Body: HTTPBodySource, @unchecked Sendable {
        private var bytes: Data?

        init(_ bytes: Data) { self.bytes = bytes }

        func next() async throws(TransportError) -> Data? { bytes.take() }

        func cancel() {}
    }
}
