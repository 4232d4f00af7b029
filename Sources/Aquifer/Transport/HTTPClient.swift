import AquiferFoundation

/// A client that sends a request to a server and returns its answer.
///
/// - A call returns when the head of the final answer has arrived (1xx skipped), with any status; the body then
///   streams. The client does not retry, store or revalidate.
/// - Redirects are followed only if ``HTTPRequest/followsRedirects`` is true, and a body never goes to another origin.
///   A redirect that is not followed is returned as the answer.
/// - Cancelling the task that waits in `send`, cancelling the one that reads the body, or dropping the body
///   closes the transfer: the server sees the connection end (or the stream reset).
/// - A slow reader slows the sender: a client holds at most a few chunks.
/// - Many tasks may send at once.
/// - A client supports only `http` and `https`. It enforces `request.limits`, and calls `request.onSent`. (The one over
///   URLSession has no limit for connecting alone: see ``HTTPRequest/Limits/connect``.)
///
/// Every client passes `HTTPClientContract` of `AquiferTesting`.
public protocol HTTPClient: Sendable {
    /// Sends a request, and returns the head of its answer and the stream of its body.
    ///
    /// - Throws: ``TransportError``: `.cancelled` when the task was cancelled, otherwise the failure. Once something of a request whose method
    ///   is not safe may have left, on this connection or another one, no failure is one that ``TransportError/Kind/precedesSending``.
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse

    /// True if the client asks ``HTTPRequest/maySend`` when it is connected, before the first byte. By default, it does not. A wrapper
    /// answers as the client behind it.
    var asksBeforeSending: Bool { get }
}

extension HTTPClient {
    /// False: a client says so when it asks.
    public var asksBeforeSending: Bool { false }
}

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

    /// The media type of the answer in lower case, without its parameters: `application/json`. The first one of several counts.
    public var mediaType: String? {
        headers["Content-Type"]?.split { $0 == ";" || $0 == "," }.first.map {
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

extension HTTPResponseHead {
    /// True if the body is compressed although it was not requested so, and its client did not decode it.
    package var isEncoded: Bool { !headers.contentCodings.isEmpty }
}

extension HTTPHeaders {
    /// The codings that a field lists, over all its lines, in lower case, and without `identity`.
    package func codings(_ name: String) -> [String] {
        // Most answers have none: looking for the first is cheaper than listing all.
        guard self[name] != nil else { return [] }
        return values(of: name)
            .flatMap { $0.lowercased().split(separator: ",") }
            .map { $0.trimmedOfSpaces }
            .filter { !["", "identity"].contains($0) }
    }

    /// The codings of the body. Servers write names that are no codings, and change no byte: `aws-chunked` was the form of an upload.
    package var contentCodings: [String] {
        codings("Content-Encoding").filter { !["aws-chunked", "none", "utf-8"].contains($0) }
    }
}

/// The reason why a transfer gave no complete answer.
///
/// Two errors are equal if their kinds are: the detail is the words of one system's library, and decides nothing.
public struct TransportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure, which decides the next step.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The task was cancelled, or the body was dropped.
        case cancelled
        /// There is no network, or the client was set to act as if there were none.
        case offline
        /// The host's name could not be resolved.
        case cannotResolve
        /// No connection could be made: refused, unreachable, the proxy failed. Over `CurlHTTPClient`, also one that was not made in time.
        case cannotConnect
        /// A time limit was reached.
        case timedOut
        /// The connection ended before the answer was complete.
        case interrupted
        /// No secure connection could be made: the certificate or the handshake was not accepted.
        case insecure
        /// The answer broke the rules of HTTP.
        case malformed
        /// The answer had more redirects than the request allows, or one to another scheme.
        case tooManyRedirects
        /// The header fields have more bytes than the request allows.
        case headersTooLarge
        /// The body has more bytes than the caller allows.
        case bodyTooLarge
        /// The client does not support the URL: its scheme is not `http(s)`, or it has no host.
        case unsupportedURL
        /// A piece of the request's body could not be read.
        case unreadableBody
        /// There are no credentials that the server accepts: the user has to log in again. See ``AuthenticatingClient``.
        case unauthorized

        /// True if the request cannot have been carried out: there was no connection, or the server has rejected the
        /// credentials.
        public var precedesSending: Bool {
            switch self {
            case .offline, .cannotResolve, .cannotConnect, .insecure, .unauthorized: true
            case .cancelled, .timedOut, .interrupted, .malformed, .tooManyRedirects, .headersTooLarge, .bodyTooLarge,
                .unsupportedURL, .unreadableBody:
                false
            }
        }
    }

    /// The kind of the failure.
    public var kind: Kind
    /// The details for developers. They never contain a body, a key or a credential.
    public var detail: String

    /// An error of this kind.
    public init(_ kind: Kind, _ detail: String = "") {
        self.kind = kind
        self.detail = detail
    }

    /// True if no complete answer arrived; false if an answer arrived that cannot be used.
    public var isConnectivity: Bool {
        switch kind {
        case .offline, .cannotResolve, .cannotConnect, .timedOut, .interrupted, .insecure: true
        case .cancelled, .malformed, .tooManyRedirects, .headersTooLarge, .bodyTooLarge, .unsupportedURL,
            .unreadableBody, .unauthorized:
            false
        }
    }

    /// The kind, and the detail if there is one.
    public var description: String { detail.isEmpty ? kind.rawValue : "\(kind.rawValue): \(detail)" }

    /// True if the kinds are equal, whatever the details.
    public static func == (one: TransportError, other: TransportError) -> Bool { one.kind == other.kind }

    /// Hashes the kind.
    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

    /// This error of a request of which something may have left before, or that was answered with a redirect: unless the method is safe,
    /// it does not say that nothing was sent.
    package func afterSending(by method: HTTPMethod) -> TransportError {
        guard kind.precedesSending, kind != .unauthorized, !method.isSafe else { return self }
        return TransportError(.interrupted, "it may have been carried out, and then: \(self)")
    }

    /// The task was cancelled.
    public static let cancelled = TransportError(.cancelled)

    /// The body is larger than `limit` bytes.
    public static func bodyTooLarge(limit: Int) -> TransportError {
        TransportError(.bodyTooLarge, "the body is larger than the \(limit) bytes allowed")
    }
}
