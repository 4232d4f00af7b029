import Foundation
import Observation

/// What a screen binds to: the value to show, where it came from, whether a newer one is being asked for, and what
/// went wrong.
///
/// - ``appear()`` loads the first time only; ``refresh()`` whenever asked, but never beside a load that runs.
/// - A saved fresh copy is shown at once, and ``source`` says so, while the latest is loaded.
/// - The last value stays while a newer one is loaded, and after that failed, unless it has expired meanwhile.
@MainActor @Observable
public final class ResourceModel<Value: Sendable> {
    /// What the screen is doing.
    public enum Phase: String, Sendable, Hashable {
        /// Nothing has been asked for yet.
        case idle
        /// The latest is being asked for.
        case loading
        /// A value is shown, and nothing went wrong.
        case loaded
        /// The last load failed: either the customer has not dismissed that yet, or there is nothing to show instead.
        case failed
    }

    /// What a model needs to know of a resource.
    public struct Loading: Sendable {
        /// The latest, or the fallback.
        public var load: @Sendable () async throws(LoadError) -> Loaded<Value>
        /// The saved fresh copy.
        public var saved: @Sendable () async throws(StoreError) -> Loaded<Value>?
        /// Whether a copy of this stamp may still be shown.
        public var isFresh: @Sendable (Date) -> Bool

        /// Loading by these functions.
        public init(
            load: @escaping @Sendable () async throws(LoadError) -> Loaded<Value>,
            saved: @escaping @Sendable () async throws(StoreError) -> Loaded<Value>?,
            isFresh: @escaping @Sendable (Date) -> Bool
        ) {
            self.load = load
            self.saved = saved
            self.isFresh = isFresh
        }
    }

    /// The value to show.
    public private(set) var value: Value?
    /// Where the value came from.
    public private(set) var source: LoadSource?
    /// Why the value shown could not be saved.
    public private(set) var saveError: StoreError?
    /// What went wrong with the last load, until dismissed or loaded again.
    public private(set) var error: LoadError?
    /// Whether the latest is being asked for.
    public private(set) var isLoading = false
    /// Whether the last load failed, dismissed or not.
    private var hasFailed = false

    /// The whole in one word.
    public var phase: Phase {
        if isLoading { return .loading }
        if error != nil { return .failed }
        if value != nil { return .loaded }
        return hasFailed ? .failed : .idle
    }

    @ObservationIgnored private let loading: Loading
    @ObservationIgnored private var hasAppeared = false
    @ObservationIgnored private var stamp: Date?

    /// A model of this loading.
    public init(_ loading: Loading) {
        self.loading = loading
    }

    /// A model of a resource.
    public convenience init(_ resource: Resource<Value>) {
        self.init(
            Loading(
                load: { () async throws(LoadError) in try await resource.load() },
                saved: { () async throws(StoreError) in try await resource.saved() },
                isFresh: { resource.isFresh($0) }))
    }

    /// The screen is visible: loads, the first time.
    public func appear() async {
        guard !hasAppeared else { return }
        hasAppeared = true
        await refresh()
    }

    /// Loads the latest, unless a load is running. Returns when it has ended; cancelling the task cancels it.
    public func refresh() async {
        guard !isLoading else { return }
        hasAppeared = true
        isLoading = true
        error = nil
        hasFailed = false
        if value == nil { await showSaved() }
        do throws(LoadError) {
            show(try await loading.load())
        } catch {
            fail(error)
        }
        isLoading = false
    }

    /// The customer has read what went wrong.
    public func dismissError() {
        error = nil
    }

    /// Shows a value that a screen has made of the one shown, of the same stamp and source: a page more of a list.
    public func replaceValue(_ value: Value) {
        self.value = value
    }

    private func showSaved() async {
        // A copy that cannot be read is not shown; if it is needed, the load that follows tells.
        guard let saved = try? await loading.saved() else { return }
        show(saved)
    }

    private func show(_ loaded: Loaded<Value>) {
        value = loaded.value
        source = loaded.source
        saveError = loaded.saveError
        stamp = loaded.savedAt
    }

    private func fail(_ error: LoadError) {
        if error == .cancelled {
            // Nobody saw this load end: the next appearance is a first one again.
            hasAppeared = value != nil
            return
        }
        self.error = error
        hasFailed = true
        if let stamp, !loading.isFresh(stamp) {
            value = nil
            source = nil
        }
    }
}
