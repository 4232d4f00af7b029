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
/// - A client supports only `http` and `https`. It enforces `request.limits`, and calls `request.onSent`.
///
/// Every client passes `HTTPClientContract` of `AquiferTesting`.
public protocol HTTPClient: Sendable {
    /// Sends a request, and returns the head of its answer and the stream of its body.
    ///
    /// - Throws: ``TransportError``: `.cancelled` when the task was cancelled, otherwise the failure.
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}
