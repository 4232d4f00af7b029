import AquiferConcurrency

/// A client's connection, from the daemon's opening it to its closing it. Its requests come one after another.
final class Connection: @unchecked Sendable {
    let id: UInt64
    let socket: Int32
    let remoteAddress: String
    /// Opened past the limit: its first request is answered 503.
    let isExcess: Bool

    /// Guards the state here and that of the current exchange.
    let lock = Lock()
    private var hungUp: Bool
    private var known = false
    private var exchange: Exchange?
    private var headDeadline: ContinuousClock.Instant

    init(
        id: UInt64, socket: Int32, remoteAddress: String, isExcess: Bool, hungUp: Bool,
        headDeadline: ContinuousClock.Instant
    ) {
        self.id = id
        self.socket = socket
        self.remoteAddress = remoteAddress
        self.isExcess = isExcess
        self.hungUp = hungUp
        self.headDeadline = headDeadline
    }

    /// True if a request of this connection has shown that its sender belongs here.
    var isKnown: Bool { lock.withLock { known } }

    func becomeKnown() {
        lock.withLock { known = true }
    }

    /// True if nobody is there to wait for an answer. The caller holds `lock`.
    var isHungUp: Bool { hungUp }

    func begin(_ exchange: Exchange) {
        lock.withLock { self.exchange = exchange }
    }

    /// - Parameter headDeadline: by when the next request's head must have come.
    func end(headDeadline: ContinuousClock.Instant) {
        lock.withLock {
            exchange = nil
            self.headDeadline = headDeadline
        }
    }

    /// The client has left, or the server is about to: from here on no request of this connection is suspended.
    func hangUp() {
        let current = lock.withLock {
            hungUp = true
            return exchange
        }
        current?.hangUp()
    }

    /// True if a request's head is overdue, or its body comes too slowly. With a request under way, it is not the head that
    /// takes time.
    func isOverdue(at now: ContinuousClock.Instant, _ configuration: HTTPServer.Configuration) -> Bool {
        lock.withLock {
            guard let exchange else { return now >= headDeadline }
            return exchange.isBodyOverdue(at: now, configuration)
        }
    }
}
