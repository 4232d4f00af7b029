import AquiferFoundation

/// A remote's answer to a request with validators.
public enum RemoteAnswer<Value: Sendable>: Sendable {
    /// A value, the validators for the next request, and the time of the answer by the remote's clock, if it gave one.
    case value(Value, Validators, answeredAt: Date? = nil)
    /// The value that the validators stand for is still the latest. The date is the time of the answer by the remote's
    /// clock, if it gave one.
    case notModified(answeredAt: Date? = nil)
}

/// The use case "load from remote": sends a request, validates the answer, maps it to a value, and delivers the value.
///
/// - One request is sent. The ``RetryPolicy`` decides on further attempts.
/// - It throws ``LoadError/connectivity(_:)`` when no complete answer arrives, and ``LoadError/invalidData(_:)`` when
///   the answer breaks the contract or is larger than the limit.
/// - A cancelled task cancels the transfer and delivers nothing.
/// - A transfer with a safe method (`HTTPMethod.isSafe`) ends after five minutes, unless
///   ``HTTPRequest/Limits/total`` is set: a server that sends a byte now and then must not delay the saved copy.
public struct RemoteLoader<Value: Sendable>: Sendable {
    /// Maps an answer to a value. Throws ``InvalidData`` or any other error when the answer breaks the contract.
    public typealias Map = @Sendable (HTTPResponseHead, Data) throws -> Value

    /// The fields of the request, as far as they are known here.
    var fields = HTTPHeaders()
    /// The server that is asked, as far as it is known here.
    var server: String?
    private let ask: @Sendable (Validators, ByteMeter?) async throws(LoadError) -> Reply

    /// An answer and the head that it came with, for a policy that follows the server.
    struct Reply: Sendable {
        var answer: RemoteAnswer<Value>
        var head: HTTPResponseHead?
    }

    /// Loads a value with a request.
    ///
    /// - Parameters:
    ///   - request: the request. It takes validators along if it is a `GET` or a `HEAD`.
    ///   - client: the client that carries out the request.
    ///   - limit: the maximum length of the body in bytes; by default, 32 MiB.
    ///   - retry: the policy for further attempts; by default, there are none.
    ///   - map: validates the status, media type and body, and makes the value.
    public init(
        _ request: HTTPRequest, client: any HTTPClient, limit: Int = 32 << 20, retry: RetryPolicy = .never,
        map: @escaping Map
    ) {
        fields = request.headers
        server = request.url.server
        let transfer = Transfer(request: request, client: client, limit: limit, retry: retry)
        ask = { (validators: Validators, meter: ByteMeter?) async throws(LoadError) -> Reply in
            // For other methods they are conditions of a change, which a server refuses with 412 (RFC 9110, 13.1.2).
            var validators = [.get, .head].contains(request.method) ? validators : .none
            var (head, body) = try await transfer.run(validators)
            if head.status == 304, !validators.areConfirmed(by: head), !validators.isEmpty {
                validators = .none
                (head, body) = try await transfer.run(validators)
            }
            meter?.add(body.count)
            guard !head.isUselesslyEncoded else { throw .invalidData(.compressed) }
            let answeredAt = head.headers["Date"].flatMap(HTTPDate.parse)
            if head.status == 304 && !validators.isEmpty {
                return Reply(answer: .notModified(answeredAt: answeredAt), head: head)
            }
            do {
                let value = try map(head, body)
                return Reply(answer: .value(value, Validators(head), answeredAt: answeredAt), head: head)
            } catch {
                throw .invalidData(InvalidData(mapping: error, status: head.status))
            }
        }
    }

    /// Loads a value with your own closure, for example with several requests or another protocol.
    public init(_ ask: @escaping @Sendable (Validators) async throws(LoadError) -> RemoteAnswer<Value>) {
        self.ask = { (validators: Validators, _: ByteMeter?) async throws(LoadError) -> Reply in
            Reply(answer: try await ask(validators), head: nil)
        }
    }

    /// Loads a value with your own closure, and hands on the head of its answer, for a policy that follows the server.
    ///
    /// - Parameter ask: takes the validators of the saved copy, and returns the answer with the head that it came with.
    public init(
        answering ask:
            @escaping @Sendable (Validators) async throws(LoadError) -> (
                answer: RemoteAnswer<Value>, head: HTTPResponseHead
            )
    ) {
        self.ask = { (validators: Validators, _: ByteMeter?) async throws(LoadError) -> Reply in
            let (answer, head) = try await ask(validators)
            return Reply(answer: answer, head: head)
        }
    }

    /// Loads a value through another loader, whose head and bytes are handed on.
    init(replying ask: @escaping @Sendable (Validators, ByteMeter?) async throws(LoadError) -> Reply) {
        self.ask = ask
    }

    /// The latest value.
    public func load() async throws(LoadError) -> Value {
        guard case .value(let value, _, _) = try await load(unless: .none) else {
            throw .invalidData(.status(304))
        }
        return value
    }

    /// The latest value, unless the validators still match it.
    public func load(unless validators: Validators) async throws(LoadError) -> RemoteAnswer<Value> {
        try await reply(unless: validators).answer
    }

    /// The answer with its head, and with the bytes of its body counted.
    func reply(unless validators: Validators, metered meter: ByteMeter? = nil) async throws(LoadError) -> Reply {
        var reply = try await ask(validators.fitToSend, meter)
        guard case .value(let value, let validators, let answeredAt) = reply.answer else { return reply }
        reply.answer = .value(value, validators.fitToSend, answeredAt: answeredAt)
        return reply
    }
}

extension HTTPResponseHead {
    /// True if the answer succeeded but its body is compressed, so that it cannot be read. Such a body is not loaded.
    fileprivate var isUselesslyEncoded: Bool { HTTPStatus.isSuccess(status) && isEncoded }
}

/// One read: sends the request as often as the policy allows, and loads its whole body.
private struct Transfer: Sendable {
    let request: HTTPRequest
    let client: any HTTPClient
    let limit: Int
    let retry: RetryPolicy

    func run(_ validators: Validators) async throws(LoadError) -> (HTTPResponseHead, Data) {
        var request = request
        if request.method.isSafe { request.limits.total = request.limits.total ?? .minutes(5) }
        if let etag = validators.etag { request.headers["If-None-Match"] = etag }
        if let date = validators.lastModified { request.headers["If-Modified-Since"] = date }
        var attempt = 1
        while true {
            let wait: Duration
            do throws(TransportError) {
                let response = try await client.send(request)
                guard let again = retry.wait(after: attempt, head: response.head) else {
                    if response.head.isUselesslyEncoded { return (response.head, Data()) }
                    return (response.head, try await response.data(upTo: limit))
                }
                wait = again
            } catch {
                guard let again = retry.wait(after: attempt, failure: error) else { throw LoadError(error) }
                wait = again
            }
            // Sleeping throws only when the task was cancelled.
            do { try await retry.clock.pause(for: wait) } catch { throw .cancelled }
            attempt += 1
        }
    }
}
