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

    private let ask: @Sendable (Validators) async throws(LoadError) -> RemoteAnswer<Value>

    /// Loads a value with a request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - client: the client that carries out the request.
    ///   - limit: the maximum length of the body in bytes; by default, 32 MiB.
    ///   - retry: the policy for further attempts; by default, there are none.
    ///   - map: validates the status, media type and body, and makes the value.
    public init(
        _ request: HTTPRequest, client: any HTTPClient, limit: Int = 32 << 20, retry: RetryPolicy = .never,
        map: @escaping Map
    ) {
        let transfer = Transfer(request: request, client: client, limit: limit, retry: retry)
        ask = { (validators: Validators) async throws(LoadError) -> RemoteAnswer<Value> in
            let (head, body) = try await transfer.run(validators)
            guard !head.isUselesslyEncoded else { throw .invalidData(.compressed) }
            let answeredAt = head.headers["Date"].flatMap(HTTPDate.parse)
            if head.status == 304 && !validators.isEmpty { return .notModified(answeredAt: answeredAt) }
            do {
                let value = try map(head, body)
                return .value(value, Validators(head), answeredAt: answeredAt)
            } catch {
                throw .invalidData(InvalidData(mapping: error))
            }
        }
    }

    /// Loads a value with your own closure, for example with several requests or another protocol.
    public init(_ ask: @escaping @Sendable (Validators) async throws(LoadError) -> RemoteAnswer<Value>) {
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
        let answer = try await ask(validators.fitToSend)
        guard case .value(let value, let validators, let answeredAt) = answer else { return answer }
        return .value(value, validators.fitToSend, answeredAt: answeredAt)
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
            do { try await retry.clock.sleep(for: wait) } catch { throw .cancelled }
            attempt += 1
        }
    }
}

/// The policy for retrying a read: the number of attempts and the waits between them.
///
/// Waits double from `base` up to `cap`, each multiplied by a random number in 0 … 1 (full jitter), so that clients
/// that failed together do not return together. A `Retry-After` of the server is the minimum wait; one longer than
/// `patience` ends the attempts. Three outcomes are never retried: an answer that will not change (4xx except 408 and
/// 429, data that breaks the contract), a client that is offline, and a cancelled task.
public struct RetryPolicy: Sendable {
    /// The maximum number of attempts; 1 means that a request is never retried.
    public var attempts: Int
    /// The longest first wait.
    public var base: Duration
    /// The longest wait of all.
    public var cap: Duration
    /// The longest `Retry-After` that is accepted.
    public var patience: Duration
    /// The clock for the waits.
    public var clock: any Clock<Duration>
    /// A random number in 0 … 1, drawn for each wait.
    public var random: @Sendable () -> Double
    /// The time of day, for a `Retry-After` that names a date.
    public var now: @Sendable () -> Date

    /// A policy. With the defaults: three tries, waits of up to 0.3 s and 0.6 s.
    public init(
        attempts: Int = 3, base: Duration = .milliseconds(300), cap: Duration = .seconds(5),
        patience: Duration = .seconds(10), clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.attempts = max(1, attempts)
        self.base = base
        self.cap = cap
        self.patience = patience
        self.clock = clock
        self.random = random
        self.now = now
    }

    /// The policy that sends a request once and never retries it.
    public static let never = RetryPolicy(attempts: 1)

    /// The wait before the next attempt; `nil` when there is none. `attempt` counts from 1.
    func wait(after attempt: Int, failure: TransportError) -> Duration? {
        switch failure.kind {
        case .cannotResolve, .cannotConnect, .timedOut, .interrupted: backoff(after: attempt)
        case .cancelled, .offline, .insecure, .malformed, .tooManyRedirects, .headersTooLarge, .bodyTooLarge,
            .unsupportedURL, .unreadableBody:
            nil
        }
    }

    /// The wait before the next attempt; `nil` when there is none. `attempt` counts from 1.
    func wait(after attempt: Int, head: HTTPResponseHead) -> Duration? {
        guard head.status == 408 || head.status == 429 || HTTPStatus.isServerError(head.status) else { return nil }
        guard let wait = backoff(after: attempt) else { return nil }
        guard let asked = head.retryAfter(now()) else { return wait }
        return asked > patience ? nil : max(asked, wait)
    }

    private func backoff(after attempt: Int) -> Duration? {
        guard attempt < attempts else { return nil }
        // 2^20 times any base is past every cap; the bound keeps the shift from overflowing.
        let longest = min(cap, base * (1 << min(attempt - 1, 20)))
        return longest * min(max(random(), 0), 1)
    }
}

extension HTTPResponseHead {
    /// The wait that `Retry-After` asks for, in seconds or by a date (RFC 9110, 10.2.3). A number of seconds that is
    /// too large becomes the largest number.
    func retryAfter(_ now: Date) -> Duration? {
        guard let field = headers["Retry-After"] else { return nil }
        if let seconds: Int64 = field.count() { return .seconds(seconds) }
        guard let date = HTTPDate.parse(field) else { return nil }
        // A wrong clock must not lead to a number that overflows a `Duration`.
        return .seconds(min(max(0, date.timeIntervalSince(now)), Double(Int32.max)))
    }
}
