import Aquifer
import AquiferFoundation

extension SQLiteStore {
    /// See `CacheStore.persist()`: flushes the log of the database, in which all that is not in its file is.
    public func persist() async throws(StoreError) {
        if durability == .power { return }
        try await queue.run { [journal] () throws(StoreError) in
            // Without a log everything is in the file, which SQLite has flushed before it deleted the log. No lock of SQLite's is on the
            // log, so that closing it here releases none.
            guard let log = try POSIX.openToRead(journal) else { return }
            try POSIX.flush(log)
            try POSIX.flushFolders(of: journal)
        }
    }

    /// SQLite's log. It is beside the file that the path leads to, and not beside a symbolic link.
    var journal: String { POSIX.resolved(path) + "-wal" }
}

extension SQLiteStore: UnflushedChanges {
    package func updateUnflushed(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        try await update(key, isFlushed: false, decide)
    }
}

extension SQLiteStore {
    static func replaced(_ path: String) -> StoreError {
        .failed(operation: "keep a change", reason: "\(path) was deleted or replaced meanwhile; try again")
    }
}
