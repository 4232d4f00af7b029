import AquiferFoundation

/// The steps of a shared store that read or change several entries at once, each by its own row.
///
/// An ``Outbox`` over such a store claims and ends many items with one message to the server. Without it, each item takes
/// messages of its own.
///
/// - A change is carried out only if the entry is as it was seen. An entry that somebody else has changed since then, or
///   is changing at this moment, stays as it is: nobody waits for it.
/// - Order: these calls may run before or after other calls of the same instance.
/// - Durability, integrity and ``CacheStore/changes`` are those of the store.
public protocol EntryBatches: Sendable {
    /// The entries under the keys at one moment, in the order of the keys: each the entry, `nil` if there is none, or the
    /// error of its damage.
    ///
    /// - Throws: ``StoreError`` if the place is out of reach, or a key is empty.
    func retrieve(_ keys: [String]) async throws(StoreError) -> [Result<SeenEntry?, StoreError>]

    /// Makes the changes of those entries that are as they were seen, in as few steps as the store can. Each change is made
    /// completely or not at all. Each key is named once.
    ///
    /// - Returns: for each change its entry afterwards; `nil` for a change that was not made. After a lost answer it is `nil`, too, for a
    ///   deletion that was made: look whether the entry is there.
    /// - Throws: ``StoreError``, also for an empty key. After ``StoreError/uncertain(operation:reason:)``, or if they took several steps, some may have
    ///   been made.
    func change(_ changes: [SeenChange]) async throws(StoreError) -> [SeenEntry?]
}

/// An entry as it was seen.
public struct SeenEntry: Sendable {
    /// The entry.
    public let entry: StoredEntry
    /// The mark of the entry: each write gives it another one.
    public let mark: Data

    /// Creates an entry as it was seen.
    ///
    /// - Parameters:
    ///   - entry: the entry.
    ///   - mark: its mark.
    public init(entry: StoredEntry, mark: Data) {
        (self.entry, self.mark) = (entry, mark)
    }
}

/// A change of an entry that was seen.
public struct SeenChange: Sendable {
    /// The key of the entry.
    public var key: String
    /// The entry as it was seen.
    public let seen: SeenEntry
    /// The entry in its place; `nil` to delete it.
    public let replacement: StoredEntry?

    /// Creates a change.
    ///
    /// - Parameters:
    ///   - key: the key of the entry.
    ///   - seen: the entry as it was seen.
    ///   - replacement: the entry in its place; `nil` to delete it.
    public init(_ key: String, _ seen: SeenEntry, replacement: StoredEntry?) {
        (self.key, self.seen, self.replacement) = (key, seen, replacement)
    }
}
