import AquiferCRedis
import AquiferConcurrency
import AquiferFoundation
import Dispatch

/// Ends the loop's thread with the store that uses it.
final class LoopOwner: Sendable {
    let loop: EventLoop

    init(_ connecting: Connecting, _ listener: Listener) { loop = EventLoop(connecting, listener) }

    deinit { loop.stop() }
}

/// The connections of a store, which are used by one thread at a time. Most of the time it is the loop's own, to which others leave requests.
/// A caller whose request is the only one carries it out on his own thread (``LoopTurns``).
///
/// Making a connection blocks, so that it happens on a dispatch queue.
final class EventLoop: @unchecked Sendable {
    private enum Command {
        case request(Request)
        /// Connect, although there is no request yet.
        case begin
        case opened(Result<Context, Connecting.Failure>)
        case listening(Result<Context, Connecting.Failure>)
    }

    /// A connection on its way from the queue that has made it to the loop.
    private struct Context: @unchecked Sendable {
        let pointer: UnsafeMutablePointer<redisContext>
    }

    let connecting: Connecting
    /// Told of the changes of others, from the first connection on.
    private let listener: Listener

    private let turns = LoopTurns<Command>()

    // ---- Below: for who has the turn only. ----

    private var now = ContinuousClock.now
    private var link: Link?
    /// The requests that no connection has taken, in order.
    private var waiting: [Request] = []
    private var (isWanted, isOpening) = (false, false)
    /// The reason why there is no connection, and since when.
    private var failure: (message: String, isRefusal: Bool, since: ContinuousClock.Instant)?
    /// When a connection may be tried again, and how long to wait after the next failure.
    private var nextAttempt = ContinuousClock.now
    private var pause = firstPause
    /// When to look for how much the server has taken of what is on its way to it.
    private var nextLook = ContinuousClock.now
    /// The number of looks within the patience of a call: a sign of life is found late by a fourth of it at most.
    private static let looks = 4
    private static let firstPause = Duration.milliseconds(20)
    private static let longestPause = Duration.seconds(1)
    private let queue = DispatchQueue(label: "aquifer.redis.connecting", attributes: .concurrent)

    init(_ connecting: Connecting, _ listener: Listener) { (self.connecting, self.listener) = (connecting, listener) }

    /// Carries a request out on this thread, if nothing else is to do and the server is quick. Otherwise the loop's thread does.
    func carryOut(_ request: Request) {
        guard turns.take() else { return push(.request(request)) }
        turns.giveBack(isDone: carryOutHere(request))
    }

    /// The number of requests that their callers have carried out.
    var carriedOut: Int { turns.carriedOut }

    /// Connects, although there is no request yet.
    func begin() { push(.begin) }

    private func push(_ command: Command) {
        if turns.push(command) { return }
        do {
            try turns.begin(named: "redis") { self.run() }
            _ = turns.push(command)
        } catch {
            if case .request(let request) = command { request.fail("no thread: \(error)") }
        }
    }

    func stop() { turns.stop() }

    private func run() {
        while let next = turns.next() {
            now = .now
            for command in next { carryOut(command) }
            serve()
            open()
            expire()
            let isIdle = link.map(\.isIdle) ?? false && waiting.isEmpty
            turns.sleep(watching: watched(), milliseconds: alarm().milliseconds, isIdle: isIdle)
        }
        for request in (link?.abandon() ?? []) + waiting { request.fail("the store was closed") }
        (link, listener.link) = (nil, nil)
    }

    /// - Returns: false if the request is under way.
    private func carryOutHere(_ request: Request) -> Bool {
        now = .now
        waiting.append(request)
        guard let link else { return false }
        giveOut(link)
        while !request.isEnded {
            guard self.link === link, !link.isBlocked, turns.waitToRead(link.descriptor) else { return false }
            if !link.receive() { lose(link) }
        }
        return true
    }

    private func carryOut(_ command: Command) {
        switch command {
        case .request(let request): waiting.append(request)
        case .begin: isWanted = true
        case .opened(.success(let context)):
            (isWanted, isOpening, failure, pause) = (false, false, nil, Self.firstPause)
            link = Link(owning: context.pointer)
        case .opened(.failure(let reason)):
            isOpening = false
            failure = (reason.message, reason.isRefusal, failure?.since ?? now)
            nextAttempt = now + pause
            pause = min(pause * 2, Self.longestPause)
        case .listening(.success(let context)): listener.resume(Link(owning: context.pointer))
        case .listening(.failure): listener.retryAt = now + Self.longestPause
        }
    }

