/// Notifies waiting tasks of an event. A ring between a look and a wait is not missed:
///
/// ```swift
/// let heard = bell.rings
/// if !look() { await bell.wait(after: heard) }
/// ```
package final class Bell: Sendable {
    private struct State {
        var rings: UInt64 = 0
        var lastID: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Locked(State())

    package init() {}

    /// The number of rings so far.
    package var rings: UInt64 { state.withLock { $0.rings } }

    /// Wakes all waiting tasks.
    package func ring() {
        let woken = state.withLock { state in
            state.rings += 1
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in woken.values { continuation.resume() }
    }

    /// Returns once it has rung more often than `rings` times, or the task is cancelled.
    package func wait(after rings: UInt64) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    // The state is read under the lock: a later cancellation finds the continuation.
                    if state.rings > rings || Task.isCancelled { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }

    /// Waits like ``wait(after:)``, for at most `time`.
    package func wait(after rings: UInt64, atMost time: Duration, on clock: any Clock<Duration>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait(after: rings) }
            // Sleeping throws only when the task was cancelled, and then there is nothing to wait for.
            group.addTask { try? await clock.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }
}
