import CMicrohttpd
import Foundation

/// The running server: the daemon, its connections, and the order in which they are stopped.
final class ServerCore: @unchecked Sendable {
    let configuration: HTTPServer.Configuration
    let handler: ServerHandler
    let listener: ListeningSocket
    private var daemon: OpaquePointer?
    private var watcher: HangUpWatcher?

    private enum Phase {
        case running
        case refusing
        case closing
        case stopped
    }

    /// Guards what follows; signalled whenever an exchange ends.
    private let condition = NSCondition()
    private var phase = Phase.running
    private var connections: [UInt64: Connection] = [:]
    private var lastID: UInt64 = 0
    private var exchanges = 0
    private var stopWaiters: [CheckedContinuation<Void, Never>] = []

    init(_ configuration: HTTPServer.Configuration, handler: @escaping ServerHandler) throws(ServerError) {
        if let missing = aq_mhd_missing() { throw .missingLibrary(reason: String(cString: missing)) }
        Self.ignoreBrokenPipes
        self.configuration = configuration
        self.handler = handler
        listener = try ListeningSocket(host: configuration.host, port: configuration.port)
        do throws(ServerError) {
            let tick = min(.seconds(1), max(.milliseconds(10), configuration.headTimeout / 4))
            watcher = try HangUpWatcher(
                tick: tick, onHangUp: { [weak self] in self?.connection($0)?.hangUp() },
                onTick: { [weak self] in self?.closeOverdue() })
            daemon = aq_mhd_start(
                // Wiped after every request: 32 KB cost a tenth of the time of a small answer.
                listener.descriptor, max(16 * 1024, 2 * configuration.maxHeaderBytes),
                UInt32(configuration.maxConnections + Self.excess), configuration.idleSeconds,
                UInt32(configuration.threads), handleAccess, requestCompleted, connectionChanged,
                Unmanaged.passUnretained(self).toOpaque())
            guard daemon != nil else { throw .outOfResources(reason: String(cString: strerror(errno))) }
        } catch {
            watcher?.stop()
            listener.close()
            throw error
        }
    }

    /// How many connections past the limit are told so; those past that wait unanswered in the system's queue.
    private static let excess = 64

    private static let ignoreBrokenPipes: Void = {
        var action = sigaction()
        guard sigaction(SIGPIPE, nil, &action) == 0 else { return }
        #if canImport(Darwin)
            let isDefault = action.__sigaction_u.__sa_handler == nil
        #else
            let isDefault = action.__sigaction_handler.sa_handler == nil
        #endif
        if isDefault { signal(SIGPIPE, SIG_IGN) }
    }()

    // MARK: Connections

    func open(socket: Int32, remoteAddress: String) -> Connection {
        let connection = condition.withLock {
            lastID += 1
            let connection = Connection(
                id: lastID, socket: socket, remoteAddress: remoteAddress,
                isExcess: connections.count >= configuration.maxConnections, hungUp: phase == .closing,
                headDeadline: .now + configuration.headTimeout)
            connections[lastID] = connection
            return connection
        }
        watcher?.watch(socket, id: connection.id)
        return connection
    }

    func close(_ connection: Connection) {
        _ = condition.withLock { connections.removeValue(forKey: connection.id) }
    }

    private func connection(_ id: UInt64) -> Connection? {
        condition.withLock { connections[id] }
    }

    private func closeOverdue() {
        let now = ContinuousClock.now
        condition.withLock {
            // Under the lock: a connection that is in the table has not closed its socket yet.
            for connection in connections.values where connection.isOverdue(at: now) {
                _ = shutdown(connection.socket, Int32(SHUT_RDWR))
            }
        }
    }

    // MARK: Exchanges

    /// Counts a request in, unless the server is being stopped.
    func admit() -> Bool {
        condition.withLock {
            guard phase == .running else { return false }
            exchanges += 1
            return true
        }
    }

    /// A request is answered, and its handler has returned.
    func exchangeEnded() {
        condition.withLock {
            exchanges -= 1
            if phase != .running { condition.broadcast() }
        }
    }

    // MARK: Stopping

    func stop(grace: Duration) async {
        await withCheckedContinuation { continuation in
            let isStopped = condition.withLock {
                if phase != .stopped { stopWaiters.append(continuation) }
                return phase == .stopped
            }
            if isStopped { continuation.resume() }
            beginStop(grace: grace)
        }
    }

    func stopInBackground() {
        beginStop(grace: .zero)
    }

    /// On a thread of its own: stopping the daemon waits for the daemon's threads.
    private func beginStop(grace: Duration) {
        let isFirst = condition.withLock {
            guard phase == .running else { return false }
            phase = .refusing
            return true
        }
        if isFirst { Thread.detachNewThread { self.shutDown(grace: grace) } }
    }

    /// The order matters: stopping the daemon while a connection is suspended aborts the process.
    private func shutDown(grace: Duration) {
        MHD_quiesce_daemon(daemon)
        listener.refuse()
        waitForExchanges(atMost: grace)
        let open = condition.withLock {
            phase = .closing
            return Array(connections.values)
        }
        open.forEach { $0.hangUp() }
        waitForExchanges(atMost: .seconds(1))
        MHD_stop_daemon(daemon)
        watcher?.stop()
        listener.close()
        let waiters = condition.withLock {
            phase = .stopped
            defer { stopWaiters = [] }
            return stopWaiters
        }
        waiters.forEach { $0.resume() }
    }

    private func waitForExchanges(atMost limit: Duration) {
        let deadline = Date(timeIntervalSinceNow: limit / .seconds(1))
        condition.withLock {
            while exchanges > 0, condition.wait(until: deadline) {}
        }
    }
}

extension HTTPServer.Configuration {
    /// libmicrohttpd counts in whole seconds, and takes 0 for "for ever".
    fileprivate var idleSeconds: UInt32 {
        UInt32(min(86400, max(1, (idleTimeout / .seconds(1)).rounded(.up))))
    }
}