    /// Reads what has arrived, and gives out what waits.
    private func serve() {
        if let link {
            if turns.isReady(link.descriptor), !link.receive() { lose(link) } else { giveOut(link) }
        }
        listener.rest(at: now)
        if let descriptor = listener.link?.descriptor, turns.isReady(descriptor), !listener.receive(at: now) {
            listener.link = nil
            listener.retryAt = now
        }
        if let moment = listener.retryAt, moment <= now { listen() }
    }

    /// Sends what waits, and what did not fit before.
    private func giveOut(_ link: Link) {
        let taken = link.isFull ? 0 : waiting.count
        for request in waiting.prefix(taken) { link.send(request) }
        waiting.removeFirst(taken)
        if !link.flush() { lose(link) }
    }

    /// Takes a broken connection out of use. The next one repeats what was on its way.
    private func lose(_ link: Link) {
        failure = (link.failure, false, now)
        waiting = link.abandon() + waiting
        self.link = nil
        nextAttempt = now
    }

    private func expire() {
        if let link, !link.isIdle {
            if nextLook <= now {
                link.look(at: now)
                nextLook = now + max(connecting.patience / Self.looks, .milliseconds(1))
            }
            if let deadline = link.deadline(connecting.patience), deadline + .seconds(1) <= now { lose(link) }
        }
        guard !waiting.isEmpty else { return }
        // A server that has been away for long, or refuses to serve, is not waited for.
        let isGone = failure.map { $0.isRefusal || $0.since + connecting.patience <= now } ?? false
        let reason = failure?.message ?? "the server does not answer"
        // Those that a connection in use has no room for wait for as long as it shows signs of life.
        let (areAllOver, areLateOver) = (isGone && !isOpening, link == nil)
        let ended = waiting.filter { areAllOver || areLateOver && $0.deadline <= now }
        guard !ended.isEmpty else { return }
        waiting.removeAll { areAllOver || areLateOver && $0.deadline <= now }
        for request in ended { request.fail(reason) }
        // A refusal may have a remedy by now: the next caller finds out.
        if failure?.isRefusal == true { failure = nil }
    }

    /// Connects if somebody waits for it. The first time it listens before: a caller who was answered misses no change from then on.
    private func open() {
        guard link == nil, !isOpening, isWanted || !waiting.isEmpty, now >= nextAttempt else { return }
        isOpening = true
        let listensFirst = !listener.hasBegun
        queue.async { [connecting, channels = [listener.channel, listener.leaseChannel], weak self] in
            if listensFirst {
                let result = Result { () throws(Connecting.Failure) in
                    Context(pointer: try connecting.listen(to: channels))
                }
                if case .failure(let failure) = result { return self?.push(.opened(.failure(failure))) ?? () }
                self?.push(.listening(result))
            }
            let result = Result { () throws(Connecting.Failure) in Context(pointer: try connecting.open()) }
            self?.push(.opened(result))
        }
    }

    private func listen() {
        listener.retryAt = nil
        queue.async { [connecting, channels = [listener.channel, listener.leaseChannel], weak self] in
            let result = Result { () throws(Connecting.Failure) in Context(pointer: try connecting.listen(to: channels))
            }
            self?.push(.listening(result))
        }
    }

    private func watched() -> [(descriptor: Int32, interest: SocketPoller.Interest)] {
        var sockets: [(descriptor: Int32, interest: SocketPoller.Interest)] = []
        // A connection without requests under way is left to the caller who may use it by then.
        if let link { sockets.append((link.descriptor, link.isBlocked ? .writing : link.isIdle ? .end : .reading)) }
        if let link = listener.link, listener.restsUntil == nil { sockets.append((link.descriptor, .reading)) }
        return sockets
    }

    /// The next moment at which there is something to do without being asked.
    private func alarm() -> ContinuousClock.Instant {
        var moments = [listener.retryAt, listener.restsUntil].compactMap { $0 }
        if link == nil { moments += waiting.map(\.deadline) }
        if let link, let deadline = link.deadline(connecting.patience) {
            moments += [deadline + .seconds(1), nextLook]
        }
        if isWanted || !waiting.isEmpty, link == nil, !isOpening { moments.append(nextAttempt) }
        return moments.min() ?? now + .seconds(60)
    }
}
