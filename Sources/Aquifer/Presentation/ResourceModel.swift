import AquiferFoundation
import Observation

/// The state that a screen binds to: the value to show, its source, whether a newer one is being loaded, and the error
/// of the last load.
///
/// - ``appear()`` loads the first time only, and after a loss; ``refresh()`` loads each time. While a load runs, both wait for its end. If whoever began
///   it cancels it, those who wait load by themselves.
/// - A saved fresh copy is shown at once, and ``source`` says so, while the latest is loaded.
/// - The last value stays while a newer one is loaded, and after a failed load, unless it has expired meanwhile.
/// - A value that the remote denies is hidden, as the ``FallbackPolicy`` says, until a load delivers one. After the end of its
///   ``Scope`` nothing is shown.
/// - From its first appearance on it follows ``Resource/updates``: it shows, without a request, what other models,
///   resources and processes change in the saved copy, and shows no copy that was deleted or has expired. It is then
///   ``Phase/idle`` until ``appear()``, which a visible screen calls as soon as it sees that.
/// - When the value is made invalid, here or in another process, it loads by itself: one request for all models of the
///   resource. If that fails, the value stays invalid, and nothing is asked until the next refresh or connection.
@MainActor @Observable
public final class ResourceModel<Value: Sendable> {
    /// The functions of a resource that a model needs.
    public struct Loading: Sendable {
        /// The latest, or the fallback.
        public var load: @Sendable () async throws(LoadError) -> Loaded<Value>
        /// The same for a user who asks for the latest: ``Resource/reload()``.
        public var reload: @Sendable () async throws(LoadError) -> Loaded<Value>
        /// The saved fresh copy.
        public var saved: @Sendable () async throws(StoreError) -> Loaded<Value>?
        /// True if a copy that was saved at this date may still be shown.
        public var isFresh: @Sendable (Date) -> Bool
        /// The rule that decides after which errors a value may still be shown.
        public var fallback: FallbackPolicy
        /// The states of the resource that ``load`` loads; `nil` if the model need not show what others change.
        public var updates: ResourceUpdates<Value>?

        /// Loading by these functions. Without `reload`, `load` serves both.
        public init(
            load: @escaping @Sendable () async throws(LoadError) -> Loaded<Value>,
            reload: (@Sendable () async throws(LoadError) -> Loaded<Value>)? = nil,
            saved: @escaping @Sendable () async throws(StoreError) -> Loaded<Value>?,
            isFresh: @escaping @Sendable (Date) -> Bool, fallback: FallbackPolicy = .standard,
            updates: ResourceUpdates<Value>? = nil
        ) {
            self.load = load
            self.reload = reload ?? load
            self.saved = saved
            self.isFresh = isFresh
            self.fallback = fallback
            self.updates = updates
        }
    }

    /// The value to show.
    public private(set) var value: Value?
    /// The source of the value.
    public private(set) var source: LoadSource?
    /// The reason why the value shown could not be saved.
    public private(set) var saveError: StoreError?
    /// The changes in the value that the server has not confirmed, if the resource is an ``EditableResource``.
    public private(set) var pending: [PendingItem] = []
    /// The reason why these changes could not be read: the value may lack some.
    public private(set) var pendingError: StoreError?
    /// The error of the last load, until it is dismissed, the next load begins, or a newer value was saved elsewhere.
    public internal(set) var error: LoadError?
    /// True if the latest is being loaded.
    public internal(set) var isLoading = false
    /// True if the last load failed, even if the error was dismissed.
    var hasFailed = false

    @ObservationIgnored let loading: Loading
    @ObservationIgnored private var hasAppeared = false
    @ObservationIgnored private var stamp: Date?
    @ObservationIgnored private var seen: SeenState<Value>?
    /// True if the remote denied the value: the saved copy is then not shown ahead of the next answer.
    @ObservationIgnored private var isDenied = false
    @ObservationIgnored let turn = LoadTurn()
    /// The mark of an invalidation that came during the load under way, which may have ended before it.
    @ObservationIgnored var invalidMark: Date?
    /// Ends with the model: see ``follow(_:settle:apart:clock:)``.
    @ObservationIgnored var reconnecting: Following?
    /// The states that the model follows, from its first appearance until it is released.
    @ObservationIgnored var subscription: UpdateSubscription<Value>?
    @ObservationIgnored private var followedUpdates: StoreObservation?
    /// The load of a value that was made invalid.
    @ObservationIgnored var answering: StoreObservation?

    /// What is shown, with the versions that were seen: give it to ``EditableResource/change(_:over:label:key:)`` when a form that was opened over
    /// it is saved.
    public var loaded: Loaded<Value>? {
        guard let value, let source else { return nil }
        var loaded = Loaded(value, source: source, savedAt: stamp, saveError: saveError)
        (loaded.pending, loaded.pendingError, loaded.seen) = (pending, pendingError, seen)
        return loaded
    }

    /// A model of this loading.
    public init(_ loading: Loading) {
        self.loading = loading
    }

    /// A model of a resource.
    public convenience init(_ resource: Resource<Value>) {
        self.init(
            Loading(
                load: { () async throws(LoadError) in try await resource.load() },
                reload: { () async throws(LoadError) in try await resource.reload() },
                saved: { () async throws(StoreError) in try await resource.saved() },
                isFresh: { resource.isFresh($0) }, fallback: resource.fallback, updates: resource.updates))
    }

