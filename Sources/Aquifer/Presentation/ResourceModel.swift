import AquiferFoundation
import Observation

/// The state that a screen binds to: the value to show, its source, whether a newer one is being loaded, and the error
/// of the last load.
///
/// - ``appear()`` loads the first time only; ``refresh()`` loads each time, but never while a load runs.
/// - A saved fresh copy is shown at once, and ``source`` says so, while the latest is loaded.
/// - The last value stays while a newer one is loaded, and after a failed load, unless it has expired meanwhile.
/// - A value that the remote denies is hidden, as the ``FallbackPolicy`` says, until a load delivers one.
@MainActor @Observable
public final class ResourceModel<Value: Sendable> {
    /// The state of the screen.
    public enum Phase: String, Sendable, Hashable {
        /// Nothing has been loaded yet.
        case idle
        /// The latest is being loaded.
        case loading
        /// A value is shown, and there is no error.
        case loaded
        /// The last load failed: either the user has not dismissed the error yet, or there is no value to show.
        case failed
    }

    /// The functions of a resource that a model needs.
    public struct Loading: Sendable {
        /// The latest, or the fallback.
        public var load: @Sendable () async throws(LoadError) -> Loaded<Value>
        /// The same for a user who asks for the latest: ``Resource/reload()``.
        public var reload: @Sendable () async throws(LoadError) -> Loaded<Value>
        /// The saved fresh copy.
        public var saved: @Sendable () async throws(StoreError) -> Loaded<Value>?
        /// True if a copy of this stamp may still be shown.
        public var isFresh: @Sendable (Date) -> Bool
        /// The rule that decides after which errors a value may still be shown.
        public var fallback: FallbackPolicy

        /// Loading by these functions. Without `reload`, `load` serves both.
        public init(
            load: @escaping @Sendable () async throws(LoadError) -> Loaded<Value>,
            reload: (@Sendable () async throws(LoadError) -> Loaded<Value>)? = nil,
            saved: @escaping @Sendable () async throws(StoreError) -> Loaded<Value>?,
            isFresh: @escaping @Sendable (Date) -> Bool, fallback: FallbackPolicy = .standard
        ) {
            self.load = load
            self.reload = reload ?? load
            self.saved = saved
            self.isFresh = isFresh
            self.fallback = fallback
        }
    }

    /// The value to show.
    public private(set) var value: Value?
    /// The source of the value.
    public private(set) var source: LoadSource?
    /// The reason why the value shown could not be saved.
    public private(set) var saveError: StoreError?
    /// The error of the last load, until it is dismissed or the next load begins.
    public private(set) var error: LoadError?
    /// True if the latest is being loaded.
    public private(set) var isLoading = false
    /// True if the last load failed, even if the error was dismissed.
    private var hasFailed = false

    /// The state of the screen in one word.
    public var phase: Phase {
        if isLoading { return .loading }
        if error != nil { return .failed }
        if value != nil { return .loaded }
        return hasFailed ? .failed : .idle
    }

    @ObservationIgnored private let loading: Loading
    @ObservationIgnored private var hasAppeared = false
    @ObservationIgnored private var stamp: Date?
    /// True if the remote denied the value: the saved copy is then not shown ahead of the next answer.
    @ObservationIgnored private var isDenied = false
    /// True if the connection came back during the load under way, which may have begun without one.
    @ObservationIgnored private var asksAgain = false
    /// What ends with the model: see ``follow(_:settle:apart:clock:)``.
    @ObservationIgnored var connection: Following?

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
                isFresh: { resource.isFresh($0) }, fallback: resource.fallback))
    }

    /// The screen is visible: loads, the first time.
    public func appear() async {
        guard !hasAppeared else { return }
        await load(loading.load)
    }

    /// The user asks for the latest: loads it, unless a load is running. Returns when the load has ended; cancelling the task
    /// cancels the load.
    public func refresh() async {
        await load(loading.reload)
    }

    private func load(_ latest: () async throws(LoadError) -> Loaded<Value>) async {
        guard !isLoading else { return }
        hasAppeared = true
        isLoading = true
        error = nil
        hasFailed = false
        if value == nil, !isDenied { await showSaved() }
        do throws(LoadError) {
            show(try await latest())
        } catch {
            fail(error)
        }
        isLoading = false
        if asksAgain {
            asksAgain = false
            if !Task.isCancelled, hasFailed || source != .remote { await load(loading.load) }
        }
    }

    /// There is a connection again: loads what has appeared, as ``appear()`` would. A load under way is
    /// repeated when it has ended, if it did not reach the remote.
    public func connectionRestored() async {
        guard hasAppeared else { return }
        if isLoading { asksAgain = true } else { await load(loading.load) }
    }

    /// The user has read the error.
    public func dismissError() {
        error = nil
    }

    /// Shows a value that a screen has made of the one shown, of the same stamp and source: a list with one more page.
    public func replaceValue(_ value: Value) {
        self.value = value
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
        stamp = loaded.savedAt
        isDenied = false
    }

    private func fail(_ error: LoadError) {
        if error == .cancelled {
            // Nobody saw this load end: the next appearance is a first one again.
            hasAppeared = value != nil
            return
        }
        self.error = error
        hasFailed = true
        isDenied = !loading.fallback.allows(error)
        let hasExpired = stamp.map { !loading.isFresh($0) } ?? false
        if isDenied || hasExpired {
            value = nil
            source = nil
            saveError = nil
        }
    }
}
