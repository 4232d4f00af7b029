import App
import Foundation

/// An entry of the cache.
struct EntryDocument: Encodable {
    let key: String
    let kind: String
    let size: Int
    @OrNull var savedAt: Date?
    let validity: String
    @OrNull var reason: String?

    init(_ entry: Inspector.Entry) {
        key = entry.key
        kind = entry.kind == .value ? "value" : "data"
        size = entry.size
        _savedAt = OrNull(wrappedValue: entry.savedAt)
        validity = entry.validity.rawValue
        _reason = OrNull(wrappedValue: entry.reason)
    }
}

extension Inspector.Report {
    /// The stores that failed.
    var failureDocuments: [FailureDocument] {
        failures.map { FailureDocument($0.store, "\($0.error)") }
    }
}
