import AquiferFoundation

/// The head of an answer: its status, fields and address.
public struct HTTPResponseHead: Sendable, Hashable {
    /// The status code, 200 … 999.
    public var status: Int
    /// The answer's fields.
    public var headers: HTTPHeaders
    /// The address of the answer, after redirects.
    public var url: URL

    /// A head.
    public init(status: Int, headers: HTTPHeaders = [:], url: URL) {
        self.status = status
        self.headers = headers
        self.url = url
    }

    /// The length in bytes that the answer announces in `Content-Length`: never negative, and `Int.max` for a larger
    /// number; `nil` if the field is missing or has anything but digits (RFC 9110, 8.6).
    public var contentLength: Int? { headers["Content-Length"].flatMap { $0.count() } }

    /// The media type of the answer in lower case, without its parameters: `application/json`.
    public var mediaType: String? {
        headers["Content-Type"]?.split(separator: ";").first.map {
            $0.trimmedOfSpaces.lowercased()
        }
    }
}

/// An answer: its head, and its body as a stream.
public struct HTTPResponse: Sendable {
    /// The head.
    public let head: HTTPResponseHead
    /// The body, which can be read once. Dropping it ends the transfer.
    public let body: HTTPResponseBody

    /// An answer whose body comes from a source.
    public init(head: HTTPResponseHead, source: any HTTPBodySource) {
        self.head = head
        self.body = HTTPResponseBody(source)
    }

    /// The whole body, unless it is larger than `limit` bytes.
    ///
    /// - Throws: ``TransportError``: `.bodyTooLarge` as soon as the head announces, or the body brings, more than
    ///   `limit` bytes; `.interrupted` when the body ends early.
    public func data(upTo limit: Int) async throws(TransportError) -> Data {
        if let announced = head.contentLength, announced > limit {
            throw .bodyTooLarge(limit: limit)
        }
        var all = Data()
        while let chunk = try await body.next() {
            guard all.count + chunk.count <= limit else { throw .bodyTooLarge(limit: limit) }
            if all.isEmpty { all = chunk } else { all.append(chunk) }
        }
        return all
    }
}

/// The source of the chunks of a body. Clients implement it, with one object for each transfer.
public protocol HTTPBodySource: AnyObject, Sendable {
    /// The next chunk, never empty; `nil` at the end. Called by one reader at a time.
    ///
    /// When the calling task is cancelled, the call ends the transfer and throws `.cancelled`.
    func next() async throws(TransportError) -> Data?

    /// Ends the transfer. May be called at any time, from any thread, more than once, and after the end.
    func cancel()
}

/// A body as it arrives, chunk by chunk, with back-pressure. Dropping it ends the transfer.
public struct HTTPResponseBody: Sendable, AsyncSequence {
    /// Cancels the transfer with the last copy of the body.
    private final class Lease: Sendable {
        let source: any HTTPBodySource
        init(_ source: any HTTPBodySource) { self.source = source }
        deinit { source.cancel() }
    }

    private let lease: Lease

    init(_ source: any HTTPBodySource) {
        lease = Lease(source)
    }

    /// The next chunk; `nil` at the end.
    public func next() async throws(TransportError) -> Data? {
        try await lease.source.next()
    }

    /// Iterates over the chunks that have not been read yet.
    public func makeAsyncIterator() -> Iterator { Iterator(body: self) }

    /// An iterator over a body.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let body: HTTPResponseBody

        /// The next chunk; `nil` at the end.
        public mutating func next() async throws(TransportError) -> Data? {
            try await body.next()
        }

        /// The next chunk; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(TransportError) -> Data? {
            try await body.next()
        }
    }
}
