import AquiferConcurrency

/// An observation of ``StoreChanges``. It ends when it is cancelled or released.
public final class StoreObservation: Sendable {
    private let onEnd: Locked<(@Sendable () -> Void)?>

    /// An observation that calls `onEnd` once, when it ends.
    public init(_ onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = Locked(onEnd)
    }

    deinit {
        cancel()
    }

    /// Ends the observation. Does nothing when it has ended.
    public func cancel() {
        onEnd.withLock { $0.take() }?()
    }
}
