/// A store around another one. It passes on every call that it does not write itself.
///
/// ``CacheStore/batches`` stay behind: they would pass by what the store does differently. Pass them on where they may.
/// Entries are written by ``CacheStore/insert(_:for:)`` and by ``CacheStore/update(_:_:)``, which loads, scopes and outboxes use. A store that
/// writes differently writes both itself.
///
/// ```swift
/// /// A store that has no room for clips.
/// struct CrampedStore: ForwardingStore {
///     let base: any CacheStore
///
///     func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
///         if key.hasPrefix("clip:") { throw .full(path: "/disk") }
///         try await base.insert(entry, for: key)
///     }
///
///     func update(
///         _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
///     ) async throws(StoreError) {
///         try await base.update(key) { found throws(StoreError) in
///             let change = try decide(found)
///             if case .replace = change, key.hasPrefix("clip:") { throw .full(path: "/disk") }
///             return change
///         }
///     }
/// }
/// ```
public protocol ForwardingStore: CacheStore {
    /// The store that answers.
    var base: any CacheStore { get }
}

extension ForwardingStore {
    /// Asks ``base``.
    public func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? { try await base.retrieve(key) }

    /// Inserts into ``base``.
    public func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try await base.insert(entry, for: key)
    }

    /// Deletes from ``base``.
    public func delete(_ key: String) async throws(StoreError) { try await base.delete(key) }

    /// Lets ``base`` decide and change in one step.
    public func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) { try await base.update(key, decide) }

    /// Lists ``base``.
    public func contents() async throws(StoreError) -> StoreContents { try await base.contents() }

    /// Lists a part of ``base``.
    public func contents(prefix: String) async throws(StoreError) -> StoreContents {
        try await base.contents(prefix: prefix)
    }

    /// A page of ``base``.
    public func page(prefix: String, after: String?, limit: Int) async throws(StoreError) -> StorePage {
        try await base.page(prefix: prefix, after: after, limit: limit)
    }

    /// Asks ``base``.
    public func mostBytes() async throws(StoreError) -> Int? { try await base.mostBytes() }

    /// Passes it on to ``base``.
    public func persist() async throws(StoreError) { try await base.persist() }

    /// Deletes a part of ``base``.
    public func deleteAll(prefix: String) async throws(StoreError) { try await base.deleteAll(prefix: prefix) }

    /// Removes from ``base``.
    public func remove(_ damaged: DamagedEntry) async throws(StoreError) { try await base.remove(damaged) }

    /// The changes of ``base``.
    public var changes: StoreChanges { base.changes }

    /// The leases of ``base``.
    public var leases: (any LoadLeases)? { base.leases }

    /// The presence that ``base`` knows.
    public var presence: (any StorePresence)? { base.presence }
}

extension SeveralReads where Self: ForwardingStore {
    /// Reads several entries of ``ForwardingStore/base``.
    package func retrieve(several keys: [String]) async -> [Result<StoredEntry?, StoreError>] {
        await base.entries(under: keys)
    }
}

extension UnflushedChanges where Self: ForwardingStore {
    /// Lets ``ForwardingStore/base`` decide and change, and leave the flushing to the next change.
    package func updateUnflushed(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) { try await base.updateUnflushed(key, decide) }
}
