import AquiferFoundation

/// A client that adds credentials to each request when it is sent, and renews them once when a server rejects them.
///
/// ```swift
/// let client = AuthenticatingClient(CurlHTTPClient(), origins: [api]) {
///     await login.credentials
/// } renew: { rejected in
///     try await login.renew(rejected)
/// }
/// ```
///
/// - Credentials go to the origins that the app names (scheme, host and port), and to no other one. A redirect to another
///   origin is followed without them, and they do not come back on the way. A request from another origin gets none.
/// - A request that has a field of the same name already is sent as it is.
/// - When an answer has the status 401, the credentials are renewed, and the request is sent once more. However many
///   requests wait, there is one renewal. A second 401 is delivered, and so is the 401 of an address that a request which
///   changes something was redirected to.
/// - The app keeps the credentials, for example in the keychain. This client writes them nowhere. No entry, no item of an
///   ``Outbox``, no error and no description contains them.
/// - A task that is cancelled stops waiting, and the renewal goes on: a server may have used up the old token by then.
/// - The body of a request is sent again from its beginning. An ``HTTPBody`` is made of memory and files, so that it can
///   always be read again. There is no body that can be sent only once.
///
/// Put it in front of the client of loads, downloads and the outbox. Make one for each user who logs in.
public final class AuthenticatingClient: HTTPClient {
    /// The credentials of the moment; `nil` to send a request without any. If it throws, nothing is sent.
    ///
    /// A request with an `Idempotency-Key`, as each item of an ``Outbox`` has, is never sent without any. It fails with
    /// ``TransportError/Kind/unauthorized``, and so the item waits for the next login. Only a request with an `Authorization`
    /// of its own is sent.
    public typealias Current = @Sendable () async throws -> Credentials?
    /// Replaces credentials that a server has rejected. From its return on, ``Current`` gives the new ones. `nil` if there
    /// are none to be had: the user has to log in again.
    public typealias Renew = @Sendable (_ rejected: Credentials) async throws -> Credentials?

    private let base: any HTTPClient
    private let isOurs: @Sendable (URL) -> Bool
    private let current: Current
    private let renewals: CredentialRenewals
    private let clock: any Clock<Duration>

    /// A client that adds credentials.
    ///
    /// Errors of `current` and `renew` become errors of the request:
    ///
    /// - A ``TransportError`` or a ``LoadError`` without an answer keeps its kind. A load then delivers its saved copy, and an
    ///   outbox tries again.
    /// - `nil` from `renew`, and the statuses 401 and 403 in a ``LoadError``, become ``TransportError/Kind/unauthorized``. No saved
    ///   copy is shown (``LoadError/isUnauthorized``), and an item stays in the outbox.
    /// - Any other error becomes a failure of the connection: ``TransportError/Kind/cannotConnect`` if `current` threw it, because
    ///   nothing was sent, and ``TransportError/Kind/interrupted`` if `renew` did. A saved copy stands in, and an item is tried
    ///   again. That holds for an address or a body of a request for credentials that cannot be sent, too: it refuses no item.
    ///
    /// Requests that `renew` sends over this client get no credentials and no renewal. That ends when `renew` returns: a task
    /// that it has begun then sends like any other. If the answer to a request without credentials is 401 and comes later than
    /// that, the request is sent again with them.
    ///
    /// - Parameters:
    ///   - base: sends the requests.
    ///   - origins: addresses of the servers that may see the credentials. Only scheme, host and port count.
    ///   - patience: the longest time for which a request waits for a renewal. It then fails with
    ///     ``TransportError/Kind/timedOut``. The renewal goes on, and later requests wait for it: give the requests of `renew`
    ///     limits of their own.
    ///   - clock: measures `patience`, and ``HTTPRequest/Limits/total`` over both attempts.
    ///   - current: gives the credentials of the moment, for each request. It must be quick.
    ///   - renew: gets new credentials, and keeps them.
    public convenience init(
        _ base: any HTTPClient, origins: [URL], patience: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock(), current: @escaping Current, renew: @escaping Renew
    ) {
        self.init(
            base, isOurs: { url in origins.contains { $0.hasSameOrigin(as: url) } }, patience: patience, clock: clock,
            current: current, renew: renew)
    }

    /// A client that adds credentials to the requests for these addresses.
    package init(
        _ base: any HTTPClient, isOurs: @escaping @Sendable (URL) -> Bool, patience: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock(), current: @escaping Current, renew: @escaping Renew
    ) {
        self.base = base
        self.isOurs = isOurs
        self.current = current
        self.clock = clock
        renewals = CredentialRenewals(patience: patience, clock: clock, renew: renew)
    }

