import AquiferFoundation

/// The use cases that ``Resource/load()`` combines. Use them to combine the parts in another way, and in tests that
/// follow a specification. ``Resource/saved()`` is the fourth use case, "load from cache".
extension Resource {
    /// The use case "load from remote": requests the value from the remote and delivers it. The saved copy is neither
    /// read nor changed. Each call sends a request of its own, which other loads do not share.
    ///
    /// - Throws: ``LoadError/connectivity(_:)``, ``LoadError/invalidData(_:)``, or ``LoadError/cancelled``.
    public func loadFromRemote() async throws(LoadError) -> Value {
        try await remote.load()
    }

    /// The use case "validate cache": deletes the saved copy if it has expired or cannot be read, in one atomic step.
    ///
    /// Run it after ``load()``, not before: an expired copy is never shown, but until it is deleted its validators can
    /// spare the transfer of a value that has not changed.
    ///
    /// - Returns: true if a copy was deleted.
    /// - Throws: ``StoreError`` when the store failed. The copy may then still be there; it is not shown either way.
    @discardableResult
    public func validateSaved() async throws(StoreError) -> Bool {
        try await cache.validate()
    }

    /// The use case "save": replaces the saved copy by this value, with the current date, in one atomic step.
    ///
    /// It replaces any saved copy, even one from a newer answer of the server, and keeps no validators: the next load
    /// transfers the whole value. ``load()`` keeps the newer answer and the validators.
    ///
    /// - Returns: the date that was saved.
    /// - Throws: ``StoreError`` when it could not be saved. The copy before is then still there.
    @discardableResult
    public func save(_ value: Value) async throws(StoreError) -> Date {
        try await cache.save(value)
    }

    /// The saved entry if it is fresh, not decoded. Use it to find out whether the entry has changed.
    ///
    /// - Throws: ``StoreError`` when there is an entry and it cannot be read.
    public func savedEntry() async throws(StoreError) -> StoredEntry? {
        guard let entry = try await cache.entry(), cache.isFresh(entry.savedAt), !entry.isMark else { return nil }
        return entry
    }
}
