import AquiferFoundation

/// An HTTP request as a value.
public struct HTTPRequest: Sendable, Hashable {
    /// The limits that a client enforces while it carries out a request.
    public struct Limits: Sendable, Hashable, Codable {
        /// The longest wait for a connection. `URLSessionHTTPClient` does not enforce it: URLSession does not tell connecting
        /// from waiting, and ``idle`` is the limit of both there.
        public var connect: Duration
        /// The longest silence of the other side once connected. It is not silent while its system confirms bytes of the request's body. The
        /// silence of an upload is noticed late, by up to a quarter of this time.
        public var idle: Duration
        /// The longest duration of the whole transfer; `nil` for no limit while bytes keep arriving.
        public var total: Duration?
        /// The maximum number of redirects before ``TransportError/Kind/tooManyRedirects``.
        public var redirects: Int
        /// The maximum length of the header fields of one answer in bytes, before
        /// ``TransportError/Kind/headersTooLarge``.
        public var headerBytes: Int

        /// Creates limits. The defaults are 10 s to connect, 30 s of silence, 5 redirects, and 64 KiB of header fields.
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

    /// The method; by default, `GET`.
    public var method: HTTPMethod
    /// The address. Only `http` and `https` are supported, also in redirects.
    public var url: URL
    /// The fields to send. A client adds `Host`, `Content-Length` and only fields that do not change the meaning.
    public var headers: HTTPHeaders
    /// The body to send after the fields.
    public var body: HTTPBody?
    /// The limits that the client enforces.
    public var limits: Limits
    /// True if the client follows redirects; otherwise it returns a 3xx answer as it is.
    ///
    /// By default the method decides: requests with a safe method are redirected (`HTTPMethod.isSafe`), all others are
    /// not. A server may carry out a request before it redirects it. The server at the other address does not know of
    /// that, and its answer would be taken for the outcome.
    ///
    /// Even when this is true, a body never goes to another origin: a redirect that would send it there is returned as
    /// it is.
    public var followsRedirects: Bool {
        get { redirectChoice ?? method.isSafe }
        set { redirectChoice = newValue == method.isSafe ? nil : newValue }
    }
    /// `nil` for the default of the method, so that requests that act the same are equal.
    private var redirectChoice: Bool?
    /// True if this request follows a redirect.
    private var wasRedirected = false
    /// Receives the number of bytes of the body that have been handed over for sending so far.
    ///
    /// It is called on any thread, and must be quick. The number grows up to the length of the body, and starts again
    /// at the beginning when the body has to be sent again (a redirect, a dead connection). It does not count in
    /// comparisons: two requests with different closures are equal.
    public var onSent: (@Sendable (UInt64) -> Void)? {
        get { listener.onSent }
        set { listener.onSent = newValue }
    }
    /// Decides at the last moment whether the request may still be sent; `nil` if it always may.
    ///
    /// A client that ``HTTPClient/asksBeforeSending`` calls it once it is connected, as the last thing before the first byte,
    /// and again before each byte of another attempt. If it returns false, nothing is sent, and the request fails
    /// with ``TransportError/Kind/timedOut``. The request has a connection of its own: nothing of it is repeated, and what the system has
    /// not sent when the transfer ends is not sent later. It is called on any thread, and must be quick. Like ``onSent``, it does
    /// not count in comparisons.
    ///
    /// Use it for what must not begin after a turn has ended:
    ///
    /// ```swift
    /// request.maySend = { ContinuousClock.now < end }
    /// ```
    public var maySend: (@Sendable () -> Bool)? {
        get { listener.maySend }
        set { listener.maySend = newValue }
    }
    private var listener = Listener()

    /// A wrapper of the closures that is equal to any other, so that closures do not count in comparisons.
    private struct Listener: Sendable, Hashable {
        var onSent: (@Sendable (UInt64) -> Void)?
        var maySend: (@Sendable () -> Bool)?

        static func == (_: Listener, _: Listener) -> Bool { true }
        func hash(into _: inout Hasher) {}
    }

