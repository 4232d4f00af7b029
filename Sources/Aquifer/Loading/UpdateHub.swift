import AquiferConcurrency
import AquiferFoundation

/// The followers of one resource, and the state that they share.
///
/// Nothing runs while nothing changes. A change of the store only notes that the entry must be looked at. While somebody waits, a
/// task reads it for all. A burst of changes is thus one look, or two if it comes during one.
final class UpdateHub<Value: Sendable>: Sendable {
    let source: UpdateSource<Value>
    let clock: any Clock<Duration>
    let state = Locked(State())
    /// That of the resource: the time at which its last answer denied the value.
    private let deniedAt: Locked<Date?>

    init(
        _ source: UpdateSource<Value>, clock: any Clock<Duration>, deniedAt: Locked<Date?>,
        overlay: Overlay<Value>? = nil
    ) {
        self.source = source
        self.clock = clock
        self.deniedAt = deniedAt
        state.withLock { $0.overlay = overlay }
    }

    /// The state; `nil` also while it is not known.
    var current: Loaded<Value>? {
        let (isKnown, loaded) = state.withLock { ($0.isKnown && $0.overlay != nil, $0.current) }
        return isKnown ? laid() : loaded
    }

    // MARK: Following

    /// - Parameter asks: true for a follower that is told invalidations, too.
    func join(asks: Bool) -> Subscriber {
        let subscriber = Subscriber(asks: asks)
        let deniedAt = deniedAt.withLock { $0 }
        let isFirst = state.withLock { state in
            state.subscribers.append(subscriber)
            subscriber.toldMark = state.marks
            guard state.subscribers.count == 1 else { return false }
            (state.isHidden, state.hiddenSince) = (deniedAt != nil, deniedAt)
            return true
        }
        if isFirst { observe() }
        return subscriber
    }

    func leave(_ subscriber: Subscriber) {
        let (ready, ended) = change { state -> State? in
            if let place = state.subscribers.firstIndex(where: { $0 === subscriber }) {
                state.subscribers.remove(at: place)
            }
            guard state.subscribers.isEmpty else { return nil }
            defer {
                let (epoch, number, overlay) = (state.epoch, state.number, state.overlay)
                let (saves, changes) = (state.saves, state.changesDuringSave)
                state = State()
                (state.overlay, state.baseNumber) = (overlay, number)
                (state.epoch, state.number) = (epoch + 1, number)
                (state.saves, state.changesDuringSave) = (saves, changes)
            }
            return state
        }
        ended?.observation?.cancel()
        ended?.overlayObservation?.cancel()
        ended?.timer?.alarm.cancel()
        for waiting in ready { waiting.resume() }
    }

    private func observe() {
        let observation = source.observe { [weak self] in self?.entryMayHaveChanged() }
        // A follower that came meanwhile may have looked before the observation began.
        let (ready, late) = change { state -> StoreObservation? in
            // The first may have left, and another one begun an observation of its own.
            guard !state.subscribers.isEmpty, state.observation == nil else { return observation }
            state.observation = observation
            state.mustLook = true
            return nil
        }
        late?.cancel()
        for waiting in ready { waiting.resume() }
        observeOverlay()
    }

    func entryMayHaveChanged() {
        tell { state in
            state.mustLook = true
            if state.saves > 0 { state.changesDuringSave.note() }
        }
    }

    /// The next news that `subscriber` was not told; `nil` when its task is cancelled.
    func next(_ subscriber: Subscriber, isolation actor: isolated (any Actor)?) async -> News? {
        var hasLooked = false
        while !Task.isCancelled {
            let now = source.now()
            let step = state.withLock { state -> Step in
                // No alarm rings when somebody sets the clock.
                let isExpired = state.savedAt.map { !source.policy.isFresh($0, at: now) } ?? false
                if isExpired { state.mustLook = true }
                if isExpired || !hasLooked || !state.hasNews(for: subscriber), let epoch = state.takeLook() {
                    return .look(epoch: epoch)
                }
                if state.isInvalid(for: subscriber) {
                    subscriber.toldMark = state.marks
                    if let mark = state.mark { return .tell(.invalid(mark: mark)) }
                }
                if isExpired { state.show(nil, state.fingerprint, .expired, at: now) }
                guard state.hasNews(for: subscriber) else { return .wait }
                subscriber.told = state.number
                let update = state.update()
                return state.overlay == nil ? .tell(.state(update)) : .lay(update)
            }
            switch step {
            case .tell(let news): return news
            // Outside of the lock: others may go on meanwhile.
            case .lay(let base):
                return .state(Boxed(Update(loaded: laid(), cause: base.value.cause, age: base.value.age)))
            case .look(let epoch):
                hasLooked = true
                await look(epoch)
            case .wait: await wait(subscriber)
            }
        }
        // It may have left a look to others.
        tell { _ in }
        return nil
    }

    private enum Step {
        case tell(News)
        case lay(Boxed<Update<Value>>)
        case look(epoch: UInt64)
        case wait
    }

    private func wait(_ subscriber: Subscriber, isolation: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayGoOn = state.withLock { state in
                    // Read under the lock: a cancellation from here on finds the one that waits.
                    if Task.isCancelled || state.canLook || state.hasNews(for: subscriber) { return true }
                    subscriber.waiting = continuation
                    return false
                }
                if mayGoOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { _ in subscriber.waiting.take() }?.resume()
        }
    }

    /// Changes the state, and takes those who have something to do then. The caller resumes them.
    func change<Result>(_ body: (inout State) -> Result) -> ([CheckedContinuation<Void, Never>], Result) {
        let (ready, untold, epoch, isCovered, result) = state.withLock { state in
            let result = body(&state)
            defer { state.untold = [] }
            return (state.wake(), state.untold, state.beginLook(), state.overlay != nil, result)
        }
        // In no follower's task: the actor of one may be busy for long.
        if let epoch { Task { await look(epoch) } }
        if let events = source.events { for (cause, age) in untold { events(cause, age) } }
        // Here, for all: the actor of a follower should not have to do it.
        if isCovered, !ready.isEmpty { laid() }
        return (ready, result)
    }

    /// Changes the state, and lets those go on who have something to do then.
    func tell(_ body: (inout State) -> Void) {
        for waiting in change(body).0 { waiting.resume() }
    }
}
