import Aquifer
import AquiferConcurrency

/// The calls that a load does not need.
extension SQLiteStore {
    /// See `CacheStore.delete(_:)`.
    public func delete(_ key: String) async throws(StoreError) {
        guard !key.isEmpty else { throw .invalidKey(key) }
        let isCommit = try await deletes { table throws(StoreError) in try table.delete(key) }
        if isCommit { tell(.entry(key)) }
    }

    /// Carries out a deletion; true if it was a commit, which is told. Each line in the log of changes stands for one commit: with a line too
    /// many, others would miss the commit of a killed writer.
    ///
    /// The deletion of nothing is no commit, except where commits are counted: it may rest on the commit of a writer that was killed before
    /// he had flushed it, and flushes that.
    func deletes(_ body: @Sendable (EntryTable) throws(StoreError) -> Bool) async throws(StoreError) -> Bool {
        let isCommit = Locked(false)
        try await write(isOneStatement: false) { table throws(StoreError) in
            let hasDeleted = try body(table)
            if hasDeleted || table.countsCommits { isCommit.withLock { $0 = true } }
            return hasDeleted
        }
        return isCommit.withLock { $0 }
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