    /// A request.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - url: the address.
    ///   - headers: the fields to send.
    ///   - body: the bytes after the fields.
    ///   - limits: the bounds that the client enforces.
    ///   - followsRedirects: true if redirects are followed; `nil` for the default of the method.
    ///   - onSent: receives the number of bytes of the body that have been sent, see ``onSent``.
    public init(
        _ method: HTTPMethod = .get, _ url: URL, headers: HTTPHeaders = [:], body: HTTPBody? = nil,
        limits: Limits = Limits(), followsRedirects: Bool? = nil, onSent: (@Sendable (UInt64) -> Void)? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.limits = limits
        if let followsRedirects { self.followsRedirects = followsRedirects }
        self.onSent = onSent
    }
}

extension HTTPRequest {
    /// Asks ``maySend``.
    ///
    /// - Throws: `.timedOut` if the request may not be sent any more.
    package func expectMaySend() throws(TransportError) {
        guard maySend?() == false else { return }
        throw TransportError(.timedOut, "the time in which it might be sent was over before anything was sent")
    }

    /// Checks that the head of a request is valid.
    ///
    /// - Throws: `.malformed` when a field cannot be written as one line, or the method is no token.
    package func checkHead() throws(TransportError) {
        guard method.rawValue.isToken else {
            throw TransportError(.malformed, "a method that is not a token")
        }
        guard headers.fields.allSatisfy(\.isOneLine) else {
            throw TransportError(.malformed, "a header field with a line break or no name")
        }
    }
}

extension HTTPRequest {
    /// The request that follows a redirect (RFC 9110, 15.4); `nil` if the answer itself is delivered.
    ///
    /// The answer is delivered when it is no redirect, when this request follows none (``followsRedirects``), and when
    /// the redirect would send the body to another origin. All clients of this package use this method, so that they
    /// follow the same rules.
    ///
    /// The validators and conditions of a request with a safe method stay behind: they are about what was at the first address, and the
    /// other one may say "not modified" of something else. So what lies behind a redirect is transferred whole each time: ask for an
    /// address that is known to have moved for good at its new place. A change takes its conditions along: without them it would replace
    /// what nobody has seen. `Range` and `If-Range` go along: ``Downloads`` uses no part
    /// from another address than the one that gave the validator, and whoever else sends `If-Range` has to look at ``HTTPResponseHead/url``.
    ///
    /// - Throws: `.tooManyRedirects` when it leads to another scheme than `http(s)`, or from `https` to `http`; the errors of
    ///   ``check(_:)``.
    package func redirected(by head: HTTPResponseHead) throws(TransportError) -> HTTPRequest? {
        try check(head)
        guard followsRedirects, HTTPStatus.isRedirect(head.status),
            let location = head.headers["Location"]
        else { return nil }
        guard let target = URL(foreign: location, relativeTo: url)?.absoluteURL.withoutUser(unlessOf: url),
            let scheme = target.scheme?.lowercased()
        else { throw TransportError(.malformed, "a redirect to what is not a URL") }
        guard scheme == "https" || (scheme == "http" && url.scheme?.lowercased() == "http") else {
            throw TransportError(.tooManyRedirects, "a redirect from \(url.scheme ?? "") to \(scheme)")
        }
        var next = self
        next.url = target
        next.wasRedirected = true
        if becomesGet(after: head.status) {
            next.method = .get
            next.followsRedirects = true
            next.body = nil
            for name in ["Content-Type", "Content-Length", "Content-Encoding"] { next.headers[name] = nil }
        }
        if next.method.isSafe { for name in Self.conditions { next.headers[name] = nil } }
        if !target.hasSameOrigin(as: url) {
            guard next.body == nil else { return nil }
            for name in ["Authorization", "Cookie", "Proxy-Authorization"] { next.headers[name] = nil }
        }
        return next
    }

    private static let conditions = ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"]

