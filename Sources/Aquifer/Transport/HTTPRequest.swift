import Foundation

/// A request, as a value.
public struct HTTPRequest: Sendable, Hashable {
    /// A request method (RFC 9110, 9).
    public struct Method: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral {
        /// The token on the request line, in capitals.
        public let rawValue: String
        /// A method of this token.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A method of this token.
        public init(stringLiteral value: String) { self.init(rawValue: value) }
        /// Read.
        public static let get: Method = "GET"
        /// Send.
        public static let post: Method = "POST"
    }

    /// What a client enforces while it carries a request out.
    public struct Limits: Sendable, Hashable {
        /// The longest wait for a connection.
        public var connect: Duration
        /// The longest silence of the other side once connected.
        public var idle: Duration
        /// The longest the whole transfer may take; `nil` for as long as bytes keep coming.
        public var total: Duration?
        /// How many redirects are followed before ``TransportError/Kind/tooManyRedirects``.
        public var redirects: Int
        /// The most bytes of header fields in one answer before ``TransportError/Kind/headersTooLarge``.
        public var headerBytes: Int

        /// 10 s to connect, 30 s of silence, 5 redirects, 64 KiB of header fields, unless told otherwise.
        public init(
            connect: Duration = .seconds(10), idle: Duration = .seconds(30), total: Duration? = nil,
            redirects: Int = 5, headerBytes: Int = 64 << 10
        ) {
            self.connect = connect
            self.idle = idle
            self.total = total
            self.redirects = redirects
            self.headerBytes = headerBytes
        }
    }

    /// The method; ``Method/get`` unless told otherwise.
    public var method: Method
    /// Where to. Only `http` and `https` are carried out, redirects included.
    public var url: URL
    /// The fields to send. A client adds `Host`, `Content-Length` and nothing that changes the meaning.
    public var headers: HTTPHeaders
    /// What to send after the fields.
    public var body: HTTPBody?
    /// What the client enforces.
    public var limits: Limits
    /// Told, while the body goes out, how many bytes of it have been handed over for sending so far.
    ///
    /// Called on any thread, and must be quick. The number grows up to the length of the body, and starts again
    /// from the beginning when the body has to be sent again (a redirect, a connection that had died). It is no
    /// part of what is asked: two requests are equal whoever listens.
    public var onSent: (@Sendable (UInt64) -> Void)? {
        get { listener.onSent }
        set { listener.onSent = newValue }
    }
    private var listener = Listener()

    /// Whoever listens, which makes no request differ from another.
    private struct Listener: Sendable, Hashable {
        var onSent: (@Sendable (UInt64) -> Void)?

        static func == (_: Listener, _: Listener) -> Bool { true }
        func hash(into _: inout Hasher) {}
    }

    /// A request.
    public init(
        _ method: Method = .get, _ url: URL, headers: HTTPHeaders = [:], body: HTTPBody? = nil,
        limits: Limits = Limits(), onSent: (@Sendable (UInt64) -> Void)? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.limits = limits
        self.onSent = onSent
    }
}
