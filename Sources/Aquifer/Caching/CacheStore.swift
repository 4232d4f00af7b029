/// Keeps entries by key. Everything that is saved goes through this contract.
///
/// - Threads: many tasks and, for stores on disk, many processes may use one store at once.
/// - Order: calls with side effects run one after another, in the order they were issued on an instance.
///   A reader sees the old or the new entry whole, never a mix.
/// - Durability: what `insert`, `update` or `delete` acknowledged survives the process being killed at any
///   moment; what was not acknowledged is there whole or not at all. (``MemoryStore`` keeps this for its lifetime.)
/// - Integrity: an entry is given back as it was stored or not at all: a flipped bit, a short or a foreign
///   file is an error. A call that fails changes nothing, and fails the same way when repeated.
/// - Keys: any string that is not empty. Two keys are the same if their UTF-8 bytes are.
///
/// Every store passes `CacheStoreContract` of `AquiferTesting`.
public protocol CacheStore: Sendable {
    /// The entry under `key`, or `nil` if there is none. Has no side effects.
    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry?

    /// Stores an entry in place of whatever was under `key`, readable or not.
    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError)

    /// Leaves nothing under `key`, readable or not. Does nothing when there is nothing.
    func delete(_ key: String) async throws(StoreError)

    /// Looks and decides in one step: nothing can change the entry between `decide` seeing it and its decision
    /// being carried out. `decide` is given what ``retrieve(_:)`` would deliver or throw; it runs once, must be
    /// quick and must not call the store.
    func update(
        _ key: String,
        _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError)

    /// All entries whose header is readable, in no particular order, without their bytes.
    /// An unreadable one is left out here, and stays where it is.
    func entries() async throws(StoreError) -> [StoredEntry.Summary]
}

/// What ``CacheStore/update(_:_:)`` is to do with an entry.
public enum EntryChange: Sendable, Hashable {
    /// Leave it as it is.
    case keep
    /// Store this one in its place.
    case replace(StoredEntry)
    /// Leave nothing in its place.
    case delete
}
