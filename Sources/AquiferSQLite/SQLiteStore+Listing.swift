import Aquifer

/// The calls that a load does not need.
extension SQLiteStore {
    /// See `CacheStore.delete(_:)`.
    public func delete(_ key: String) async throws(StoreError) {
        guard !key.isEmpty else { throw .invalidKey(key) }
        try await write(isOneStatement: false) { table throws(StoreError) in try table.delete(key) }
        tell(.entry(key))
    }

    /// See `CacheStore.contents()`. Reads no bytes of entries. The place of a damaged entry is the number of its row.
    public func contents() async throws(StoreError) -> StoreContents {
        try readers.read { table throws(StoreError) in try table.contents() } ?? StoreContents()
    }

    /// See `CacheStore.remove(_:)`.
    public func remove(_ damaged: DamagedEntry) async throws(StoreError) {
        guard let row = EntryTable.row(of: damaged) else { return }
        let hasChanged = try await transaction { _ throws(StoreError) in
            { table throws(StoreError) in try table.remove(row) }
        }
        // The key in a damaged row may be another one than it was stored under.
        if hasChanged { tell(.everything) }
    }
}
