import AquiferFoundation

/// A layer over the states of a resource: the changes of its user.
struct Overlay<Value: Sendable>: Sendable {
    /// A state without the changes.
    struct Base: Sendable {
        let loaded: Loaded<Value>?
        /// See ``StoredEntry/askedAt``.
        let askedAt: Date?
        /// The error of the last load, if there is no state because of it.
        var failure: LoadError?
        /// True if the server denies the value.
        var isDenied = false
        /// Tells this base from another one of the same followers; `nil` for one of no followers.
        var number: UInt64?
        /// Tells these followers from earlier ones, who have all left.
        var followers: UInt64 = 0
    }

    /// Reads the changes, the first time. Throws if they cannot be read: nothing may be shown without them.
    let prepare: @Sendable () async throws(StoreError) -> Void
    /// Calls the function after each change that may be shown.
    let observe: @Sendable (_ onChange: @escaping @Sendable () -> Void) -> StoreObservation
    /// The state with the changes in it.
    let lay: @Sendable (Base) -> Loaded<Value>?
}

extension StoredEntry {
    /// The time when its request was sent; `nil` if nobody knows. ``changedHere`` if it is later than the answer: the value was
    /// changed here since, or the clock was set back meanwhile.
    var askedAt: Date? { origin.map { $0.sentAt > savedAt ? Self.changedHere : $0.sentAt } }

    /// No time of a request.
    static var changedHere: Date { .distantFuture }
}

extension Resource {
    /// Shows what is laid over the value from here on.
    func attach(_ new: Overlay<Value>) {
        overlay.withLock { $0 = new }
        hub.withLock { $0 }?.attach(new)
    }
}

extension UpdateHub {
    /// Lays `overlay` over each state from here on.
    func attach(_ overlay: Overlay<Value>) {
        let observation = state.withLock { state -> StoreObservation? in
            state.overlay = overlay
            return state.overlayObservation.take()
        }
        observation?.cancel()
        observeOverlay()
    }

    /// Follows the changes as long as there are followers.
    func observeOverlay() {
        guard let overlay = state.withLock({ $0.subscribers.isEmpty ? nil : $0.overlay }) else { return }
        let observation = overlay.observe { [weak self] in self?.overlayHasChanged() }
        let late = state.withLock { state -> StoreObservation? in
            guard !state.subscribers.isEmpty, state.overlayObservation == nil else { return observation }
            state.overlayObservation = observation
            return nil
        }
        late?.cancel()
        if late == nil { overlayHasChanged() }
    }

    /// The newest state with what is laid over it.
    @discardableResult
    func laid() -> Loaded<Value>? {
        let (overlay, base, number, known) = state.withLock {
            ($0.hasEnded ? nil : $0.overlay, $0.base, $0.number, $0.laid)
        }
        guard let overlay else { return base.loaded }
        if let known, known.number == number { return known.loaded.value }
        let loaded = overlay.lay(base)
        state.withLock { if $0.number == number { $0.laid = (number, Boxed(loaded)) } }
        return loaded
    }

    /// A load had neither an answer nor a copy: what is laid over nothing says so.
    func fail(_ error: LoadError) {
        guard state.withLock({ $0.overlay != nil && $0.failure != error }) else { return }
        state.withLock { $0.failure = error }
        overlayHasChanged()
    }

    private func overlayHasChanged() {
        tell { [now = source.now()] state in
            guard state.isKnown, !state.hasEnded else { return }
            state.cause = .edited
            state.age = state.current?.savedAt.map { .milliseconds($0.milliseconds(to: now)) }
            state.number += 1
            state.untold.append((state.cause, state.age))
        }
    }
}

extension UpdateHub.State {
    /// The state before anything is laid over it.
    var base: Overlay<Value>.Base {
        Overlay<Value>.Base(
            loaded: current, askedAt: unsavedAskedAt ?? fingerprint?.askedAt, failure: current == nil ? failure : nil,
            isDenied: isHidden,
            number: baseNumber, followers: epoch)
    }
}
