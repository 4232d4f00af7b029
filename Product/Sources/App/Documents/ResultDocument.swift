import Aquifer
import Foundation

/// The document of a result: the value of a command, and its origin.
public struct ResultDocument<Value: Encodable>: Encodable {
    /// The place that a value comes from.
    enum Source: String, Encodable {
        /// The server.
        case remote
        /// The saved copy of a server's value.
        case cache
        /// This machine.
        case local
    }

    let source: Source
    /// The time at which the value was saved.
    @OrNull var savedAt: Date?
    /// The reason why the value is a saved copy.
    @OrNull var because: String?
    /// The error of saving the value for offline use.
    @OrNull var saveError: String?
    let value: Value
    /// The parts that could not be read, in commands that read entry by entry.
    var failures: [FailureDocument]?
}

extension ResultDocument {
    /// The document of a loaded value.
    public init<Loadable>(_ loaded: Loaded<Loadable>, _ value: (Loadable) -> Value) {
        let (source, because): (Source, LoadError?) =
            switch loaded.source {
            case .remote: (.remote, nil)
            case .cache(_, let because): (.cache, because)
            case .pendingOnly(let because): (.local, because)
            }
        self.init(
            source: source, savedAt: loaded.savedAt,
            because: because?.reason?.rawValue,
            saveError: loaded.saveError.map { "\($0)" }, value: value(loaded.value),
            failures: loaded.pendingError.map { [FailureDocument("outbox", "\($0)")] })
    }

    /// The document of a value of this machine.
    public init(local value: Value, failures: [FailureDocument]? = nil) {
        self.init(
            source: .local, savedAt: nil, because: nil,
            saveError: nil, value: value, failures: failures)
    }

    /// The document of a copy on this machine, which a server confirmed at this time.
    public init(saved value: Value, at savedAt: Date) {
        self.init(
            source: .cache, savedAt: savedAt, because: nil,
            saveError: nil, value: value)
    }

    /// The document of a server's answer that is no saved copy.
    public init(remote value: Value, saveError: StoreError? = nil) {
        self.init(
            source: .remote, savedAt: nil, because: nil,
            saveError: saveError.map { "\($0)" }, value: value)
    }
}

/// A part that could not be read.
public struct FailureDocument: Encodable, Sendable {
    /// The store, or the ID of an entry; `null` if the entry has none that can be read.
    @OrNull var name: String?
    let reason: String

    /// The document of a failure.
    public init(_ name: String?, _ reason: String) {
        _name = OrNull(wrappedValue: name)
        self.reason = reason
    }
}
