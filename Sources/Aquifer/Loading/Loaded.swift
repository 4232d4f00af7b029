import Foundation

/// Where a value came from.
public enum LoadSource: Sendable, Hashable {
    /// The remote delivered it, or confirmed that the saved copy is the latest.
    case remote
    /// It is the copy saved at `savedAt`; `because` says why not the latest, and is `nil` when the latest was not, or
    /// not yet, asked for.
    case cache(savedAt: Date, because: FallbackReason?)
}

/// A value, and where it came from.
public struct Loaded<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value
    /// Where it came from.
    public var source: LoadSource
    /// When the saved copy of it was stamped; `nil` when none could be saved.
    public var savedAt: Date?
    /// Why the value could not be saved. It is the latest all the same.
    public var saveError: StoreError?

    /// A value and where it came from.
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
