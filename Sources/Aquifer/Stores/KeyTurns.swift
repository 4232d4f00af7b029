import AquiferConcurrency

/// Turns of calls by key: those for one key enter in the order in which they came, those for different keys side by side.
/// A call for everything enters after all that came before it, and before all that come after it.
package final class KeyTurns: Sendable {
    private enum Caller {
        case key(StoreKey, CheckedContinuation<Void, Never>)
        case everything(CheckedContinuation<Void, Never>)
    }

    private struct State {
        /// The callers that wait, by key, behind the one that is inside.
        var inside: [StoreKey: [CheckedContinuation<Void, Never>]] = [:]
        /// True while a call for everything is inside.
        var isClosed = false
        /// The callers behind a call for everything, with it.
        var behind: [Caller] = []

        /// Lets a call in if nobody is before it.
        mutating func enters(_ key: StoreKey) -> Bool {
            guard !isClosed, behind.isEmpty, inside[key] == nil else { return false }
            inside[key] = []
            return true
        }

        /// Lets those in that may enter now.
        mutating func letIn() -> [CheckedContinuation<Void, Never>] {
            var free: [CheckedContinuation<Void, Never>] = []
            while !isClosed, let first = behind.first {
                switch first {
                case .everything(let continuation):
                    guard inside.isEmpty else { return free }
                    isClosed = true
                    free.append(continuation)
                case .key(let key, let continuation):
                    if inside[key] == nil {
                        inside[key] = []
                        free.append(continuation)
                    } else {
                        inside[key]?.append(continuation)
                    }
                }
                behind.removeFirst()
            }
            return free
        }
    }

    private let state = Locked(State())

    package init() {}

    /// Runs `body` after all earlier calls for the key.
    package func run<Value>(
        _ key: StoreKey, _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        if !state.withLock({ $0.enters(key) }) {
            await withCheckedContinuation { continuation in
                let free = state.withLock { state in
                    state.behind.append(.key(key, continuation))
                    return state.letIn()
                }
                for continuation in free { continuation.resume() }
            }
        }
        defer { leave(key) }
        return try await body()
    }

    /// Runs `body` after all earlier calls, and before all later ones.
    package func runAlone<Value>(_ body: () async throws(StoreError) -> Value) async throws(StoreError) -> Value {
        await withCheckedContinuation { continuation in
            let free = state.withLock { state in
                state.behind.append(.everything(continuation))
                return state.letIn()
            }
            for continuation in free { continuation.resume() }
        }
        defer {
            let free = state.withLock { state in
                state.isClosed = false
                return state.letIn()
            }
            for continuation in free { continuation.resume() }
        }
        return try await body()
    }

    private func leave(_ key: StoreKey) {
        let free = state.withLock { state in
            if var waiting = state.inside[key], !waiting.isEmpty {
                let next = waiting.removeFirst()
                state.inside[key] = waiting
                return [next]
            }
            state.inside[key] = nil
            return state.letIn()
        }
        for continuation in free { continuation.resume() }
    }
}
