import Aquifer
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The HTTP client over `URLSession`, for Apple systems.
///
/// It uses an ephemeral session without cookies, cache and credentials. URLSession requests compressed answers and
/// decodes them. The head of a decoded answer has no `Content-Length`, because the field counts the compressed bytes.
///
/// - Warning: On Linux, use `CurlHTTPClient`: cancelling a transfer of URLSession can deadlock or crash the process
///   there (Swift 6.3.1). Neither cancel a task that uses this client, nor drop a body that has not been read to its
///   end. An exceeded limit cancels the transfer too. On a busy machine a redirect can also crash the process. A slow
///   reader does not slow the sender there.
///
/// URLSession does not distinguish connecting from waiting: `limits.idle` is the limit of both.
public final class URLSessionHTTPClient: HTTPClient {
    private let session: URLSession
    private let delegate: SessionDelegate

    /// A client with a session of its own.
    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpMaximumConnectionsPerHost = 64
        delegate = SessionDelegate()
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// See `HTTPClient.send`.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let scheme = request.url.scheme?.lowercased()
        guard scheme == "http" || scheme == "https", request.url.host?.isEmpty == false else {
            throw TransportError(.unsupportedURL, "only http and https to a host are spoken")
        }
        if Task.isCancelled { throw .cancelled }
        let task = session.dataTask(with: try URLRequest(request))
        let transfer = SessionTransfer(request, task: task)
        delegate.add(transfer)
        return HTTPResponse(head: try await transfer.start(), source: transfer)
    }
}

extension URLRequest {
    /// URLSession takes a body from memory or from one file; a body of several parts is joined in memory.
    init(_ request: HTTPRequest) throws(TransportError) {
        try request.checkHead()
        self.init(url: request.url)
        httpMethod = request.method.rawValue
        for field in request.headers.fields { addValue(field.value, forHTTPHeaderField: field.name) }
        if let body = request.body { httpBody = try body.read() }
        timeoutInterval = request.limits.idle / .seconds(1)
        httpShouldHandleCookies = false
    }
}