    /// As the client behind it.
    public var asksBeforeSending: Bool { base.asksBeforeSending }

    /// Sends a request with the credentials of the moment. See ``HTTPClient/send(_:)``.
    ///
    /// - Throws: the errors of the client behind it; the error of `current` or `renew`; ``TransportError/Kind/unauthorized``
    ///   when the credentials were rejected and there are no others of their owner.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard isOurs(request.url) else { return try await base.send(request) }
        let elapsed = Self.stopwatch(clock)
        var bare: HTTPResponse?
        if renewals.isRenewing {
            let response = try await base.send(request)
            // The task may have been begun by a renewal that has ended meanwhile.
            if response.head.status != 401 || renewals.isRenewing { return response }
            bare = response
        }
        guard let credentials = try await now() else {
            if let bare { return bare }
            // An item of an outbox would be refused for ever.
            if request.headers["Idempotency-Key"] != nil, request.headers["Authorization"] == nil { throw .loggedOut }
            return try await base.send(request)
        }
        guard credentials.areMissing(in: request) else {
            if let bare { return bare }
            return try await base.send(request)
        }
        if let response = try await attempt(request, credentials, elapsed, isLast: false) { return response }
        let others = try await replacement(of: credentials)
        guard let response = try await attempt(request, others, elapsed, isLast: true) else { throw .unauthorized }
        return response
    }

    /// Sends a request with credentials, and follows its redirects.
    ///
    /// - Returns: the answer; `nil` if the credentials were rejected and this attempt is not the last one.
    private func attempt(
        _ request: HTTPRequest, _ credentials: Credentials, _ elapsed: @Sendable () -> Duration, isLast: Bool
    ) async throws(TransportError) -> HTTPResponse? {
        var next = request
        do throws(TransportError) {
            return try await follow(request, &next, credentials, elapsed, isLast: isLast)
        } catch {
            // The first answer was a redirect: the request may have been carried out.
            throw next.limits.redirects == request.limits.redirects ? error : error.afterSending(by: request.method)
        }
    }

    private func follow(
        _ request: HTTPRequest, _ next: inout HTTPRequest, _ credentials: Credentials,
        _ elapsed: @Sendable () -> Duration, isLast: Bool
    ) async throws(TransportError) -> HTTPResponse? {
        while true {
            var sent = next
            if let total = request.limits.total {
                sent.limits.total = total - elapsed()
                guard total > elapsed() else { throw TransportError(.timedOut, "its time was over before it was sent") }
            }
            // Elsewhere the client itself may follow redirects: the credentials stay here for good.
            guard isOurs(next.url) else {
                let response = try await base.send(sent)
                // That client may know of its own redirects only.
                try next.check(response.head)
                return response
            }
            sent.headers.set(credentials.headers)
            sent.followsRedirects = false
            let response = try await base.send(sent)
            // A request that changes something was carried out before its redirect: it is not sent again from its beginning.
            let mayRepeat = next.url == request.url || request.method.isSafe
            if response.head.status == 401, !isLast, mayRepeat { return nil }
            guard var target = try next.redirected(by: response.head) else { return response }
            guard next.limits.redirects > 0 else {
                throw TransportError(.tooManyRedirects, "more than \(request.limits.redirects)")
            }
            target.limits.redirects -= 1
            next = target
        }
    }

    /// The credentials to try after these were rejected: those that somebody has renewed meanwhile, or those of a renewal.
    private func replacement(of rejected: Credentials) async throws(TransportError) -> Credentials {
        while true {
            let ended = renewals.ended
            // The user who logged in meanwhile is another one: the request is not theirs.
            guard let now = try await now(), now.owner == rejected.owner else { throw .unauthorized }
            if now != rejected { return now }
            guard let renewed = try await renewals.renewed(rejected, after: ended) else { continue }
            guard renewed.owner == rejected.owner else { throw .unauthorized }
            return renewed
        }
    }

    private func now() async throws(TransportError) -> Credentials? {
        do { return try await current() } catch {
            if Task.isCancelled { throw .cancelled }
            // Nothing was sent.
            throw TransportError(ofCredentials: error, otherwise: .cannotConnect)
        }
    }

    private static func stopwatch<C: Clock>(_ clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}

extension Credentials {
    /// True if a request has none of these fields already.
    fileprivate func areMissing(in request: HTTPRequest) -> Bool {
        headers.fields.allSatisfy { request.headers[$0.name] == nil }
    }
}
