/// A lock for tasks: whoever finds it taken is suspended, and let in in the order of arrival.
///
/// The free case costs a lock and no suspension, which is what makes writing inline faster than an actor's hop.
package final class Turnstile: Sendable {
    private struct State {
        var taken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var next = 0
    }

    private let state = Locked(State())

    package init() {}

    /// Enters if it is free.
    package func tryEnter() -> Bool {
        state.withLock { state in
            if state.taken { return false }
            state.taken = true
            return true
        }
    }

    /// Enters when all who came before have left. Goes on waiting when the task is cancelled.
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

    /// Lets the next one in.
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
