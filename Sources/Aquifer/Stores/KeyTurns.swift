import AquiferConcurrency

/// Turns of calls by key: those for one key enter in the order in which they came, those for different keys side by side. A call for
/// several keys enters when its turn has come for each of them. A call for everything enters after all that came before it, and before
/// all that come after it.
package final class KeyTurns: Sendable {
    /// A call for some keys. Its parts are guarded by the lock.
    private final class Caller: @unchecked Sendable {
        let keys: [StoreKey]
        /// The number of keys for which somebody is before it.
        var missing = 0
        var continuation: CheckedContinuation<Void, Never>?

        init(_ keys: [StoreKey]) { self.keys = keys }
    }

    private struct State {
        /// The callers of each key, the first of them inside, or waiting for its other keys.
        var queues: [StoreKey: [Caller]] = [:]
        /// True while a call for everything is inside.
        var isClosed = false
        /// The callers behind a call for everything, with it. One without keys is for everything.
        var behind: [Caller] = []

        /// Puts a caller into the queues of its keys; true if it is first in all.
        mutating func enters(_ caller: Caller) -> Bool {
            for key in caller.keys {
                if queues[key] != nil { caller.missing += 1 }
                queues[key, default: []].append(caller)
            }
            return caller.missing == 0
        }

        /// Lets those in that may enter now.
        mutating func letIn() -> [CheckedContinuation<Void, Never>] {
            var free: [CheckedContinuation<Void, Never>?] = []
            while !isClosed, let first = behind.first {
                if first.keys.isEmpty {
                    guard queues.isEmpty else { break }
                    isClosed = true
                    free.append(first.continuation)
                } else if enters(first) {
                    free.append(first.continuation)
                }
                behind.removeFirst()
            }
            return free.compactMap(\.self)
        }

        /// Lets those in that were behind a caller.
        mutating func leave(_ caller: Caller) -> [CheckedContinuation<Void, Never>] {
            if caller.keys.isEmpty { isClosed = false }
            var free: [CheckedContinuation<Void, Never>?] = []
            for key in caller.keys {
                let waiting = queues[key]?.dropFirst() ?? []
                queues[key] = waiting.isEmpty ? nil : Array(waiting)
                guard let next = waiting.first else { continue }
                next.missing -= 1
                if next.missing == 0 { free.append(next.continuation) }
            }
            return free.compactMap(\.self) + letIn()
        }
    }

    private let state = Locked(State())

    package init() {}

    /// Runs `body` after all earlier calls for the key.
    package func run<Value>(
        _ key: StoreKey, _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await run(Caller([key]), body)
    }

    /// Runs `body` after all earlier calls for each of the keys, of which there is at least one, and none twice.
    package func run<Value>(
        _ keys: [StoreKey], _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await run(Caller(keys), body)
    }

    /// Runs `body` after all earlier calls, and before all later ones.
    package func runAlone<Value>(_ body: () async throws(StoreError) -> Value) async throws(StoreError) -> Value {
        try await run(Caller([]), body)
    }

    private func run<Value>(
        _ caller: Caller, _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let isInside = state.withLock { state in
            guard !caller.keys.isEmpty, !state.isClosed, state.behind.isEmpty,
                caller.keys.allSatisfy({ state.queues[$0] == nil })
            else { return false }
            return state.enters(caller)
        }
        if !isInside {
            await withCheckedContinuation { continuation in
                let free = state.withLock { state in
                    caller.continuation = continuation
                    state.behind.append(caller)
                    return state.letIn()
                }
                for continuation in free { continuation.resume() }
            }
        }
        defer { for continuation in state.withLock({ $0.leave(caller) }) { continuation.resume() } }
        return try await body()
    }
}
