import Aquifer
import AquiferCPostgres
import AquiferConcurrency
import AquiferFoundation
import Dispatch

/// Ends the loop's thread with the store that uses it.
final class LoopOwner: Sendable {
    let loop: EventLoop

    init(_ connecting: Connecting, connections: Int) { loop = EventLoop(connecting, connections: connections) }

    deinit { loop.stop() }
}

/// The one thread on which all connections of a store are used. Others leave it requests.
///
/// Making a connection blocks, so that it happens on a dispatch queue.
final class EventLoop: @unchecked Sendable {
    /// A session whose connection has broken, with the requests whose answers have not come.
    struct Lost {
        let session: Data
        var requests: [Request]
        /// True while a connection is being made that asks for it.
        var isAsked = false
    }

    private enum Command {
        case request(Request)
        case listen(Listener)
        case opened(Result<(OpaquePointer, [SessionRecord?]), ServerFailure>, of: [Data])
        case listening(Result<OpaquePointer, ServerFailure>, Listener)
    }

    let connecting: Connecting
    let most: Int

    /// Guards everything down to the next line.
    private let lock = Lock()
    private var commands: [Command] = []
    private var isAsleep = false
    private var isStopped = false
    private var poller: SocketPoller?
    private var lastUse = PoolUse()

    // ---- Below: the loop's thread only. ----

    var now = ContinuousClock.now
    var links: [Link] = []
    /// The requests that no connection has taken, in order.
    var waiting: [Request] = []
    var lost: [Lost] = []
    var opening = 0
    var listener: Listener?
    var lastFailure: ServerFailure?
    /// False after a connection that asked for lost sessions was not answered: the next one is made without, for other callers.
    private var settlesNext = true
    /// When a connection may be tried again, and how long to wait after the next failure.
    private var nextAttempt = ContinuousClock.now
    private var pause = firstPause
    private static let firstPause = Duration.milliseconds(20)
    private static let longestPause = Duration.seconds(1)
    private let queue = DispatchQueue(label: "aquifer.postgres.connecting", attributes: .concurrent)

    init(_ connecting: Connecting, connections: Int) {
        self.connecting = connecting
        most = max(connections, 1)
        lastUse.limit = most
    }

    /// The use of the connections, at the end of the thread's last round.
    var use: PoolUse { lock.withLock { lastUse } }

    /// Leaves a request, in order.
    func push(_ request: Request) { push(.request(request)) }

    /// Serves a listener, as long as there is the loop.
    func push(_ listener: Listener) { push(.listen(listener)) }

    private func push(_ command: Command) {
        lock.lock()
        if poller == nil, !isStopped {
            do {
                let poller = try SocketPoller()
                self.poller = poller
                try SystemThread.start(named: "postgres") { self.run(poller) }
            } catch {
                poller = nil
                lock.unlock()
                if case .request(let request) = command {
                    request.end(.unreachable(ServerFailure("no thread: \(error)")))
                }
                return
            }
        }
        commands.append(command)
        let wakes = isAsleep
        isAsleep = false
        let poller = poller
        lock.unlock()
        if wakes { poller?.wake() }
    }

    func stop() {
        let poller = lock.withLock {
            isStopped = true
            return self.poller
        }
        poller?.wake()
    }

    private func run(_ poller: SocketPoller) {
        while true {
            let next = lock.withLock { () -> [Command]? in
                defer { commands = [] }
                isAsleep = false
                return isStopped ? nil : commands
            }
            guard let next else { break }
            now = .now
            for command in next { carryOut(command) }
            giveOut()
            serve(poller)
            expire()
            open()
            let goesOn = lock.withLock {
                let busy = links.count { !$0.inFlight.isEmpty }
                lastUse = PoolUse(
                    limit: most, busy: busy, idle: links.count - busy, opening: opening, waiting: waiting.count)
                isAsleep = commands.isEmpty && !isStopped
                return !isAsleep
            }
            if !goesOn { poller.wait(watching: watched(), milliseconds: alarm().milliseconds) }
        }
        links = []
        for request in waiting + lost.flatMap(\.requests) {
            request.end(.unreachable(ServerFailure("the store was closed")))
        }
        listener?.close()
    }

    private func carryOut(_ command: Command) {
        switch command {
        case .request(let request): waiting.append(request)
        case .listen(let listener):
            self.listener = listener
        case .opened(let result, let asked):
            opening -= 1
            switch result {
            case .success(let (connection, records)):
                pause = Self.firstPause
                lastFailure = nil
                links.append(Link(owning: connection))
                for (session, record) in zip(asked, records) { settle(session, record) }
                settlesNext = true
            case .failure(let failure):
                lastFailure = failure
                for place in lost.indices where asked.contains(lost[place].session) { lost[place].isAsked = false }
                settlesNext = asked.isEmpty
                nextAttempt = now + pause
                pause = min(pause * 2, Self.longestPause)
            }
        case .listening(let result, let listener):
            switch result {
            case .success(let connection): listener.resume(connection)
            case .failure: listener.retryAt = now + Self.longestPause
            }
        }
    }

    /// Opens a connection if one is missing: the first, one for what waits, or one that tells of lost sessions.
    private func open() {
        // Only a new connection tells of lost sessions, and there may be one too many meanwhile.
        let unknown = lost.filter { !$0.isAsked }.map(\.session)
        guard links.count + opening < most || (!unknown.isEmpty && opening == 0), now >= nextAttempt else { return }
        let asked = settlesNext || !links.isEmpty || waiting.isEmpty ? unknown : []
        let isBusy = !waiting.isEmpty || links.allSatisfy { $0.inFlight.count > 8 } && !links.isEmpty
        guard !asked.isEmpty || isBusy, lastFailure == nil || opening == 0 else { return }
        // While connections fail, one at a time is tried.
        opening += 1
        for place in lost.indices where asked.contains(lost[place].session) { lost[place].isAsked = true }
        queue.async { [connecting, weak self] in
            let result = Result { () throws(ServerFailure) in try connecting.open(ending: asked) }
            guard let self else { return }
            self.push(.opened(result, of: asked))
        }
    }

    func connect(_ listener: Listener) {
        listener.retryAt = nil
        queue.async { [connecting, weak self] in
            let result = Result { () throws(ServerFailure) in
                try connecting.listen(to: listener.channels, again: true).connection
            }
            self?.push(.listening(result, listener))
        }
    }

    /// The next moment at which there is something to do without being asked.
    private func alarm() -> ContinuousClock.Instant {
        var moments = [waiting.lazy.map(\.deadline).min(), listener?.retryAt].compactMap { $0 }
        for link in links { if let moment = link.inFlight.lazy.map(\.deadline).min() { moments.append(moment) } }
        for each in lost { if let moment = each.requests.lazy.map(\.deadline).min() { moments.append(moment) } }
        // Once it has passed, only an event lets another connection be made.
        if !waiting.isEmpty || !lost.isEmpty, nextAttempt > now { moments.append(nextAttempt) }
        return moments.min() ?? now + .seconds(60)
    }
}
