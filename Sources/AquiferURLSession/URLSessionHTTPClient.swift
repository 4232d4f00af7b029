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
///   reader does not slow the sender there. It counts as silence there when the other side takes what the system holds of a body.
///
/// URLSession does not distinguish connecting from waiting: `limits.idle` is the limit of both.
public final class URLSessionHTTPClient: HTTPClient {
    /// The answer to an authentication challenge, such as a server's certificate: what to do, and the credential.
    public typealias Challenge =
        @Sendable (URLAuthenticationChallenge) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    private let session: URLSession
    private let delegate: SessionDelegate

    /// A client with a session of its own.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the session, such as `protocolClasses`, `waitsForConnectivity` or a proxy. The
    ///     client takes a copy. It switches cookies, caching and stored credentials off in any case, because an answer
    ///     must come from the server.
    ///   - challenge: Answers authentication challenges, for a pinned or a client's certificate. Without it the system
    ///     decides.
    public init(configuration: URLSessionConfiguration = .ephemeral, challenge: Challenge? = nil) {
        let configuration = Self.copy(configuration)
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpMaximumConnectionsPerHost = 64
        delegate = SessionDelegate(challenge: challenge)
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    private static func copy(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
        configuration.copy() as? URLSessionConfiguration ?? configuration
    }

    deinit { session.finishTasksAndInvalidate() }

    /// See `HTTPClient.send`.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let scheme = request.url.scheme?.lowercased()
        guard scheme == "http" || scheme == "https", request.url.host?.isEmpty == false else {
            throw TransportError(.unsupportedURL, "only http and https to a host are spoken")
        }
        if Task.isCancelled { throw .cancelled }
        let upload = try UploadFile(request.body)
        let urlRequest = try URLRequest(request, hasFile: upload != nil)
        let task =
            upload.map { session.uploadTask(with: urlRequest, fromFile: $0.file) } ?? session.dataTask(with: urlRequest)
        let transfer = SessionTransfer(request, task: task, upload: upload)
        delegate.add(transfer)
        return HTTPResponse(head: try await transfer.start(), source: transfer)
    }
}

extension URLRequest {
    /// - Parameter hasFile: true if the body is in a file that the task was given; a body in memory is set here.
    init(_ request: HTTPRequest, hasFile: Bool = false) throws(TransportError) {
        try request.checkHead()
        self.init(url: request.url)
        httpMethod = request.method.rawValue
        for field in request.headers.fields { addValue(field.value, forHTTPHeaderField: field.name) }
        if let body = request.body, !hasFile { httpBody = try body.data() }
        timeoutInterval = request.limits.idle / .seconds(1)
        httpShouldHandleCookies = false
    }
}
