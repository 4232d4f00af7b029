/// The reason for a state of a resource over time: what has happened to its value.
public enum UpdateCause: String, Sendable, Hashable, Codable, CaseIterable {
    /// The saved copy, or none, was found when somebody began to follow.
    case found
    /// A load had an answer of the remote.
    case loaded
    /// A load had none, and delivered the saved copy. ``LoadSource/cache(savedAt:because:)`` has the error.
    case stoodIn
    /// A load of another screen, resource or process has saved an answer of the remote. A list in pages says so of its own
    /// pages, too, shortly before their load ends.
    case saved
    /// The saved copy was changed here or by another process, without the remote: ``Cache/amend(_:)``, ``Cache/save(_:validators:)``.
    case changed
    /// This user has changed the value, or the server has confirmed or refused such a change (``EditableResource``).
    case edited
    /// The saved copy was deleted, or its ``Scope`` has ended.
    case deleted
    /// The saved copy has become too old to be shown.
    case expired
    /// The remote denied the value, or says that it does not exist.
    case denied
    /// The saved copy cannot be read.
    case unreadable
}

/// A state of a resource, with its cause.
public struct Update<Value: Sendable>: Sendable {
    /// The value to show with its source; `nil` if there is none.
    public let loaded: Loaded<Value>?
    /// The reason for this state. If a slow reader passed over others, it is that of the newest.
    public let cause: UpdateCause
    /// The age of the copy when the state arose; `nil` if there is no saved copy. An age from the future is zero.
    public let age: Duration?
}

extension ResourceUpdates {
    /// The same states, each with its cause and the age of its copy: for a screen that says why it shows nothing, and for
    /// a log.
    ///
    /// ```swift
    /// for await update in contacts.updates.withCauses where update.loaded == nil {
    ///     label.text = update.cause == .denied ? "You may not see this." : "Nothing is saved."
    /// }
    /// ```
    public var withCauses: WithCauses { WithCauses(updates: self) }

    /// The states of a resource over time, with their causes. See ``ResourceUpdates/withCauses``.
    public struct WithCauses: AsyncSequence, Sendable {
        /// A state with its cause.
        public typealias Element = Update<Value>
        /// Reading never fails: what cannot be read is not a state.
        public typealias Failure = Never

        fileprivate let updates: ResourceUpdates<Value>

        /// Begins to follow, as ``ResourceUpdates/makeAsyncIterator()`` does.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: updates.subscribe()) }

        /// Follows a resource until it is released.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let subscription: UpdateSubscription<Value>

            /// The next state. Waits until there is one that this iterator has not delivered; of several the newest.
            ///
            /// - Returns: the state; `nil` when the task was cancelled.
            public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
                guard case .state(let update)? = await subscription.news(isolation: actor) else { return nil }
                return update.value
            }

            /// The next state; see ``next(isolation:)``.
            public mutating func next() async -> Element? { await next(isolation: nil) }
        }
    }
}

extension UpdateHub.State {
    /// The reason for what was found.
    func cause(of found: Loaded<Value>?, _ fingerprint: EntryFingerprint?, isAnswer: Bool) -> UpdateCause {
        if !isKnown { return .found }
        if found != nil { return isAnswer ? .saved : .changed }
        return fingerprint == nil ? .deleted : .expired
    }
}

extension LoadSource {
    /// The reason for the state that a load has made.
    var cause: UpdateCause {
        switch self {
        case .remote: .loaded
        case .cache(_, because: nil): .changed
        case .cache: .stoodIn
        case .pendingOnly: .edited
        }
    }
}
