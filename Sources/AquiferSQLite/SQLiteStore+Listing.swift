import Aquifer
import AquiferConcurrency

/// The calls that a load does not need.
extension SQLiteStore {
    /// See `CacheStore.delete(_:)`.
    public func delete(_ key: String) async throws(StoreError) {
        guard !key.isEmpty else { throw .invalidKey(key) }
        let hasDeleted = try await deletes { table throws(StoreError) in try table.delete(key) }
        if hasDeleted { tell(.entry(key)) }
    }

    /// Carries out a deletion; true if there was anything to delete. The deletion of nothing is no commit, and is told to nobody: others
    /// would miss a commit for its line, or take a commit without a line for that of a killed writer.
    func deletes(_ body: @Sendable (EntryTable) throws(StoreError) -> Bool) async throws(StoreError) -> Bool {
        let hasDeleted = Locked(false)
        try await write(isOneStatement: false) { table throws(StoreError) in
            let isDone = try body(table)
            if isDone { hasDeleted.withLock { $0 = true } }
            return isDone
        }
        return hasDeleted.withLock { $0 }
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
