import AquiferFoundation

/// The source of a value.
public enum LoadSource: Sendable, Hashable {
    /// The remote delivered it, or confirmed that the saved copy is the latest.
    case remote
    /// The value is the copy saved at `savedAt`. `because` is the error that the load would have thrown without a copy;
    /// `nil` when the latest was not, or not yet, requested, or when a change made here, or an invalidation, overtook every answer.
    case cache(savedAt: Date, because: LoadError?)
    /// There is no copy of the server's value: the value has nothing but what this user has changed (``EditableResource``).
    /// `because` is the error of the load; `nil` if none has failed.
    case pendingOnly(because: LoadError?)
}

/// The rule that decides after which errors of the remote a fresh saved copy is delivered instead.
///
/// After an error that it does not allow, the load throws that error, and the saved copy stays in the store as it is.
/// Only ``InvalidData/gone(status:)`` deletes it.
///
/// A rule of your own replaces the ``standard`` one. To add to it, ask it, too: otherwise the copy is shown of what the server
/// denies.
///
/// ```swift
/// let fallback = FallbackPolicy { error in
///     error.status != 451 && FallbackPolicy.standard.allows(error)
/// }
/// Resource(remote: remote, cache: cache, fallback: fallback)
/// ```
public struct FallbackPolicy: Sendable {
    private let decide: @Sendable (LoadError) -> Bool

    /// A rule of your own, in place of the ``standard`` one: true if the copy may be delivered after this error. It is asked about
    /// ``LoadError/connectivity(_:)`` and ``LoadError/invalidData(_:)`` only, and never about ``InvalidData/gone(status:)``.
    public init(_ decide: @escaping @Sendable (LoadError) -> Bool) {
        self.decide = decide
    }

    /// True if a fresh saved copy may be delivered after this error. A caller who has left is delivered nothing,
    /// and nobody is after the end of a ``Scope``.
    public func allows(_ error: LoadError) -> Bool {
        switch error {
        // The load has deleted the copy.
        case .invalidData(.gone): false
        case .connectivity, .invalidData: decide(error)
        case .store(.ended, _), .cancelled: false
        // The store was asked for the copy because the rule had allowed it.
        case .store: true
        }
    }

    /// After each error, except for the answers about this very value: the user may not see it (401, 403, or no
    /// credentials are accepted any more), or it is not there (404, 410).
    ///
    /// The copy is hidden from every instance and process until the next answer, and not deleted, because the answer may be another's: the
    /// page on which a hotel asks guests to sign in comes with a 404, too. A mapper that knows the answer as its server's throws ``InvalidData/gone(status:)``;
    /// then it is deleted, under each policy.
    public static let standard = FallbackPolicy { error in ![.denied, .missing].contains(error.trouble) }

    /// After each error: a copy that may be wrong is better than none.
    public static let always = FallbackPolicy { _ in true }
}

/// A value and its source.
public struct Loaded<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value
    /// The source of the value.
    public var source: LoadSource
    /// The date of its saved copy; `nil` when none could be saved.
    public var savedAt: Date?
    /// The reason why the value could not be saved. The value is the latest all the same.
    public var saveError: StoreError?
    /// The changes of this user that the server has not confirmed, in their order. The value shows them. It is empty for a
    /// resource that is not an ``EditableResource``.
    public var pending: [PendingItem] = []
    /// The reason why these changes could not be read; `nil` if they could. The value then shows those that were known before, and may
    /// lack others: say so beside it.
    public var pendingError: StoreError?
    /// The versions over which a change of this state is made.
    var seen: SeenState<Value>?

    /// Creates a value with its source.
    public init(_ value: Value, source: LoadSource, savedAt: Date? = nil, saveError: StoreError? = nil) {
        self.value = value
        self.source = source
        self.savedAt = savedAt
        self.saveError = saveError
    }

    /// The same with another value.
    public func map<Other: Sendable>(_ transform: (Value) -> Other) -> Loaded<Other> {
        var other = Loaded<Other>(transform(value), source: source, savedAt: savedAt, saveError: saveError)
        (other.pending, other.pendingError) = (pending, pendingError)
        other.seen = seen as? SeenState<Other>
        return other
    }
}

extension Loaded: Equatable where Value: Equatable {}
