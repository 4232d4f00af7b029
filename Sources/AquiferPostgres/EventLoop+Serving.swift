import Aquifer
import AquiferCPostgres
import AquiferConcurrency
import AquiferFoundation

/// Requests on their way: given out to connections, answered, lost with one and settled by the next.
extension EventLoop {
    /// The number of times that a request is sent at most, where the server itself undoes it.
    private static let attempts = 20

    /// Gives what waits to the connections that have room.
    func giveOut() {
        if !waiting.isEmpty {
            let (requests, insertions) = (
                waiting.filter { $0.insertion == nil }, waiting.filter { $0.insertion != nil }
            )
            waiting = []
            for request in requests {
                guard
                    let link = request.mayCommit ? linkForWriting(where: { _ in true }) : linkForReading
                else {
                    waiting.append(request)
                    continue
                }
                if !link.send(request) { lose(link) }
            }
            giveOut(insertions: insertions)
        }
        for link in links where !link.flush() { lose(link) }
    }

    /// A connection makes one step of insertions at a time. Meanwhile the next one grows.
    private func giveOut(insertions: [Request]) {
        var left = insertions[...]
        while !left.isEmpty, let link = linkForWriting(where: { !$0.isInserting }) {
            let next = Insertion.next(of: Array(left.prefix(Insertion.width)))
            left = left.dropFirst(max(next.count, 1))
            guard let request = Insertion.request(joining: next, channel: connecting.schema.channel) else { continue }
            if !link.send(request) { lose(link) }
        }
        waiting += left
    }

    /// True if reads and writes share the only connection that there may be.
    private var sharesOne: Bool { most == 1 || (isShort && links.count == 1) }

    /// A read waits behind no write: a commit may wait for a replica, and a row for a lock.
    private var linkForReading: Link? { freest { sharesOne || !$0.mayCommit } }

    /// Writes leave one connection to the reads. Where there may be room for one more, the second write waits until it is known.
    private func linkForWriting(where condition: (Link) -> Bool) -> Link? {
        let free = links.count { !$0.mayCommit }
        let mayGrow = links.count < most && lastFailure == nil && lost.isEmpty
        if free == 1, links.count > 1, mayGrow, !opensSlowly { return nil }
        let mayTakeOne = sharesOne || mayGrow || free > 1
        return freest { ($0.mayCommit || mayTakeOne) && condition($0) }
    }

    private func freest(where condition: (Link) -> Bool) -> Link? {
        links.filter { !$0.isFull && condition($0) }.min { $0.inFlight.count < $1.inFlight.count }
    }

    /// Reads what has arrived, and sends what did not fit.
    func serve(_ isReady: (Int32) -> Bool) {
        for link in links where isReady(link.descriptor) { serve(link) }
        guard let listener else { return }
        listener.rest(at: now)
        if let descriptor = listener.descriptor, isReady(descriptor), !listener.receive(at: now) { listenAnew() }
        if let moment = listener.retryAt, moment <= now { connect(listener) }
    }

    private func listenAnew() {
        guard let listener, listener.descriptor != nil else { return }
        listener.close()
        connecting.presence.disappear()
        listener.retryAt = now
    }

    func serve(_ link: Link) {
        let (done, isBroken) = link.receive()
        var isUseless = isBroken
        for request in done where !finish(request, link) { isUseless = true }
        if isUseless || !link.flush() { lose(link) }
    }

    /// The sockets to watch. A connection without requests under way is left to the caller who may use it by then.
    func watched() -> [(descriptor: Int32, interest: SocketPoller.Interest)] {
        var sockets: [(descriptor: Int32, interest: SocketPoller.Interest)] = links.map {
            ($0.descriptor, $0.isBlocked ? .writing : $0.inFlight.isEmpty ? .end : .reading)
        }
        if let listener, listener.restsUntil == nil, let descriptor = listener.descriptor {
            sockets.append((descriptor, .reading))
        }
        return sockets
    }

    /// Ends an answered request, or lets it wait for another attempt.
    ///
    /// - Returns: false if its connection cannot be used any more.
    private func finish(_ request: Request, _ link: Link) -> Bool {
        if let failure = request.failure {
            // A primary that has become a replica refuses writes; one that never took any is meant to be a replica.
            let isPassing = failure.isPassing && (!failure.isOfReplica || hasWritten)
            // Nothing of what the primary tells is heard there.
            if failure.isOfReplica { listenAnew() }
            if request.steps[0].statement == .begin {
                link.begin(failedWith: failure)
                return !isPassing
            }
            if !request.joined.isEmpty, !isPassing {
                waiting += request.parted()
                return true
            }
            guard isPassing || failure.isConflict, request.attempts < Self.attempts else {
                request.end(.refused(failure))
                // Another connection may lead to the primary.
                return !failure.isOfReplica
            }
            waiting.append(request)
            return !isPassing
        }
        guard request.writes else {
            request.end(.rows(request.results))
            return true
        }
        // Without a session nothing is written: it did not begin, or somebody else has ended it.
        if let failure = link.beginFailure, request.results.first?.count == 0 {
            request.end(.refused(failure))
            return !failure.isOfReplica
        }
        guard let rows = request.results.first, rows.count == 1 else {
            request.failure = ServerFailure("the session has ended")
            if request.attempts < Self.attempts {
                waiting.append(request)
            } else {
                request.end(.refused(request.failure ?? link.failure))
            }
            return false
        }
        hasWritten = true
        request.end(.written((rows.integer(0, 0) ?? 0) > 0))
        return true
    }

    /// Takes a broken connection out of use. The next connection settles the requests that were on their way.
    func lose(_ link: Link) {
        guard let place = links.firstIndex(where: { $0 === link }) else { return }
        links.remove(at: place)
        lastFailure = link.failure
        let requests = link.abandon()
        // A write that waits to learn its outcome gets the time of a new one.
        for request in requests where request.writes {
            request.deadline = max(request.deadline, now + connecting.patience)
        }
        if !requests.isEmpty { lost.append(Lost(session: link.session, requests: requests)) }
    }

    /// Ends or repeats the requests of a lost session, of which the server now tells what was made.
    func settle(_ session: Data, _ record: SessionRecord?) {
        // Nobody waits for it any more.
        guard let place = lost.firstIndex(where: { $0.session == session }) else { return }
        let lost = self.lost.remove(at: place)
        var again: [Request] = []
        for request in lost.requests {
            if request.writes, let hit = record?.outcome(of: request.number) {
                request.end(.written(hit))
            } else if !request.steps.isEmpty, request.steps[0].statement != .begin {
                again.append(request)
            }
        }
        waiting = again + waiting
    }

    /// Ends what has waited for too long.
    func expire() {
        let failure = lastFailure ?? ServerFailure("the server does not answer")
        for request in waiting where request.deadline <= now { request.end(.unreachable(request.failure ?? failure)) }
        waiting.removeAll { $0.deadline <= now }
        // The server has a limit of its own, and is given the time to say that it was reached.
        for link in links where link.inFlight.contains(where: { $0.deadline + .seconds(2) <= now }) {
            lose(link)
            // A server that does not say so is not there: nobody else waits for it in vain.
            if links.isEmpty { away = (now - connecting.patience, now) }
        }
        for place in lost.indices {
            for request in lost[place].requests where request.deadline <= now {
                request.end(request.writes ? .uncertain(failure) : .unreachable(failure))
            }
            lost[place].requests.removeAll { $0.deadline <= now }
        }
        lost.removeAll { $0.requests.isEmpty }
    }
}
