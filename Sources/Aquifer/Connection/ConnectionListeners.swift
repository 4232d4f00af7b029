import AquiferConcurrency

/// The streams of one ``ConnectionMonitor``, and the watch that feeds them while there is a stream.
package final class ConnectionListeners: Sendable {
    /// Takes a state.
    package typealias Tell = @Sendable (ConnectionState) -> Void
    /// Begins to watch. The watch ends when its object is released.
    package typealias Begin = @Sendable (@escaping Tell) -> any AnyObject & Sendable

    private struct State {
        var last: ConnectionState?
        var listeners: [UInt64: AsyncStream<ConnectionState>.Continuation] = [:]
        var lastID: UInt64 = 0
        var watch: (any AnyObject & Sendable)?
        /// The number of watches so far. An earlier one tells nothing any more.
        var watches: UInt64 = 0
    }

    private let state: Locked<State>
    private let begin: Begin?

    /// Streams that begin with `last`, if that is known.
    ///
    /// - Parameter begin: begins to watch when there is a listener.
    package init(_ last: ConnectionState? = nil, watching begin: Begin? = nil) {
        state = Locked(State(last: last))
        self.begin = begin
    }

    /// A stream of its own, with the state of the moment, and each other one.
    package var updates: AsyncStream<ConnectionState> {
        // So many changes between two reads are more than a reader needs to know that there were some.
        AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
            let id = add(continuation)
            continuation.onTermination = { _ in self.remove(id) }
        }
    }

    /// The number of streams that somebody holds.
    package var count: Int { state.withLock { $0.listeners.count } }

    /// The last state; `nil` while it is unknown to all.
    package var last: ConnectionState? { state.withLock { $0.last } }

    /// Tells a state to all, if it is another one.
    package func tell(_ new: ConnectionState) { tell(new, from: nil) }

    private func tell(_ new: ConnectionState, from watch: UInt64?) {
        // Under the lock, so that no listener is told an older state after a newer one.
        state.withLock { state in
            guard state.last != new, watch == nil || watch == state.watches, begin == nil || state.watch != nil else {
                return
            }
            state.last = new
            for listener in state.listeners.values { listener.yield(new) }
        }
    }

    private func add(_ listener: AsyncStream<ConnectionState>.Continuation) -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.listeners[state.lastID] = listener
            if let last = state.last { listener.yield(last) }
            if state.watch == nil, let begin {
                state.watches += 1
                let number = state.watches
                state.watch = begin { [weak self] in self?.tell($0, from: number) }
            }
            return state.lastID
        }
    }

    private func remove(_ id: UInt64) {
        let ended: (any AnyObject & Sendable)? = state.withLock { state in
            state.listeners[id] = nil
            guard state.listeners.isEmpty, begin != nil else { return nil }
            // Nobody watches now: what was true then need not be true for the next listener.
            state.last = nil
            defer { state.watch = nil }
            return state.watch
        }
        withExtendedLifetime(ended) {}  // the watch is released outside of the lock
    }
}
