import AquiferFoundation
import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// Taking turns: among threads (`Lock`, `Locked`), among tasks (`Turnstile`, `SerialQueue`) and among processes
// (`Waiting`).

/// A lock of the operating system: an unfair lock on Apple's systems, a POSIX mutex elsewhere.
///
/// It takes the place of two others. `NSLock` needs full Foundation, which is large on Linux. The thread sanitizer
/// reports false races on `Synchronization.Mutex` (Linux, Swift 6.3.1). The system identifies a lock by its address, so
/// the lock has memory of its own that never moves.
///
/// Keep what runs under it short, and call no unknown code from there. It is not recursive. Prefer ``Locked``, which
/// holds the guarded value, too.
package final class Lock: @unchecked Sendable {
    #if canImport(Darwin)
        private let system = UnsafeMutablePointer<os_unfair_lock_s>.allocate(capacity: 1)
    #else
        private let system = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    #endif

    /// A free lock.
    package init() {
        #if canImport(Darwin)
            system.initialize(to: os_unfair_lock_s())
        #else
            system.initialize(to: pthread_mutex_t())
            let code = pthread_mutex_init(system, nil)
            precondition(code == 0, "The system refused a mutex: \(code)")
        #endif
    }

    deinit {
        #if !canImport(Darwin)
            _ = pthread_mutex_destroy(system)
        #endif
        system.deinitialize(count: 1)
        system.deallocate()
    }

    /// Takes the lock. Waits while another thread has it.
    @available(*, noasync, message: "A task may continue on another thread; use withLock")
    package func lock() {
        #if canImport(Darwin)
            os_unfair_lock_lock(system)
        #else
            let code = pthread_mutex_lock(system)
            precondition(code == 0, "The mutex could not be taken: \(code)")
        #endif
    }

    /// Gives the lock back. Only the thread that has it may do so.
    @available(*, noasync, message: "A task may continue on another thread; use withLock")
    package func unlock() {
        #if canImport(Darwin)
            os_unfair_lock_unlock(system)
        #else
            let code = pthread_mutex_unlock(system)
            precondition(code == 0, "The mutex could not be given back: \(code)")
        #endif
    }

    /// Runs `body` under the lock.
    package func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}

/// A value behind a ``Lock``.
package final class Locked<Value>: @unchecked Sendable {
    private let lock = Lock()
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
    }

    /// Runs `body` under the lock. Keep it short, and call no unknown code from it.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

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

/// Runs blocking work in order on its own dispatch queue. Waiting for a disk or for another process thus takes no
/// thread from the cooperative pool.
package actor SerialQueue {
    private nonisolated let executor: QueueExecutor

    package init(_ label: String) {
        executor = QueueExecutor(label)
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

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
        let clock = ContinuousClock()
        let start = clock.now
        var pause: UInt32 = 50
        while try !attempt() {
            if clock.now - start >= patience { return false }
            POSIX.pause(microseconds: pause)
            pause = min(pause * 2, 2000)
        }
        return true
    }
}
