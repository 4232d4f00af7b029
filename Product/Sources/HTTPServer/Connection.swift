import AquiferConcurrency
import CMicrohttpd
import Foundation

/// A client's connection, from the daemon's opening it to its closing it. Its requests come one after another.
final class Connection: @unchecked Sendable {
    let id: UInt64
    let socket: Int32
    let remoteAddress: String
    /// Opened past the limit: its first request is answered 503.
    let isExcess: Bool
    private let mhd: OpaquePointer
    /// The daemon's thread that it belongs to.
    private let thread = pthread_self()

    /// Guards the state here and that of the current exchange.
    let lock = Lock()
    private var hungUp: Bool
    private var known = false
    private var exchange: Exchange?
    private var isRefused = false
    private var headDeadline: ContinuousClock.Instant

    init(
        id: UInt64, mhd: OpaquePointer, socket: Int32, remoteAddress: String, isExcess: Bool, hungUp: Bool,
        headDeadline: ContinuousClock.Instant
    ) {
        self.id = id
        self.mhd = mhd
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

    /// True if the client has left. The caller holds `lock`.
    var isHungUp: Bool { hungUp }

    /// True if the client has closed its end, whatever of it is still to be read. The watcher may not have noticed yet. Only Linux tells.
    var hasEnded: Bool {
        #if os(Linux)
            // `POLLRDHUP`, which is the same bit, is not imported.
            let end = Int16(EPOLLRDHUP.rawValue)
            var entry = pollfd(fd: socket, events: end, revents: 0)
            return poll(&entry, 1, 0) > 0 && entry.revents & (end | Int16(POLLHUP | POLLERR)) != 0
        #else
            return false
        #endif
    }

    func begin(_ exchange: Exchange) {
        lock.withLock { self.exchange = exchange }
    }

    /// The request whose head came last is refused without an exchange, and the connection closed.
    func refuse() {
        lock.withLock { isRefused = true }
    }

    /// What libmicrohttpd has not handed over yet of a request on this thread's connection.
    enum Unheard {
        /// A head that is whole.
        case head
        /// A part of a chunked body.
        case chunk
    }

    /// What libmicrohttpd is at, or waits for, here; `nil` if it is nothing of this, or of another thread.
    var unheard: Unheard? {
        guard pthread_equal(thread, pthread_self()) != 0 else { return nil }
        return lock.withLock {
            if let exchange { return exchange.awaitsChunk ? .chunk : nil }
            // It knows the size from when the head is whole.
            return !isRefused && aq_mhd_header_size(mhd) > 0 ? .head : nil
        }
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
