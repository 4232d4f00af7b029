import Aquifer
import AquiferConcurrency
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Passes the session's events to their transfers. The session calls it on a serial queue.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private let transfers = Locked([Int: SessionTransfer]())
    private let challenge: URLSessionHTTPClient.Challenge?

    init(challenge: URLSessionHTTPClient.Challenge?) {
        self.challenge = challenge
    }

    func add(_ transfer: SessionTransfer) {
        transfers.withLock { $0[transfer.task.taskIdentifier] = transfer }
    }

    private func transfer(_ task: URLSessionTask) -> SessionTransfer? {
        transfers.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // `nil` makes the session deliver the redirect itself.
        completionHandler(HTTPResponseHead(response).flatMap { self.transfer(task)?.redirected(by: $0) })
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let answer = self.challenge else { return completionHandler(.performDefaultHandling, nil) }
        Task {
            let (disposition, credential) = await answer(challenge)
            completionHandler(disposition, credential)
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let head = (response as? HTTPURLResponse).flatMap({ HTTPResponseHead($0) }) {
            transfer(dataTask)?.received(head)
        }
        completionHandler(.allow)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        if let sent = UInt64(exactly: totalBytesSent) { transfer(task)?.request.onSent?(sent) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfer(dataTask)?.received(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let transfer = transfers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        transfer?.end(error.map { .failure(TransportError($0)) } ?? .success(()))
    }
}

extension TransportError {
    /// Maps a failure of URLSession to a transport error.
    fileprivate init(_ error: any Error) {
        let code = (error as? URLError)?.code
        let kind: Kind =
            switch code {
            case .cancelled: .cancelled
            case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive: .offline
            case .cannotFindHost, .dnsLookupFailed: .cannotResolve
            case .cannotConnectToHost: .cannotConnect
            case .timedOut: .timedOut
            case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
                .clientCertificateRequired:
                .insecure
            // The app's own settings refuse the address, whatever the connection.
            case .appTransportSecurityRequiresSecureConnection: .unsupportedURL
            case .badServerResponse: Self.emptyAnswer
            // The scheme was checked before: Linux reports an unsupported URL for an answer that is not HTTP.
            case .unsupportedURL, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData: .malformed
            case .httpTooManyRedirects, .redirectToNonExistentLocation: .tooManyRedirects
            case .dataLengthExceedsMaximum: .headersTooLarge
            case .badURL: .unsupportedURL
            case .requestBodyStreamExhausted: .unreadableBody
            default: .interrupted
            }
        self.init(kind, code.map { "URLError \($0.rawValue)" } ?? "\(type(of: error))")
    }

    /// The kind for a bad server response. On Linux it stands for a connection that ends before the answer.
    private static var emptyAnswer: Kind {
        #if canImport(FoundationNetworking)
            .interrupted
        #else
            .malformed
        #endif
    }
}
