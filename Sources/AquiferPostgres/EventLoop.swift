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

/// All connections of a store, which are used by one thread at a time. Most of the time it is the loop's own, to which others leave requests.
/// A caller whose request is the only one carries it out on his own thread (``LoopTurns``).
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

    private let turns = LoopTurns<Command>()
    private let lastUse = Locked(PoolUse())

    // ---- Below: for who has the turn only. ----

    var now = ContinuousClock.now
    var links: [Link] = []
    /// The requests that no connection has taken, in order.
    var waiting: [Request] = []
    var lost: [Lost] = []
    var opening = 0
    /// The time until which a write waits for the connection that is being made.
    private var openingUntil = ContinuousClock.now
    private static let longestOpening = Duration.seconds(1)
    /// True if nobody waits any longer for the connection that is being made.
    var opensSlowly: Bool { opening > 0 && openingUntil <= now }
    var listener: Listener?
    /// True after the server has taken a write.
    var hasWritten = false
    var lastFailure: ServerFailure?
    /// The time since which no connection could be made, and the time of the last try; `nil` if there are connections.
    var away: (since: ContinuousClock.Instant, triedAt: ContinuousClock.Instant)?
    /// True after a connection could not be made that asked for nothing: the server may be full.
    private(set) var isShort = false
    /// True if a call was given up without a try: one is made for the next.
    private var isMissed = false
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
        lastUse.withLock { [most] in $0.limit = most }
    }

    /// The use of the connections, at the end of the thread's last round.
    var use: PoolUse { lastUse.withLock { $0 } }

    /// Carries a request out on this thread, if nothing else is to do and the server is quick. Otherwise the loop's thread does.
    func carryOut(_ request: Request) {
        guard turns.take() else { return push(.request(request)) }
        turns.giveBack(isDone: carryOutHere(request))
    }

    /// The number of requests that their callers have carried out.
    var carriedOut: Int { turns.carriedOut }

    /// Serves a listener, as long as there is the loop.
    func push(_ listener: Listener) { push(.listen(listener)) }

    private func push(_ command: Command) {
        if turns.push(command) { return }
        do {
            try turns.begin(named: "postgres") { self.run() }
            _ = turns.push(command)
        } catch {
            if case .request(let request) = command {
                request.end(.unreachable(ServerFailure("no thread: \(error)")))
            }
        }
    }

    func stop() { turns.stop() }

    private func run() {
        while let next = turns.next() {
            now = .now
            for command in next { carryOut(command) }
            serve(turns.isReady)
            // Answers have made room, and a request may have to be sent again.
            giveOut()
            expire()
            giveUp()
            open()
            let busy = links.count { !$0.inFlight.isEmpty }
            let use = PoolUse(
                limit: most, busy: busy, idle: links.count - busy, opening: opening, waiting: waiting.count)
            lastUse.withLock { $0 = use }
            turns.sleep(watching: watched(), milliseconds: alarm().milliseconds, isIdle: isIdle)
        }
        links = []
        for request in waiting + lost.flatMap(\.requests) {
            request.end(.unreachable(ServerFailure("the store was closed")))
        }
        listener?.close()
    }

    /// True if nothing is under way, and a request would be sent at once.
    private var isIdle: Bool {
        !links.isEmpty && waiting.isEmpty && lost.isEmpty && links.allSatisfy(\.inFlight.isEmpty)
    }

    /// - Returns: false if the request is under way.
    private func carryOutHere(_ request: Request) -> Bool {
        now = .now
        waiting.append(request)
        giveOut()
        while !request.isEnded {
            guard waiting.isEmpty, let link = links.first(where: { !$0.inFlight.isEmpty }), !link.isBlocked,
                turns.waitToRead(link.descriptor)
            else { return false }
            serve(link)
        }
        return true
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
                (lastFailure, away, isShort) = (nil, nil, false)
                links.append(Link(owning: connection))
                for (session, record) in zip(asked, records) { settle(session, record) }
                settlesNext = true
            case .failure(let failure):
                lastFailure = failure
                noteAway()
                for place in lost.indices where asked.contains(lost[place].session) { lost[place].isAsked = false }
                settlesNext = asked.isEmpty
                isShort = isShort || asked.isEmpty
                nextAttempt = now + pause
                pause = min(pause * 2, Self.longestPause)
            }
        case .listening(let result, let listener):
            switch result {
            case .success(let connection):
                away = nil
                listener.resume(connection)
            case .failure(let failure):
                if links.isEmpty { lastFailure = failure }
                noteAway()
                listener.retryAt = now + Self.longestPause
            }
        }
    }

    /// Opens a connection if one is missing: the first, one for what waits, or one that tells of lost sessions.
    private func open() {
        // Only a new connection tells of lost sessions, and there may be one too many meanwhile.
        let unknown = lost.filter { !$0.isAsked }.map(\.session)
        guard links.count + opening < most || (!unknown.isEmpty && opening == 0), now >= nextAttempt else { return }
        let asked = settlesNext || !links.isEmpty || waiting.isEmpty ? unknown : []
        let isBusy =
            !waiting.isEmpty || isMissed || isShort || links.allSatisfy { $0.inFlight.count > 8 } && !links.isEmpty
        guard !asked.isEmpty || isBusy, lastFailure == nil || opening == 0 else { return }
        // While connections fail, one at a time is tried.
        opening += 1
        openingUntil = now + Self.longestOpening
        isMissed = false
        for place in lost.indices where asked.contains(lost[place].session) { lost[place].isAsked = true }
        queue.async { [connecting, weak self] in
            let result = Result { () throws(ServerFailure) in try connecting.open(ending: asked) }
            guard let self else { return }
            self.push(.opened(result, of: asked))
        }
    }

    /// Notes that a connection could not be made.
    private func noteAway() {
        if links.isEmpty { away = (away?.since ?? now, now) }
    }

    /// Gives up the requests that have not been sent, if the server has been away for as long as a call waits: each one more would wait as
    /// long, in vain. Connections are tried meanwhile.
    private func giveUp() {
        guard links.isEmpty, let away, away.since + connecting.patience <= now, now < away.triedAt + connecting.patience
        else { return }
        let failure = lastFailure ?? ServerFailure("the server does not answer")
        for request in waiting where request.attempts == 0 {
            isMissed = true
            request.end(.unreachable(failure))
        }
        waiting.removeAll { $0.attempts == 0 }
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
        var moments = [waiting.lazy.map(\.deadline).min(), listener?.retryAt, listener?.restsUntil].compactMap { $0 }
        for link in links { if let moment = link.inFlight.lazy.map(\.deadline).min() { moments.append(moment) } }
        for each in lost { if let moment = each.requests.lazy.map(\.deadline).min() { moments.append(moment) } }
        // Once it has passed, only an event lets another connection be made.
        if !waiting.isEmpty || !lost.isEmpty || isMissed, nextAttempt > now { moments.append(nextAttempt) }
        if !waiting.isEmpty, opening > 0, openingUntil > now { moments.append(openingUntil) }
        return moments.min() ?? now + .seconds(60)
    }
}
