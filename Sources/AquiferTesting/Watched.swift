import Aquifer
import AquiferConcurrency

/// A value behind a lock that tasks can wait for changes of, so that tests need not sleep.
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

        /// Those who have found what they wait for. One of them may have changed what another waits for.
        mutating func takeReady() -> [() -> Void] {
            var ready: [() -> Void] = []
            var place = 0
            while place < waiters.count {
                if let goOn = waiters[place].look(&state) {
                    ready.append(goOn)
                    waiters.remove(at: place)
                    place = 0
                } else {
                    place += 1
                }
            }
            return ready
        }
    }

    private let content: Locked<Content>

    init(_ state: sending State) {
        content = Locked(Content(state: state))
    }

    /// Changes the state, and lets those go on who waited for it to become so, in the order they came.
    @discardableResult
    func update<Result>(_ change: (inout State) -> Result) -> Result {
        let (result, ready) = content.withLock { content in
            (change(&content.state), content.takeReady())
        }
        for goOn in ready { goOn() }
        return result
    }

    /// The first thing that `take` finds; `nil` if the task is cancelled first.
    func first<Found: Sendable>(_ take: @escaping @Sendable (inout State) -> Found?) async -> Found? {
        let id = content.withLock { content in
            content.lastID += 1
            return content.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Found?, Never>) in
                let ready: [() -> Void] = content.withLock { content in
                    if let found = take(&content.state) {
                        return [{ continuation.resume(returning: found) }] + content.takeReady()
                    }
                    // Read under the lock: a cancellation from here on finds the waiter.
                    if Task.isCancelled { return [{ continuation.resume(returning: nil) }] }
                    content.waiters.append(
                        Waiter(
                            id: id,
                            look: { state in take(&state).map { found in { continuation.resume(returning: found) } } },
                            giveUp: { continuation.resume(returning: nil) }))
                    return []
                }
                for goOn in ready { goOn() }
            }
        } onCancel: {
            let waiter = content.withLock { content in
                content.waiters.firstIndex { $0.id == id }.map { content.waiters.remove(at: $0) }
            }
            waiter?.giveUp()
        }
    }
}
