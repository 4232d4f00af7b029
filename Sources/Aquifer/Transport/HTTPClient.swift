/// Carries a request to a server and its answer back.
///
/// - Returns when the head of the final answer has arrived (redirects followed, 1xx skipped), whatever its
///   status; the body then streams. Nothing is retried, stored or revalidated.
/// - Cancelling the task that waits in `send`, cancelling the one that reads the body, or dropping the body
///   closes the transfer: the server sees the connection end (or the stream reset).
/// - A reader that is slow slows the sender: a client holds at most a few chunks.
/// - Many tasks may send at once.
/// - Only `http` and `https` are spoken. `request.limits` are enforced, and `request.onSent` is told.
///
/// Every client passes `HTTPClientContract` of `AquiferTesting`.
public protocol HTTPClient: Sendable {
    /// Sends a request, and returns the head of its answer and the stream of its body.
    ///
    /// - Throws: ``TransportError``: `.cancelled` when the task was cancelled, else what went wrong.
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}
