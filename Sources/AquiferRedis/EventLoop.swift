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

/// The one thread on which the connections of a store are used. Others leave it requests.
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

    /// Guards everything down to the next line.
    private let lock = Lock()
    private var commands: [Command] = []
    private var isAsleep = false
    private var isStopped = false
    private var poller: SocketPoller?

    // ---- Below: the loop's thread only. ----

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
    private static let firstPause = Duration.milliseconds(20)
    private static let longestPause = Duration.seconds(1)
    private let queue = DispatchQueue(label: "aquifer.redis.connecting", attributes: .concurrent)

    init(_ connecting: Connecting, _ listener: Listener) { (self.connecting, self.listener) = (connecting, listener) }

    /// Leaves a request, in order.
    func push(_ request: Request) { push(.request(request)) }

    /// Connects, although there is no request yet.
    func begin() { push(.begin) }

    private func push(_ command: Command) {
        lock.lock()
        if poller == nil, !isStopped {
            do {
                let poller = try SocketPoller()
                try SystemThread.start(named: "redis") { self.run(poller) }
                self.poller = poller
            } catch {
                lock.unlock()
                if case .request(let request) = command { request.fail("no thread: \(error)") }
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
            serve(poller)
            open()
            expire()
            let goesOn = lock.withLock {
                isAsleep = commands.isEmpty && !isStopped
                return !isAsleep
            }
            if !goesOn { poller.wait(watching: watched(), milliseconds: alarm().milliseconds) }
        }
        for request in (link?.abandon() ?? []) + waiting { request.fail("the store was closed") }
        (link, listener.link) = (nil, nil)
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

    /// Gives out what waits, reads what has arrived, and sends what did not fit.
    private func serve(_ poller: SocketPoller) {
        if let link {
            let taken = link.isFull ? 0 : waiting.count
            for request in waiting.prefix(taken) { link.send(request) }
            waiting.removeFirst(taken)
            let isAlive = !poller.isReady(link.descriptor) || link.receive()
            if !isAlive || !link.flush() { lose(link) }
        }
        if let descriptor = listener.link?.descriptor, poller.isReady(descriptor), !listener.receive() {
            listener.link = nil
            listener.retryAt = now
        }
        if let moment = listener.retryAt, moment <= now { listen() }
    }

    /// Takes a broken connection out of use. The next one repeats what was on its way.
    private func lose(_ link: Link) {
        failure = (link.failure, false, now)
        waiting = link.abandon() + waiting
        self.link = nil
        nextAttempt = now
    }

    private func expire() {
        if let link, let deadline = link.deadline, deadline + .seconds(1) <= now { lose(link) }
        guard !waiting.isEmpty else { return }
        // A server that has been away for long, or refuses to serve, is not waited for.
        let isGone = failure.map { $0.isRefusal || $0.since + connecting.patience <= now } ?? false
        let reason = failure?.message ?? "the server does not answer"
        let ended = waiting.filter { isGone && !isOpening || $0.deadline <= now }
        guard !ended.isEmpty else { return }
        waiting.removeAll { isGone && !isOpening || $0.deadline <= now }
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

    private func watched() -> [(descriptor: Int32, writes: Bool)] {
        var sockets: [(descriptor: Int32, writes: Bool)] = []
        if let link { sockets.append((link.descriptor, link.isBlocked)) }
        if let link = listener.link { sockets.append((link.descriptor, false)) }
        return sockets
    }

    /// The next moment at which there is something to do without being asked.
    private func alarm() -> ContinuousClock.Instant {
        var moments = waiting.map(\.deadline) + [listener.retryAt].compactMap { $0 }
        if let deadline = link?.deadline { moments.append(deadline + .seconds(1)) }
        if isWanted || !waiting.isEmpty, link == nil, !isOpening { moments.append(nextAttempt) }
        return moments.min() ?? now + .seconds(60)
    }
}
