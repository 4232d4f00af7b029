import Aquifer

/// A value behind a lock that tasks can wait for changes of. What keeps tests from sleeping.
final class Watched<State>: Sendable {
    private struct Waiter {
        var id: Int
        /// Looks at the state after a change; returns how to go on once it has found what it waits for.
        var look: (inout State) -> (() -> Void)?
        var giveUp: () -> Void
    }

    private struct Content {
        var state: State
        var waiters: [Waiter] = []
        var lastID = 0
    }

    private let content: Locked<Content>

    init(_ state: sending State) {
        content = Locked(Content(state: state))
    }

    /// Changes the state, and lets those go on who waited for it to become so, in the order they came.
    @discardableResult
    func update<Result>(_ change: (inout State) -> Result) -> Result {
        var ready: [() -> Void] = []
        let result = content.withLock { content in
            let result = change(&content.state)
            var waiting: [Waiter] = []
            for waiter in content.waiters {
                if let goOn = waiter.look(&content.state) { ready.append(goOn) } else { waiting.append(waiter) }
            }
            content.waiters = waiting
            return result
        }
        for goOn in ready { goOn() }
        return result
    }

    /// What `take` finds as soon as it finds something; `nil` if the task is cancelled first.
    func first<Found: Sendable>(_ take: @escaping @Sendable (inout State) -> Found?) async -> Found? {
        let id = content.withLock { content in
            content.lastID += 1
            return content.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Found?, Never>) in
                let goOn: (() -> Void)? = content.withLock { content in
                    if let found = take(&content.state) { return { continuation.resume(returning: found) } }
                    // Read under the lock: a cancellation from here on finds the waiter.
                    if Task.isCancelled { return { continuation.resume(returning: nil) } }
                    content.waiters.append(
                        Waiter(
                            id: id,
                            look: { state in take(&state).map { found in { continuation.resume(returning: found) } } },
                            giveUp: { continuation.resume(returning: nil) }))
                    return nil
                }
                goOn?()
            }
        } onCancel: {
            let waiter = content.withLock { content in
                content.waiters.firstIndex { $0.id == id }.map { content.waiters.remove(at: $0) }
            }
            waiter?.giveUp()
        }
    }
}
