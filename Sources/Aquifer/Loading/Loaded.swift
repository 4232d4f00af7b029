import AquiferFoundation

/// The source of a value.
public enum LoadSource: Sendable, Hashable {
    /// The remote delivered it, or confirmed that the saved copy is the latest.
    case remote
    /// The value is the copy saved at `savedAt`. `because` is the error that the load would have thrown without a copy;
    /// `nil` when the latest was not, or not yet, requested, or when every answer was overtaken by a change made here.
    case cache(savedAt: Date, because: LoadError?)
}

/// A value and its source.
public struct Loaded<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value
    /// The source of the value.
    public var source: LoadSource
    /// The stamp of its saved copy; `nil` when none could be saved.
    public var savedAt: Date?
    /// The reason why the value could not be saved. The value is the latest all the same.
    public var saveError: StoreError?

    /// Creates a value with its source.
    public init(_ value: Value, source: LoadSource, savedAt: Date? = nil, saveError: StoreError? = nil) {
        self.value = value
        self.source = source
        self.savedAt = savedAt
        self.saveError = saveError
    }

    /// The same with another value.
    public func map<Other: Sendable>(_ transform: (Value) -> Other) -> Loaded<Other> {
        Loaded<Other>(transform(value), source: source, savedAt: savedAt, saveError: saveError)
    }
}

extension Loaded: Equatable where Value: Equatable {}
