import AquiferConcurrency
import AquiferFoundation
import Dispatch

// Taking turns and sharing work: among tasks (`Turnstile`, `SerialQueue`, `Coalescer`) and among processes (`Waiting`).
// `Lock` is for threads.

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

/// Lets concurrent callers with the same key share one piece of work.
///
/// The first caller starts the work, and later callers join while it runs. A caller whose task is cancelled leaves at
/// once, and the others keep waiting. When the last caller leaves, the work is cancelled and forgotten, so that the
/// next caller starts it again.
package final class Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    package typealias Work = @Sendable () async throws(LoadError) -> Value
    private typealias Outcome = Result<Value, LoadError>

    private struct Flight {
        let id: UInt64
        let task: Task<Void, Never>
        var waiters: [UInt64: CheckedContinuation<Outcome, Never>] = [:]
    }

    private struct State {
        var lastID: UInt64 = 0
        var flights: [Key: Flight] = [:]
        /// The callers that do not wait yet; the value is true if the caller was cancelled in between.
        var arriving: [UInt64: Bool] = [:]

        mutating func nextID() -> UInt64 {
            lastID += 1
            return lastID
        }
    }

    private let state = Locked(State())

    package init() {}

    /// The outcome of `work`, or of the work that an earlier caller started for the key.
    package func value(for key: Key, work: @escaping Work) async throws(LoadError) -> Value {
        let caller = state.withLock { state in
            let id = state.nextID()
            state.arriving[id] = false
            return id
        }
        let outcome: Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { join(key, caller, $0, work) }
        } onCancel: {
            leave(key, caller)
        }
        return try outcome.get()
    }

    /// The number of callers that wait for `key`.
    package func waiters(for key: Key) -> Int {
        state.withLock { $0.flights[key]?.waiters.count ?? 0 }
    }

    private func join(
        _ key: Key, _ caller: UInt64, _ continuation: CheckedContinuation<Outcome, Never>, _ work: @escaping Work
    ) {
        let hasLeft = state.withLock { state in
            if state.arriving.removeValue(forKey: caller) == true { return true }
            if state.flights[key] == nil {
                let id = state.nextID()
                state.flights[key] = Flight(id: id, task: Task { await self.run(key, id, work) })
            }
            state.flights[key]?.waiters[caller] = continuation
            return false
        }
        if hasLeft { continuation.resume(returning: .failure(.cancelled)) }
    }

    private func run(_ key: Key, _ id: UInt64, _ work: Work) async {
        let outcome: Outcome
        do throws(LoadError) { outcome = .success(try await work()) } catch { outcome = .failure(error) }
        let waiters = state.withLock { state in
            guard state.flights[key]?.id == id else { return [CheckedContinuation<Outcome, Never>]() }
            return state.flights.removeValue(forKey: key).map { Array($0.waiters.values) } ?? []
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    private func leave(_ key: Key, _ caller: UInt64) {
        let (waiter, abandoned) = state.withLock { state in
            guard let waiter = state.flights[key]?.waiters.removeValue(forKey: caller) else {
                if state.arriving[caller] != nil { state.arriving[caller] = true }
                return (nil as CheckedContinuation<Outcome, Never>?, nil as Task<Void, Never>?)
            }
            guard state.flights[key]?.waiters.isEmpty == true else { return (waiter, nil) }
            return (waiter, state.flights.removeValue(forKey: key)?.task)
        }
        abandoned?.cancel()
        waiter?.resume(returning: .failure(.cancelled))
    }
}
