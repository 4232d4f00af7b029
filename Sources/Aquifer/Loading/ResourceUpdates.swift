import AquiferFoundation

/// The states of a resource over time: what a screen may show now, and each newer state. See ``Resource/updates``.
///
/// An element is `nil` while there is nothing to show: no fresh copy is saved, or the saved one was deleted, has expired,
/// or may not be shown because the remote denied it. A screen that follows the sequence therefore shows no deleted value.
///
/// ```swift
/// for await loaded in contacts.updates {
///     list.show(loaded?.value ?? [], savedAt: loaded?.savedAt)
/// }
/// ```
///
/// A reader that needs only the values writes `for await case let loaded? in contacts.updates`.
public struct ResourceUpdates<Value: Sendable>: AsyncSequence, Sendable {
    /// A state: the value to show with its source; `nil` if there is none.
    public typealias Element = Loaded<Value>?
    /// Reading never fails: what cannot be read is not a state.
    public typealias Failure = Never

    private let hub: @Sendable () -> UpdateHub<Value>

    init(_ hub: @escaping @Sendable () -> UpdateHub<Value>) {
        self.hub = hub
    }

    /// Begins to follow. Each iterator is told all states that it has time for.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscribe()) }

    /// - Parameter asks: true for a follower that is told invalidations, too, and asks then.
    func subscribe(asks: Bool = false) -> UpdateSubscription<Value> { UpdateSubscription(hub(), asks: asks) }

    /// Follows a resource until it is released.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let subscription: UpdateSubscription<Value>

        /// The next state. Waits until there is one that this iterator has not delivered; of several the newest.
        ///
        /// - Returns: the state, which may be `nil`; the outer `nil` when the task was cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> Element? {
            await subscription.next(isolation: actor)
        }

        /// The next state; see ``next(isolation:)``.
        public mutating func next() async -> Element? { await next(isolation: nil) }
    }
}

/// One follower of a resource. It leaves when it is released.
final class UpdateSubscription<Value: Sendable>: Sendable {
    private let hub: UpdateHub<Value>
    private let subscriber: UpdateHub<Value>.Subscriber

    init(_ hub: UpdateHub<Value>, asks: Bool) {
        self.hub = hub
        subscriber = hub.join(asks: asks)
    }

    deinit {
        hub.leave(subscriber)
    }

    /// The state that was last found, whether it was delivered or not.
    var current: Loaded<Value>? { hub.current }

    /// The next state of a follower that asks for nothing.
    func next(isolation actor: isolated (any Actor)?) async -> Loaded<Value>?? {
        if case .state(let update)? = await news(isolation: actor) { .some(update.value.loaded) } else { nil }
    }

    func news(isolation actor: isolated (any Actor)?) async -> UpdateHub<Value>.News? {
        await hub.next(subscriber, isolation: actor)
    }

    /// Asks for a value that was made invalid, unless that was done; `nil` if nothing was to be asked for.
    func answer(to mark: Date) async throws(LoadError) -> Loaded<Value>? { try await hub.source.answer(mark) }
}

extension Resource {
    /// The value that may be shown now, and then each newer state, from whomever it comes: loads of this resource, and changes of
    /// its saved copy by anybody who uses the store (``Cache/amend(_:)``, another resource, another process).
    ///
    /// - The first element comes at once: the saved fresh copy, or `nil` if there is none. Following sends no request.
    /// - A load's state has its source: the remote, or the copy with the error behind it. A copy that was changed by others
    ///   is ``LoadSource/cache(savedAt:because:)`` without an error. A change that keeps the date keeps the source.
    /// - `nil` tells that there is nothing to show any more: the copy was deleted, it expired just now, or the remote
    ///   denied the value. An evictable copy (``StoredEntry/Kind/data``) that is gone stays until it would have expired.
    /// - A slow reader gets the newest state: states that it had no time for are passed over. A change that leaves the
    ///   saved copy as it was is not told.
    /// - A copy that cannot be read is no new state. If the system failed, it is read again a second later.
    /// - There may be any number of followers; they share one reading of each change. A sequence ends when its task is
    ///   cancelled, and leaves nothing behind.
    public var updates: ResourceUpdates<Value> {
        ResourceUpdates { [self] in
            hub.withLock { hub in
                if let known = hub { return known }
                let source = UpdateSource(cache) { [weak self] mark async throws(LoadError) -> Loaded<Value>? in
                    try await self?.answer(to: mark)
                }
                let new = UpdateHub(
                    source, clock: clock, deniedAt: deniedAt, overlay: overlay.withLock { $0 })
                hub = new
                return new
            }
        }
    }
}
