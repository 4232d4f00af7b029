// The start line of a message (RFC 9112, 2.1): a request has a method, and an answer has a status.

/// A request method (RFC 9110, 9).
public struct HTTPMethod: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The token on the request line. Methods are case-sensitive.
    public let rawValue: String
    /// A method of this token.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A method of this token.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    /// The token.
    public var description: String { rawValue }

    /// The `GET` method, which reads.
    public static let get: HTTPMethod = "GET"
    /// The `HEAD` method, which reads without a body.
    public static let head: HTTPMethod = "HEAD"
    /// The `POST` method, which sends.
    public static let post: HTTPMethod = "POST"

    /// True if a request of this method changes nothing on the server: `GET`, `HEAD`, `OPTIONS` and `TRACE` (RFC 9110,
    /// 9.2.1). An unknown method may change something.
    public var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(rawValue) }

    /// True if repeating a request of this method has no further effect (RFC 9110, 9.2.2). It is false for an unknown
    /// method.
    public var isIdempotent: Bool { isSafe || rawValue == "PUT" || rawValue == "DELETE" }
}

/// The classes of status codes (RFC 9110, 15).
public enum HTTPStatus {
    /// True if the request succeeded: 200 … 299.
    public static func isSuccess(_ status: Int) -> Bool { (200...299).contains(status) }

    /// True if the answer leads to another address, to which a client may repeat the request: 301, 302, 303, 307, 308.
    public static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// True if the server failed to carry out a valid request: 500 … 599.
    public static func isServerError(_ status: Int) -> Bool { (500...599).contains(status) }
}