    /// A model of a resource that its user can change.
    public convenience init<Change: PendingChange>(_ editable: EditableResource<Change>) where Change.Value == Value {
        self.init(
            Loading(
                load: { () async throws(LoadError) in try await editable.load() },
                reload: { () async throws(LoadError) in try await editable.reload() },
                saved: { () async throws(StoreError) in try await editable.saved() },
                isFresh: { editable.resource.isFresh($0) }, fallback: editable.resource.fallback,
                updates: editable.updates))
    }

    /// The screen is visible: loads, the first time. Returns when the load has ended; cancelling the task cancels the load.
    ///
    /// It does not try again after a load that failed: call ``refresh()``, or let the model ``follow(_:settle:apart:clock:)`` the
    /// connection. After a first load that was cancelled before there was a value, the next appearance is a first one again, as it is when
    /// the value was deleted or denied elsewhere, or has expired.
    public func appear() async {
        guard !hasAppeared || isLoading || phase == .idle else { return }
        await load(loading.load)
    }

    /// The user asks for the latest: loads it, unless a load is running. Returns when the load has ended; cancelling the task
    /// cancels the load.
    public func refresh() async {
        await load(loading.reload)
    }

    private func load(_ latest: () async throws(LoadError) -> Loaded<Value>) async {
        await turn.run {
            (hasAppeared, isLoading) = (true, true)
            (error, hasFailed) = (nil, false)
            if loading.updates != nil { await follow() } else if value == nil, !isDenied { await showSaved() }
            defer { isLoading = false }
            do throws(LoadError) {
                let loaded = try await latest()
                // Another caller may have changed the value since: it is what the followers were told last.
                if subscription == nil { show(loaded) } else { catchUp() }
            } catch {
                fail(error)
                return error == .cancelled
            }
            return false
        }
        await loadedAgain()
    }

    /// There is a connection again: loads the latest, if the screen has appeared before. A load under way is repeated when it has
    /// ended, if it did not reach the remote.
    public func connectionRestored() async {
        guard hasAppeared else { return }
        if isLoading {
            await turn.end()
            guard !Task.isCancelled, hasFailed || source != .remote else { return }
        }
        await load(loading.load)
    }

    /// Shows the saved copy, and from then on each newer state.
    private func follow() async {
        guard subscription == nil, let updates = loading.updates else { return }
        let subscription = updates.subscribe(asks: true)
        guard let first = await subscription.news(isolation: #isolation) else { return }
        self.subscription = subscription
        if case .state(let update) = first { take(update.value.loaded) }
        let task = Task { [weak self] in
            while let news = await subscription.news(isolation: #isolation) {
                switch news {
                case .state(let update): self?.take(update.value.loaded)
                // The states of the meantime are shown, too.
                case .invalid(let mark): self?.loadInvalid(mark)
                }
            }
        }
        followedUpdates = StoreObservation { task.cancel() }
    }

    /// Shows the newest state that the followers were told, without waiting for it.
    func catchUp() {
        if let subscription { take(subscription.current) }
    }

    /// Shows a state of the resource.
    private func take(_ state: Loaded<Value>?) {
        let shown = state.flatMap { ($0.savedAt.map(loading.isFresh) ?? true) ? $0 : nil }
        // What was shown since a load failed is lost, and is no failure of that load.
        if source.map({ $0 != Self.changesAlone }) == true, shown.map({ $0.source == Self.changesAlone }) ?? true {
            hasFailed = false
        }
        // What was saved elsewhere after a load failed here has succeeded since.
        if !isLoading, let savedAt = shown?.savedAt, savedAt > stamp ?? .distantPast {
            (error, hasFailed) = (nil, false)
        }
        if let shown { show(shown) } else { hide() }
    }

    /// Nothing but what this user has changed.
    static var changesAlone: LoadSource { .pendingOnly(because: nil) }

    /// The user has read the error.
    public func dismissError() {
        error = nil
    }

    /// Shows a value that a screen has made of the one shown, of the same date and source: a list with one more page.
    ///
    /// It is shown until the next state of the resource. Save it too, with ``Cache/amend(_:)``, if it is to stay.
    public func replaceValue(_ value: Value) {
        self.value = value
    }

    /// Shows a value that a screen has from elsewhere, with its source and the date of its saved copy.
    public func replaceValue(_ loaded: Loaded<Value>) {
        show(loaded)
    }

    private func showSaved() async {
        // A copy that cannot be read is not shown. If it is needed, the load that follows reports the error.
        guard let saved = try? await loading.saved() else { return }
        show(saved)
    }

    private func show(_ loaded: Loaded<Value>) {
        value = loaded.value
        source = loaded.source
        saveError = loaded.saveError
        (pending, pendingError) = (loaded.pending, loaded.pendingError)
        stamp = loaded.savedAt
        seen = loaded.seen
        isDenied = false
    }

    func fail(_ error: LoadError) {
        if error == .cancelled {
            // Nobody saw this load end: the next appearance is a first one again.
            hasAppeared = value != nil
            return
        }
        self.error = error
        hasFailed = true
        isDenied = !loading.fallback.allows(error)
        let hasExpired = stamp.map { !loading.isFresh($0) } ?? false
        if isDenied || hasExpired { hide() }
        // Others may have saved a value since it was denied, but none after an end.
        if error.isEnd { return }
        if isDenied, subscription?.current != nil { catchUp() }
    }

    private func hide() {
        value = nil
        source = nil
        saveError = nil
        (pending, pendingError) = ([], nil)
        stamp = nil
        seen = nil
    }
}
