import Foundation

/// The answer of a handler.
public struct ServerResponse: Sendable {
    /// The source of the body. No body is sent to a `HEAD`, nor with 204 and 304.
    public enum Body: Sendable {
        /// Bytes held in memory.
        case bytes(Data)
        /// A slice of a file, in bytes from its start. Sent by the kernel, not read into memory. If the file turns
        /// out to be shorter the connection is cut.
        case file(path: String, offset: UInt64, length: UInt64)
        /// Bytes written as they come to be. `length` is announced if it is known, else the answer is chunked.
        ///
        /// The function runs in the request's task, which is cancelled when the client leaves. If it throws, or
        /// ends short of the announced length, the connection is cut, so that no client takes a part for the whole.
        /// The task is cancelled as well, and writing throws, when this answer could not be sent.
        case stream(length: UInt64?, @Sendable (ServerResponseWriter) async throws -> Void)
    }

    /// The status, 200 to 999; anything else is answered as 500.
    public var status: Int
    /// The header fields. `Content-Length`, `Transfer-Encoding` and `Date` are the server's own. A field without a value is left
    /// out, and one with a line end makes the answer a 500.
    public var headers: HTTPHeaders
    /// The body.
    public var body: Body
    /// Encodes a streamed body of unknown length; `nil` to send it as it is written.
    public var encoder: (any StreamEncoder)?
    /// The objects of ``keep(_:)``.
    private var kept: [any AnyObject & Sendable] = []
    /// True if this is ``drop``.
    public private(set) var isDropped = false

    /// An answer of these parts.
    public init(status: Int = 200, headers: HTTPHeaders = [:], body: Body = .bytes(Data())) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Keeps an object for as long as the answer is: until it was sent, or its client has left.
    public mutating func keep(_ object: any AnyObject & Sendable) { kept.append(object) }

    /// JSON, as it is.
    public static func json(_ data: Data, status: Int = 200) -> ServerResponse {
        ServerResponse(status: status, headers: ["Content-Type": "application/json"], body: .bytes(data))
    }

    /// Plain text in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> ServerResponse {
        ServerResponse(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: .bytes(Data(text.utf8)))
    }

    /// A status without a body.
    public static func empty(_ status: Int = 204) -> ServerResponse {
        ServerResponse(status: status)
    }

    /// A redirect; 303 makes the client ask with `GET`.
    public static func redirect(to location: String, status: Int = 303) -> ServerResponse {
        ServerResponse(status: status, headers: ["Location": location])
    }

    /// Closes the connection without any answer, as if the network had gone.
    public static let drop: ServerResponse = {
        var response = ServerResponse(status: 500)
        response.isDropped = true
        return response
    }()

    /// The whole answer as it is sent without libmicrohttpd. The connection is closed behind it.
    func lastOnConnection(serverName: String?) -> Data {
        guard case .bytes(let body) = body else { return Data() }
        var all = HTTPHeaders()
        all["Date"] = HTTPDate.format(Date())
        all["Connection"] = "close"
        all["Content-Length"] = String(body.count)
        all["Server"] = serverName
        let fields = (all.fields + headers.fields).map { "\($0.name): \($0.value)\r\n" }.joined()
        return Data("HTTP/1.1 \(status) \r\n\(fields)\r\n".utf8) + body
    }

    /// The status' refusal in plain text: what the server itself answers when a limit is passed.
    static func refusal(_ status: Int, _ reason: String) -> ServerResponse {
        .text(reason + "\n", status: status)
    }
}