    /// Refuses an answer that cannot be one to this request.
    ///
    /// - Throws: `.malformed` for a 304 behind a redirect, where no validators were sent, and for two lengths (RFC 9112, 6.3).
    package func check(_ head: HTTPResponseHead) throws(TransportError) {
        // Of nearly every answer: one field, which is no list.
        let isOne = head.headers.count(of: "Content-Length") < 2
        if let first = head.headers["Content-Length"], !isOne || first.utf8.contains(UInt8(ascii: ",")) {
            let lengths = head.headers.values(of: "Content-Length").flatMap {
                $0.split(separator: ",").map(\.trimmedOfSpaces)
            }
            guard Set(lengths).count < 2 else { throw TransportError(.malformed, "two lengths of one body") }
        }
        if wasRedirected, head.status == 304 {
            throw TransportError(.malformed, "a 304 behind a redirect, where nothing was said of a saved copy")
        }
    }

    /// A 303 always changes the method to `GET`; by custom, 301 and 302 do so for a `POST`.
    private func becomesGet(after status: Int) -> Bool {
        switch status {
        case 303: method != .head
        case 301, 302: method == .post
        default: false
        }
    }
}

extension URL {
    /// The address up to the port. What is of one server is out of reach together.
    var server: String { "\(scheme ?? "")://\(host() ?? ""):\(port ?? 0)" }

    func hasSameOrigin(as other: URL) -> Bool {
        scheme?.lowercased() == other.scheme?.lowercased() && host?.lowercased() == other.host?.lowercased()
            && portOrDefault == other.portOrDefault
    }

    /// The target of a redirect without user information, which a client would send as `Authorization`: a server does not choose the
    /// credentials of a request. What the app itself has given for this origin stays.
    fileprivate func withoutUser(unlessOf url: URL) -> URL? {
        guard user != nil || password != nil else { return self }
        if hasSameOrigin(as: url), user == url.user, password == url.password { return self }
        var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
        parts?.user = nil
        parts?.password = nil
        return parts?.url
    }

    private var portOrDefault: Int { port ?? (scheme?.lowercased() == "https" ? 443 : 80) }
}

extension URL {
    /// The URL of a text from outside, in which what needs an escape has none. `URL(string:)` escapes the escapes of such a text once more,
    /// which is another address: `/a%20b c` becomes `/a%2520b%20c`.
    package init?(foreign text: String, relativeTo base: URL? = nil) {
        let escaped = text.utf8.contains(UInt8(ascii: "%")) ? Self.escaped(text) : text
        // A colon before the first slash of a path is no scheme's: Foundation escapes it.
        guard let url = URL(string: escaped, relativeTo: base) ?? URL(string: text, relativeTo: base) else {
            return nil
        }
        self = url
    }

    /// The text with an escape for each byte behind the host that RFC 3986 does not allow there. Foundation encodes hosts.
    private static func escaped(_ text: String) -> String {
        var parts = text[...]
        let scheme = parts.prefix { !"/?#".contains($0) }
        if scheme.isEmpty || scheme.hasSuffix(":"), parts[scheme.endIndex...].hasPrefix("//") {
            let host = parts.index(scheme.endIndex, offsetBy: 2)
            parts = parts[(parts[host...].firstIndex { "/?#".contains($0) } ?? parts.endIndex)...]
        }
        let pieces = parts.split(separator: "%", omittingEmptySubsequences: false).enumerated().map { index, piece in
            let isEscape = piece.utf8.prefix(2).filter { $0.hexValue != nil }.count == 2
            return (index == 0 ? "" : isEscape ? "%" : "%25")
                + PercentEncoding.encode(String(piece)) {
                    PercentEncoding.isUnreserved($0) || "!#$&'()*+,/:;=?@".utf8.contains($0)
                }
        }
        return text[..<parts.startIndex] + pieces.joined()
    }

    /// True if this is an absolute `http` or `https` address with a host: the only kind that a remote may point to.
    public var isWebAddress: Bool {
        let scheme = scheme?.lowercased()
        return (scheme == "http" || scheme == "https") && host()?.isEmpty == false
    }
}
