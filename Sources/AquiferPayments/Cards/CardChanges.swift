import Aquifer

extension PaymentsService {
    /// Calls `onChange` after the default card was changed by any screen or process, until the observation ends.
    func observeDefaultCard(_ onChange: @escaping @Sendable () -> Void) -> StoreObservation {
        defaultCard.changes.observe { change in
            if DefaultCard.keys.contains(where: change.concerns) { onChange() }
        }
    }
}

extension CardVault {
    /// Calls `onChange` after the cards were changed, by this process or another.
    ///
    /// - Returns: the observation; `nil` if there is no folder to watch yet.
    nonisolated func observe(_ onChange: @escaping @Sendable () -> Void) -> StoreObservation? {
        keeper.observe(onChange)
    }
}
