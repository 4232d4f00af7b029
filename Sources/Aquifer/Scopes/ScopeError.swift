/// The reason why a scope was not ended. It goes on as before.
public enum ScopeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// So many changes of the user have not been sent: say what is to become of them, with ``Scope/Unsent``.
    case unsent(Int)
    /// The store failed. If it failed in the middle of deleting, nothing of the scope can be used any more; call
    /// ``Scope/end(unsent:)`` again, or ``Scope/finishEnds(in:)`` at the next start.
    case store(StoreError)

    /// One line with the reason.
    public var description: String {
        switch self {
        case .unsent(1): "one change has not been sent; send it, keep it or discard it"
        case .unsent(let count): "\(count) changes have not been sent; send them, keep them or discard them"
        case .store(let error): "\(error)"
        }
    }
}

extension Scope {
    /// What becomes of changes that were queued in an ``Outbox`` over the scope's store and have not been sent.
    public enum Unsent: Sendable, Hashable, CaseIterable {
        /// They are deleted, with their files.
        case discard
        /// They are kept for this user alone, with their files. The next generation of the scope has them in its queue.
        case keep
        /// The outboxes that ``Scope/register(_:)`` named send what they can now. If anything is left, the scope goes on, and
        /// ``Scope/end(unsent:)`` throws the number.
        case sendFirst
    }
}
