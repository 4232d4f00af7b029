import AquiferConcurrency
import CMicrohttpd
import Foundation

/// The running server: the daemon, its connections, and the order in which they are stopped.
final class ServerCore: @unchecked Sendable {
    let configuration: HTTPServer.Configuration
    let gate: ServerGate
    let handler: ServerHandler
    let refused: ServerRefusalWatch
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
    /// Those that were opened, the oldest first, until they are seen to be known or gone.
    private var unknown: [Connection] = []
    private var lastID: UInt64 = 0
    private var exchanges = 0
    /// The connections whose requests libmicrohttpd has refused. Each counts as an exchange: a daemon that is stopped before it has made
    /// its own answer uses an answer that is not there, and ends the process (0.9.75).
    private var refusing: Set<UInt64> = []
    private var stopWaiters: [CheckedContinuation<Void, Never>] = []

    /// The number of connections that may be open, and of those above it that are answered with 503; others wait
    /// unanswered in the system's queue.
    private let limit: (connections: Int, excess: Int)

    init(
        _ configuration: HTTPServer.Configuration, _ makeAnswers: (_ port: UInt16) -> HTTPServer.Answers
    ) throws(ServerError) {
        if let missing = aq_mhd_missing() { throw .missingLibrary(reason: String(cString: missing)) }
        BrokenPipes.ignore
        self.configuration = configuration
        limit = configuration.connectionLimit(descriptors: DescriptorLimit.current)
        let listener = try ListeningSocket(host: configuration.host, port: configuration.port)
        self.listener = listener
        let answers = makeAnswers(listener.port)
        gate = answers.gate
        handler = answers.handler
        refused = answers.refused
        do throws(ServerError) {
            let tick = min(
                .seconds(1), max(.milliseconds(10), min(configuration.headTimeout, configuration.bodyTimeout) / 4))
            watcher = try HangUpWatcher(
                tick: tick, onHangUp: { [weak self] in self?.connection($0)?.hangUp() },
                onTick: { [weak self] in self?.closeOverdue() })
            daemon = aq_mhd_start(
                // Wiped after every request: 32 KB cost a tenth of the time of a small answer.
                listener.descriptor, max(16 * 1024, 2 * configuration.maxHeaderBytes),
                UInt32(limit.connections + limit.excess), configuration.idleSeconds,
                UInt32(configuration.threads), handleAccess, requestCompleted, connectionChanged,
                requestRefused, Unmanaged.passUnretained(self).toOpaque())
            guard daemon != nil else { throw .outOfResources(reason: String(cString: strerror(errno))) }
        } catch {
            watcher?.stop()
            listener.close()
            throw error
        }
    }

    // MARK: Connections

    func open(_ mhd: OpaquePointer, socket: Int32, remoteAddress: String) -> Connection {
        let connection = condition.withLock {
            lastID += 1
            let isExcess = connections.count >= limit.connections && !makeRoom()
            let connection = Connection(
                id: lastID, mhd: mhd, socket: socket, remoteAddress: remoteAddress, isExcess: isExcess,
                hungUp: phase == .closing, headDeadline: .now + configuration.headTimeout)
            connections[lastID] = connection
            unknown.append(connection)
            return connection
        }
        watcher?.watch(socket, id: connection.id)
        return connection
    }

    /// Ends the oldest connection that has shown nothing. The caller holds the condition: a connection that is in the
    /// table has not closed its socket yet.
    ///
    /// - Returns: whether there was one.
    private func makeRoom() -> Bool {
        var seen = 0
        defer { unknown.removeFirst(seen) }
        for candidate in unknown {
            seen += 1
            guard connections[candidate.id] != nil, !candidate.isKnown else { continue }
            _ = shutdown(candidate.socket, Int32(SHUT_RDWR))
            return true
        }
        return false
    }

    func close(_ connection: Connection) {
        condition.withLock {
            connections.removeValue(forKey: connection.id)
            if refusing.remove(connection.id) != nil {
                exchanges -= 1
                if phase != .running { condition.broadcast() }
            }
            // Those that closed by themselves, or are known, are forgotten now and then.
            guard unknown.count > 2 * connections.count + 64 else { return }
            unknown.removeAll { connections[$0.id] == nil || $0.isKnown }
        }
    }

    private func connection(_ id: UInt64) -> Connection? {
        condition.withLock { connections[id] }
    }

    /// libmicrohttpd refuses a request on this thread with `status`, and is about to answer: with two heads if it has read the head, and amid
    /// a chunked body with a page for its developer. Our own answer goes out instead, and its own finds the connection shut.
    ///
    /// It does not say which connection it is. Where none or several come into question, its answer stays.
    func libraryRefuses(_ status: Int) {
        // Only a line of a chunk that is too long for its memory gets a 500.
        let isChunk = status == 500
        let text = isChunk ? "a chunk's line is too long" : "the Host or the Content-Length is none that can be served"
        let response = refused(nil, .refusal(isChunk ? 400 : status, text))
        condition.withLock {
            let wanted = connections.values.filter { $0.unheard == (isChunk ? .chunk : .head) }
            guard wanted.count == 1, let connection = wanted.first else { return }
            connection.refuse()
            if refusing.insert(connection.id).inserted { exchanges += 1 }
            // Small, and nothing of this request was answered yet: the system takes it whole, or the client goes without.
            let bytes = response.lastOnConnection(serverName: configuration.serverName)
            _ = bytes.withUnsafeBytes { write(connection.socket, $0.baseAddress, $0.count) }
            _ = shutdown(connection.socket, Int32(SHUT_WR))
        }
    }

    private func closeOverdue() {
        let now = ContinuousClock.now
        condition.withLock {
            // Under the lock: a connection that is in the table has not closed its socket yet.
            for connection in connections.values where connection.isOverdue(at: now, configuration) {
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
        guard isFirst else { return }
        do throws(SystemThread.Unavailable) {
            try SystemThread.start(named: "HTTPServer.stop") { self.shutDown(grace: grace) }
        } catch {
            // Without a thread the caller's has to do: a server that is told to stop stops.
            shutDown(grace: grace)
        }
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
    /// The number of connections that are accepted with so many descriptors, and of those that are answered with 503.
    func connectionLimit(descriptors: Int) -> (connections: Int, excess: Int) {
        let share = max(4, Int((Double(descriptors) * max(0, min(1, descriptorShare))).rounded(.down)))
        let excess = max(1, min(64, share / 8))
        return (max(1, min(maxConnections, share - excess)), excess)
    }

    /// libmicrohttpd counts in whole seconds, and takes 0 for "for ever".
    fileprivate var idleSeconds: UInt32 {
        UInt32(min(86400, max(1, (idleTimeout / .seconds(1)).rounded(.up))))
    }
}
