import Foundation

/// What a remote says when asked with validators.
public enum RemoteAnswer<Value: Sendable>: Sendable {
    /// A value, and what to ask with next time.
    case value(Value, Validators)
    /// What the validators stand for is still the latest.
    case notModified
}

/// The use case "load from remote": asks once, validates the answer, makes a value of it, delivers it.
///
/// - One request is sent (again only as the ``RetryPolicy`` says).
/// - ``LoadError/connectivity(_:)`` when no whole answer came; ``LoadError/invalidData(_:)`` when the answer is not
///   what the contract says, or larger than the limit.
/// - A cancelled task cancels the transfer and delivers nothing.
public struct RemoteLoader<Value: Sendable>: Sendable {
    /// Makes a value of an answer, or throws when it is not as the contract says: ``InvalidData`` or any other error.
    public typealias Map = @Sendable (HTTPResponseHead, Data) throws -> Value

    private let ask: @Sendable (Validators) async throws(LoadError) -> RemoteAnswer<Value>

    /// Loads a value with a request.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - client: carries the request.
    ///   - limit: the most bytes of body that are taken; 32 MiB unless told otherwise.
    ///   - retry: whether to try again; never unless told otherwise.
    ///   - map: judges status, media type and body, and makes the value.
    public init(
        _ request: HTTPRequest, client: any HTTPClient, limit: Int = 32 << 20, retry: RetryPolicy = .never,
        map: @escaping Map
    ) {
        let transfer = Transfer(request: request, client: client, limit: limit, retry: retry)
        ask = { (validators: Validators) async throws(LoadError) -> RemoteAnswer<Value> in
            let (head, body) = try await transfer.run(validators)
            if head.status == 304 && !validators.isEmpty { return .notModified }
            do {
                let value = try map(head, body)
                return .value(value, Validators(head))
            } catch {
                throw .invalidData(InvalidData(mapping: error))
            }
        }
    }

    /// Loads a value in a way of your own: several requests, another protocol.
    public init(_ ask: @escaping @Sendable (Validators) async throws(LoadError) -> RemoteAnswer<Value>) {
        self.ask = ask
    }

    /// The latest value.
    public func load() async throws(LoadError) -> Value {
        guard case .value(let value, _) = try await load(unless: .none) else {
            throw .invalidData(.status(304))
        }
        return value
    }

    /// The latest value, unless it is still the one that the validators stand for.
    public func load(unless validators: Validators) async throws(LoadError) -> RemoteAnswer<Value> {
        try await ask(validators)
    }
}

extension Validators {
    /// The validators of an answer.
    ///
    /// A `Last-Modified` in the very second of the answer is left out (RFC 9110, 8.8.2.2): a change later in that second
    /// would bear the same date, and a 304 would pass the old for the latest for ever.
    init(_ head: HTTPResponseHead) {
        self.init(etag: head.headers["ETag"], lastModified: head.headers["Last-Modified"])
        guard let modified = lastModified.flatMap(HTTPDate.parse),
            let sent = head.headers["Date"].flatMap(HTTPDate.parse)
        else { return }
        if sent.timeIntervalSince(modified) < 1 { lastModified = nil }
    }
}

/// One read: the request, as often as the policy allows, and its whole body.
private struct Transfer: Sendable {
    let request: HTTPRequest
    let client: any HTTPClient
    let limit: Int
    let retry: RetryPolicy

    func run(_ validators: Validators) async throws(LoadError) -> (HTTPResponseHead, Data) {
        var request = request
        if let etag = validators.etag { request.headers["If-None-Match"] = etag }
        if let date = validators.lastModified { request.headers["If-Modified-Since"] = date }
        var attempt = 1
        while true {
            let wait: Duration
            do throws(TransportError) {
                let response = try await client.send(request)
                guard let again = retry.wait(after: attempt, head: response.head) else {
                    return (response.head, try await response.data(upTo: limit))
                }
                wait = again
            } catch {
                guard let again = retry.wait(after: attempt, failure: error) else { throw LoadError(error) }
                wait = again
            }
            // Sleeping throws only when the task was cancelled.
            do { try await retry.clock.sleep(for: wait) } catch { throw .cancelled }
            attempt += 1
        }
    }
}
