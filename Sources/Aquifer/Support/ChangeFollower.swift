import AquiferConcurrency

/// Calls a function of a screen after each change that it was told, one call at a time, until it is released.
///
/// Changes during a call make one more call.
package final class ChangeFollower: Sendable {
    private let hasChanged: AsyncStream<Void>.Continuation
    private let task: Task<Void, Never>
    private let observations = Locked([StoreObservation]())

    /// A follower that was told nothing yet. The function must not hold it.
    package init(_ onChange: @escaping @MainActor @Sendable () async -> Void) {
        let changes: AsyncStream<Void>
        (changes, hasChanged) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        task = Task { @MainActor in
            for await _ in changes { await onChange() }
        }
    }

    deinit {
        task.cancel()
    }

    /// Observes changes from here on, as long as the follower lives.
    ///
    /// - Parameter begin: begins an observation that calls the function it is given; `nil` if there is nothing to observe yet.
    /// - Returns: true if there is.
    @discardableResult
    package func observe(_ begin: (_ hasChanged: @escaping @Sendable () -> Void) -> StoreObservation?) -> Bool {
        guard let observation = begin({ [hasChanged] in _ = hasChanged.yield() }) else { return false }
        observations.withLock { $0.append(observation) }
        return true
    }
}

extension StoreChanges {
    /// Calls a function of a screen after each change that may concern it, until the follower is released.
    package func follow(
        where concerns: @escaping @Sendable (StoreChange) -> Bool,
        _ onChange: @escaping @MainActor @Sendable () async -> Void
    ) -> ChangeFollower {
        let follower = ChangeFollower(onChange)
        follower.observe { hasChanged in observe { if concerns($0) { hasChanged() } } }
        return follower
    }
}
