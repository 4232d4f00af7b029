/// The right to use what an event loop owns: the loop's thread has it, or for a moment a caller.
///
/// A call that comes alone is carried out by its caller, who sends it, waits for the answer and reads it on his own thread. No other
/// thread wakes up for it. He waits for twice ``patience`` at most, and no longer than until somebody else has a command. Then the loop's
/// thread goes on with what he has begun. If that happens, the next calls are left to the thread from the start.
///
/// The thread looks after the callers: a timer of its own for each call would cost as much as the call. While there are calls, the thread
/// wakes up after each ``patience``, and interrupts a caller whom it finds for the second time.
package final class LoopTurns<Command>: @unchecked Sendable {
    private enum Turn { case thread, nobody, caller }

    /// The milliseconds after which the thread looks after a caller. Threads of tasks are few: they may not be held for long.
    package static var patience: Int32 { 1 }
    /// The number of calls at most that are left to the thread after one that its caller could not carry out.
    private static var longestRest: Int { 64 }

    private let lock = Lock()
    private var commands: [Command] = []
    private var turn = Turn.thread
    /// True if a caller may take the turn: nothing is under way.
    private var isFree = false
    /// True if the thread has been woken, and does not have the turn yet.
    private var isWoken = false
    /// True if the thread has something to do when the caller has done.
    private var isThreadWaiting = false
    private var isStopped = false
    private var hasInterrupted = false
    /// True while the thread looks after callers.
    private var isWatching = false
    /// The number of turns of callers, and the one that the thread has seen last.
    private var (turnsOfCallers, seen) = (0, 0)
    /// The number of calls that the thread carries out before the next caller may try, and of those after the next failure.
    private var (rest, nextRest) = (0, 1)
    private var count = 0
    private var poller: SocketPoller?
    /// Tells a caller who has the turn that somebody else has a command.
    private var interruption: WakePipe?

    package init() {}

    /// Starts the thread; does nothing if it has started.
    ///
    /// - Throws: the system's error if there is no thread or descriptor left.
    package func begin(
        named name: StaticString, _ run: @escaping @Sendable () -> Void
    ) throws(SystemThread.Unavailable) {
        try lock.withLock { () throws(SystemThread.Unavailable) in
            if poller != nil || isStopped { return }
            let (poller, interruption) = (try SocketPoller(), try WakePipe())
            try SystemThread.start(named: name, run)
            (self.poller, self.interruption) = (poller, interruption)
        }
    }

    /// Leaves a command to the thread, in order.
    ///
    /// - Returns: false if there is no thread yet.
    package func push(_ command: Command) -> Bool {
        lock.lock()
        guard let poller else {
            defer { lock.unlock() }
            return isStopped
        }
        commands.append(command)
        let interrupts = turn == .caller && !hasInterrupted
        let wakes = turn == .nobody && !isWoken
        hasInterrupted = hasInterrupted || interrupts
        isWoken = isWoken || wakes
        lock.unlock()
        if interrupts { interruption?.wake() }
        if wakes { poller.wake() }
        return true
    }

    /// Ends the thread.
    package func stop() {
        let poller = lock.withLock {
            isStopped = true
            return self.poller
        }
        poller?.wake()
    }

    // MARK: For the thread

    /// The commands since the last call; `nil` when the thread shall end.
    package func next() -> [Command]? {
        lock.withLock {
            defer { commands.removeAll(keepingCapacity: true) }
            return isStopped ? nil : commands
        }
    }

    /// True if the last sleep has ended with this socket, among others.
    package func isReady(_ descriptor: Int32) -> Bool { poller?.isReady(descriptor) ?? false }

    /// Waits for sockets, the time or a command, and for the end of a caller's turn. Returns at once if there are commands.
    ///
    /// - Parameter isIdle: true if nothing is under way, so that a caller may take the turn.
    package func sleep(
        watching sockets: [(descriptor: Int32, interest: SocketPoller.Interest)], milliseconds: Int32, isIdle: Bool
    ) {
        lock.lock()
        guard commands.isEmpty, !isStopped, let poller else { return lock.unlock() }
        (turn, isFree, isWoken) = (.nobody, isIdle, false)
        let end = ContinuousClock.now + .milliseconds(Int(milliseconds))
        var isOver = false
        while !isOver {
            let left = end.milliseconds
            let time = isWatching ? min(left, Self.patience) : left
            lock.unlock()
            let hasFound = poller.wait(watching: sockets, milliseconds: time)
            lock.lock()
            isOver = hasFound || isWoken || isStopped || !commands.isEmpty || time == left && end <= .now
            if !isOver { lookAfterCaller() }
        }
        while turn == .caller {
            isThreadWaiting = true
            lock.unlock()
            poller.wait(watching: [], milliseconds: Self.patience)
            lock.lock()
            lookAfterCaller()
        }
        (turn, isThreadWaiting) = (.thread, false)
        lock.unlock()
    }

    /// Interrupts a caller who has been here for a while, and stops looking when there was none. The lock is held.
    private func lookAfterCaller() {
        let isSame = seen == turnsOfCallers
        seen = turnsOfCallers
        if turn == .caller {
            if isSame, !hasInterrupted {
                hasInterrupted = true
                interruption?.wake()
            }
        } else if isSame {
            isWatching = false
        }
    }

    // MARK: For a caller

    /// Takes the turn if nothing is under way. The caller gives it back in a moment.
    package func take() -> Bool {
        lock.lock()
        guard turn == .nobody, isFree, !isWoken, !isStopped else {
            lock.unlock()
            return false
        }
        if rest > 0 {
            rest -= 1
            lock.unlock()
            return false
        }
        (turn, hasInterrupted) = (.caller, false)
        turnsOfCallers += 1
        let begins = !isWatching
        isWatching = true
        let poller = poller
        lock.unlock()
        if begins { poller?.wake() }
        return true
    }

    /// The number of calls that are left to the thread before the next caller may try.
    var resting: Int { lock.withLock { rest } }
    /// The number of calls that their callers have carried out.
    package var carriedOut: Int { lock.withLock { count } }

    /// Waits for an answer. The caller has the turn.
    ///
    /// - Returns: false if there is none soon, or somebody else wants the turn.
    package func waitToRead(_ descriptor: Int32) -> Bool {
        guard let interruption else { return false }
        // The thread ends it sooner.
        let found = SocketCalls.waitToRead(descriptor, or: interruption.descriptor, milliseconds: 10_000)
        if found.second { interruption.drain() }
        return found.first
    }

    /// Gives the turn back.
    ///
    /// - Parameter isDone: false if something is under way, with which the thread goes on.
    package func giveBack(isDone: Bool) {
        lock.lock()
        let wakes = !isDone || !commands.isEmpty || isThreadWaiting || isStopped
        (turn, isFree, isWoken) = (.nobody, !wakes, wakes)
        if isDone {
            nextRest = 1
            count += 1
        } else {
            rest = nextRest
            nextRest = min(2 * nextRest, Self.longestRest)
        }
        let poller = poller
        lock.unlock()
        if wakes { poller?.wake() }
    }
}
