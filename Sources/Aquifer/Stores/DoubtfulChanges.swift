import AquiferConcurrency

/// The changes of a store on a server of which nobody can tell whether they were made, or will be: a connection broke before the answer came.
///
/// A store passes its own messages over, because it tells its changes itself. The message of such a change is told.
package final class DoubtfulChanges: Sendable {
    fileprivate struct State {
        var changes: Set<StoreChange> = []
        /// True if there were too many to remember each.
        var areAll = false
        /// When the last of them came.
        var last: ContinuousClock.Instant?
    }

    /// After this time, a server has carried out what a broken connection has brought it, or never will.
    private static let lifetime = Duration.seconds(300)

    /// The number of changes that are remembered. Among more, each own message is told: observers may be told twice.
    private static let most = 10_000

    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Locked(State())

    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Adds a change.
    package func insert(_ change: StoreChange) {
        let now = now()
        state.withLock { state in
            state.forget(before: now - Self.lifetime)
            if state.changes.count == Self.most { (state.changes, state.areAll) = ([], true) }
            if !state.areAll { state.changes.insert(change) }
            state.last = now
        }
    }

    /// True if no change is in doubt.
    package var isEmpty: Bool {
        state.withLock { state in
            if state.isEmpty { return true }
            state.forget(before: now() - Self.lifetime)
            return state.isEmpty
        }
    }

    /// Takes a change out.
    ///
    /// - Returns: true if it was in doubt.
    package func remove(_ change: StoreChange) -> Bool {
        state.withLock { $0.areAll || $0.changes.remove(change) != nil }
    }
}

extension DoubtfulChanges.State {
    fileprivate var isEmpty: Bool { changes.isEmpty && !areAll }

    /// Forgets all changes if the last one is that old.
    fileprivate mutating func forget(before moment: ContinuousClock.Instant) {
        if let last, last < moment { self = DoubtfulChanges.State() }
    }
}

/// A store on a server, whose changes may be in doubt.
package protocol DoubtingStore: CacheStore {
    /// The changes of calls that threw `.uncertain`.
    var doubts: DoubtfulChanges { get }
}

extension DoubtingStore {
    /// Makes a change. If nobody can tell whether it was made, observers are told of it, and it is remembered.
    package func doubting<Value>(
        _ change: StoreChange, _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        do throws(StoreError) { return try await body() } catch {
            if case .uncertain = error { doubt(change) }
            throw error
        }
    }

    /// Takes note of a change of which nobody can tell whether it was made, or will be.
    package func doubt(_ change: StoreChange) {
        doubts.insert(change)
        // The server's message may have come before, when it was passed over as this store's own.
        changes.post(change)
    }
}
