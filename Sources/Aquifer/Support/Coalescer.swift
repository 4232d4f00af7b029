import AquiferConcurrency

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
