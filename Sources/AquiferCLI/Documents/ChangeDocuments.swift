/// The ID, key or name that was removed.
struct RemovedDocument: Encodable {
    let removed: String
}

/// The keys that were removed.
struct RemovedKeysDocument: Encodable {
    let removed: [String]
}

/// The number of entries that were deleted.
struct DeletedCountDocument: Encodable {
    let deleted: Int
}

/// A change without a value of its own.
struct ChangedDocument: Encodable {
    let changed: Bool
}

/// The payment record that was discarded.
struct DiscardedPaymentDocument: Encodable {
    let discarded: String
}
