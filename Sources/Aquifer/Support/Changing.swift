import AquiferConcurrency

/// A value with a wait for its next change. A slow reader may miss changes between two reads, but never the last one.
package final class Changing<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var version: UInt64 = 0
        var lastID: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state: Locked<State>

    package init(_ value: Value) {
        state = Locked(State(value: value))
    }

    /// The value, and the number of its last change.
    package var current: (value: Value, version: UInt64) { state.withLock { ($0.value, $0.version) } }

    /// Changes the value and wakes all waiting tasks.
    package func update(_ change: (inout Value) -> Void) {
        let waiters = state.withLock { state in
            change(&state.value)
            state.version += 1
            defer { state.waiters.removeAll() }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The value once it has changed since `version`; `nil` when the task is cancelled.
    package func next(after version: UInt64) async -> (value: Value, version: UInt64)? {
        await wait(after: version)
        return Task.isCancelled ? nil : current
    }

    /// Returns once the value has changed since `version`, or the task is cancelled.
    package func wait(after version: UInt64) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    // The state is read under the lock: a later cancellation finds the waiter.
                    if state.version != version || Task.isCancelled { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }

    /// Waits like ``wait(after:)``, for at most `time`.
    package func wait(after version: UInt64, atMost time: Duration, on clock: any Clock<Duration>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait(after: version) }
            // Sleeping throws only when the task was cancelled, and then there is nothing to wait for.
            group.addTask { try? await clock.pause(for: time) }
            await group.next()
            group.cancelAll()
        }
    }
}

/// A change without a value: it notifies waiting tasks of an event. A ring between a look and a wait is not missed:
///
/// ```swift
/// let heard = bell.rings
/// if !look() { await bell.wait(after: heard) }
/// ```
package typealias Bell = Changing<Void>

extension Changing where Value == Void {
    package convenience init() { self.init(()) }

    /// The number of rings so far.
    package var rings: UInt64 { current.version }

    /// Wakes all waiting tasks.
    package func ring() { update { _ in } }
}
