import Aquifer
import AquiferConcurrency

/// The changes of a store that may not be open yet, passed on to those who observe already.
final class LateChanges: Sendable {
    private struct State {
        var store: (any CacheStore)?
        var waiting: [ObjectIdentifier: Passage] = [:]
    }

    private let state = Locked(State())

    /// The store has been opened: what it tells is passed on from now on.
    func opened(_ store: any CacheStore) {
        let waiting = state.withLock { state in
            state.store = store
            defer { state.waiting = [:] }
            return state.waiting
        }
        for passage in waiting.values {
            passage.begin(store)
            // A change from before it was opened was not told.
            passage.changes.post(.everything)
        }
    }

    /// Passes on to `changes` what the store tells, as soon as it is open.
    func passOn(to changes: StoreChanges) -> StoreObservation {
        let passage = Passage(changes)
        let id = ObjectIdentifier(passage)
        let store = state.withLock { state in
            if state.store == nil { state.waiting[id] = passage }
            return state.store
        }
        if let store { passage.begin(store) }
        return StoreObservation { [self] in
            state.withLock { _ = $0.waiting.removeValue(forKey: id) }
            passage.end()
        }
    }

    private final class Passage: Sendable {
        private enum State {
            case waiting
            case observing(StoreObservation)
            case ended
        }

        let changes: StoreChanges
        private let state = Locked(State.waiting)

        init(_ changes: StoreChanges) {
            self.changes = changes
        }

        func begin(_ store: any CacheStore) {
            let observation = store.changes.observe { [changes] in changes.post($0) }
            let isLate = state.withLock { state in
                if case .ended = state { return true }
                state = .observing(observation)
                return false
            }
            if isLate { observation.cancel() }
        }

        func end() {
            let ended = state.withLock { state in
                defer { state = .ended }
                return state
            }
            if case .observing(let observation) = ended { observation.cancel() }
        }
    }
}
