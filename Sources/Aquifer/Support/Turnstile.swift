/// A lock for tasks. A task that finds it taken is suspended; tasks enter in the order of arrival.
///
/// Entering a free turnstile takes a lock and no suspension, so that writing inline is faster than a hop to an actor.
package final class Turnstile: Sendable {
    private struct State {
        var taken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var next = 0
    }

    private let state = Locked(State())

    package init() {}

    /// Enters if the turnstile is free; returns false if it is taken.
    package func tryEnter() -> Bool {
        state.withLock { state in
            if state.taken { return false }
            state.taken = true
            return true
        }
    }

    /// Enters when all earlier tasks have left. Keeps waiting when the task is cancelled.
    package func enter() async {
        await withCheckedContinuation { continuation in
            let free = state.withLock { state in
                if state.taken {
                    state.waiting.append(continuation)
                    return false
                }
                state.taken = true
                return true
            }
            if free { continuation.resume() }
        }
    }

    /// Leaves, and lets the next task in.
    package func leave() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.next < state.waiting.count else {
                state.taken = false
                return nil
            }
            let next = state.waiting[state.next]
            state.next += 1
            if state.next == state.waiting.count {
                state.waiting.removeAll(keepingCapacity: true)
                state.next = 0
            } else if state.next > 1024 {
                state.waiting.removeFirst(state.next)
                state.next = 0
            }
            return next
        }
        next?.resume()
    }
}
