import Aquifer
import AquiferConcurrency
import AquiferFoundation

/// The HTTP client over libcurl: the one to use on Linux.
///
/// One thread drives every transfer of a client (curl's multi interface); it starts with the first request and
/// ends once the client and the last of its answers are gone. Connections are kept and used again, and HTTP/2
/// is spoken where the server offers it over TLS. There are no cookies and no cache.
///
/// - Proxies come from the environment (`http_proxy`, `https_proxy`, `no_proxy`) and certificates from curl's
///   default, or `CURL_CA_BUNDLE` or `SSL_CERT_FILE`, as the curl command has them.
/// - Answers are asked for as `gzip` unless the request has a `Range` or an `Accept-Encoding` of its own or is a `HEAD`.
///   They are decoded as they are read, so that a reader's limit bounds what is decoded, too. The head of a decoded
///   answer holds no `Content-Encoding` and no `Content-Length`, for both spoke of other bytes than the body brings. A
///   coding that the client did not ask for is `.malformed`. A request that names its codings itself is given the body
///   as it was sent.
/// - 301, 302, 303, 307 and 308 are followed where `HTTPRequest.followsRedirects` says so, from `http` to `https` but
///   never back. `Authorization` and `Cookie` stay behind when a redirect leads to another origin; a body never goes
///   there.
/// - A `POST` (or any method that is not idempotent) is never sent twice, not even on a connection that turned
///   out to be dead: that is `.interrupted`.
/// - Requests with safe methods share connections. What a server has sent unasked on a kept one, such as a second answer,
///   is not taken for the answer of the next request, which goes out on a new connection. With HTTP/1.1 nobody can tell
///   what comes unasked after the request has left from its answer.
/// - The parts of a request's body that are files are read on the client's thread.
/// - On Linux libcurl is loaded with the first request; without it every request is `.cannotConnect`, with a text that
///   says what to install.
public final class CurlHTTPClient: HTTPClient {
    /// The settings of a client, beyond those of each request.
    public struct Configuration: Sendable {
        /// The host and port to connect to instead of those of a URL; `nil` for those of the URL.
        ///
        /// Asked before every request and every redirect, on the sender's task, so it may start the server it
        /// leads to. The request itself (`Host`, certificate) stays as it is. A routed request takes no proxy.
        public var route: @Sendable (_ host: String, _ port: Int) -> (host: String, port: Int)?
        /// The most connections to one host at a time; further requests wait. 0 for no limit.
        public var maxConnectionsPerHost: Int
        /// The `User-Agent` of requests that have none.
        public var userAgent: String
        /// True if the proxies that the environment names are used.
        public var usesProxies: Bool

        /// No routes, 64 connections to a host, `Aquifer/1.0`, the environment's proxies, unless told otherwise.
        public init(
            maxConnectionsPerHost: Int = 64, userAgent: String = "Aquifer/1.0", usesProxies: Bool = true,
            route: @escaping @Sendable (_ host: String, _ port: Int) -> (host: String, port: Int)? = { _, _ in nil }
        ) {
            self.maxConnectionsPerHost = maxConnectionsPerHost
            self.userAgent = userAgent
            self.usesProxies = usesProxies
            self.route = route
        }
    }

    private let configuration: Configuration
    private let owner: LoopOwner

    /// A client. Cheap: nothing is opened or started before the first request.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        owner = LoopOwner(configuration)
    }

    /// The loop behind the client, for its tests.
    var loop: EventLoop { owner.loop }

    /// True: curl asks when it is connected, before the first byte of the request.
    public var asksBeforeSending: Bool { true }

    /// See `HTTPClient.send`.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if let obstacle = EventLoop.obstacle { throw TransportError(.cannotConnect, obstacle) }
        let deadline = request.limits.total.map { ContinuousClock.now + $0 }
        let method = request.method
        var request = request
        var followed = 0
        while true {
            if let deadline {
                request.limits.total = deadline - .now
                guard deadline > .now else { throw TransportError(.timedOut, "the whole request took too long") }
            }
            let transfer = Transfer(request, route: try route(for: request), owner: owner)
            let head: HTTPResponseHead
            do throws(TransportError) { head = try await transfer.start() } catch {
                throw followed > 0 ? error.afterSending(by: method) : error
            }
            let response = HTTPResponse(head: head, source: transfer)
            guard let next = try request.redirected(by: response.head) else { return response }
            guard followed < request.limits.redirects else {
                throw TransportError(.tooManyRedirects, "more than \(request.limits.redirects)")
            }
            followed += 1
            try await response.body.drainToReuseConnection()
            request = next
        }
    }

    private func route(for request: HTTPRequest) throws(TransportError) -> Route? {
        let url = request.url
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw TransportError(.unsupportedURL, "only http and https are spoken")
        }
        guard let host = url.host, !host.isEmpty else { throw TransportError(.unsupportedURL, "no host") }
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        return configuration.route(host, port).map { Route(host: $0.host, port: $0.port) }
    }
}

/// The host and port of the connection instead of those of the URL.
struct Route: Sendable {
    var host: String
    var port: Int

    /// In the words of `CURLOPT_CONNECT_TO`: from any host and port to this one.
    var connectTo: String { "::\(host.asURLHost):\(port)" }
}

extension HTTPResponseBody {
    /// Reads a short body away, for a connection is only free again after it. A long one is cheaper to leave.
    fileprivate func drainToReuseConnection() async throws(TransportError) {
        var bytes = 0
        while bytes < 64 << 10 {
            do throws(TransportError) {
                guard let chunk = try await next() else { return }
                bytes += chunk.count
            } catch {
                // A redirect whose body is cut is still a redirect; only the caller's leaving matters here.
                if error.kind == .cancelled { throw error }
                return
            }
        }
    }
}

/// libcurl, loaded by whoever first needs it.
///
/// Only success is remembered. A failure may pass: the next caller may find a descriptor or the memory that was missing.
final class CurlLibrary: Sendable {
    private let load: @Sendable () -> String?
    private let isReady = Locked(false)

    /// - Parameter load: loads the library, and returns why it could not, and what to do. One call at a time.
    init(_ load: @escaping @Sendable () -> String?) {
        self.load = load
    }

    /// Why it cannot be used now, and what to do; `nil` if it can.
    var obstacle: String? {
        isReady.withLock { isReady in
            if isReady { return nil }
            let obstacle = load()
            isReady = obstacle == nil
            return obstacle
        }
    }
}
