import Aquifer
import AquiferImageFeed
import Foundation

/// A feed that is the same in each run.
enum Feed {
    static let request = HTTPRequest(.get, URL(string: "https://example.com/v1/feed") ?? URL(filePath: "/"))

    static func items(_ count: Int) -> [FeedItem] {
        (0..<count).map { index in
            FeedItem(
                id: id(index), description: "Picture \(index): fog over the river, an hour after sunrise.",
                location: "Harbour No. \(index)", image: URL(string: address(index)) ?? URL(filePath: "/"))
        }
    }

    /// The answer of the feed's server.
    static func body(items count: Int) throws -> Data {
        let items = items(count).map { item in
            [
                "id": item.id.uuidString, "description": item.description ?? "", "location": item.location ?? "",
                "image": item.image.absoluteString,
            ]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(["items": items])
    }

    private static func address(_ index: Int) -> String { "https://pictures.example.com/v1/image/\(index).jpeg" }

    private static func id(_ index: Int) -> UUID {
        UUID(uuid: withUnsafeBytes(of: (UInt64(0x4000), UInt64(index).bigEndian)) { $0.load(as: uuid_t.self) })
    }
}

/// A server that gives one answer at once; with a tag, only to those that do not have it.
struct AnsweringClient: HTTPClient {
    private let body: Data
    private let status: Int
    private let etag: String?

    init(_ body: Data, status: Int = 200, etag: String? = nil) {
        (self.body, self.status, self.etag) = (body, status, etag)
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var headers: HTTPHeaders = [:]
        if let etag { headers["ETag"] = etag }
        let isKnown = etag != nil && request.headers["If-None-Match"] == etag
        return HTTPResponse(
            head: HTTPResponseHead(status: isKnown ? 304 : status, headers: headers, url: request.url),
            source: Source(isKnown ? Data() : body))
    }

    /// Read by one reader, one call at a time.
    private final class Source: HTTPBodySource, @unchecked Sendable {
        private var bytes: Data?

        init(_ bytes: Data) { self.bytes = bytes.isEmpty ? nil : bytes }

        func next() async throws(TransportError) -> Data? { bytes.take() }

        func cancel() {}
    }
}
