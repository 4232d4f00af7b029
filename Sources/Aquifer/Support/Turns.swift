import AquiferConcurrency
import AquiferFoundation
import Dispatch

// Taking turns: among tasks (`Turnstile`, `SerialQueue`) and among processes (`Waiting`). `Lock` is for threads.

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
        // The thread sanitizer is not told by a continuation that is resumed before its task has suspended (Swift 6.3.1). The lock tells
        // it that whoever left before has left.
        state.withLock { _ in }
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

/// Runs blocking work in order on its own dispatch queue. Waiting for a disk or for another process thus takes no
/// thread from the cooperative pool.
package actor SerialQueue {
    private nonisolated let executor: any SerialExecutor
    package nonisolated let unownedExecutor: UnownedSerialExecutor

    package init(_ label: String) {
        executor = Conducting.conductor?.makeExecutor(label) ?? QueueExecutor(label)
        unownedExecutor = executor.asUnownedSerialExecutor()
    }

    package func run<Value: Sendable, Failure: Error>(
        _ body: @Sendable () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body()
    }
}

private final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(_ label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// Waits for a resource of another process, which does not notify when it releases the resource.
package enum Waiting {
    /// Tries until `attempt` is true, at growing intervals up to 2 ms; false when `patience` is over. Blocks this
    /// thread: call it only on the library's own queues, and to open a store.
    package static func until(
        _ patience: Duration, _ attempt: () throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        if let conductor = Conducting.conductor { return try conductor.wait(patience, attempt) }
        let clock = ContinuousClock()
        let start = clock.now
        var pause: UInt32 = 50
        while try !attempt() {
            if clock.now - start >= patience { return false }
            SystemThread.pause(microseconds: pause)
            pause = min(pause * 2, 2000)
        }
        return true
    }

    /// Runs `body`; false if it throws ``StoreError/busy(path:)``, because another holder has what it needs.
    package static func unlessBusy(_ body: () throws(StoreError) -> Void) throws(StoreError) -> Bool {
        do throws(StoreError) {
            try body()
            return true
        } catch .busy {
            return false
        }
    }
}
