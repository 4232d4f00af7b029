import Aquifer
import Foundation

/// A store in a SQLite database: the embedded default.
///
/// Keeps the whole ``CacheStore`` contract, with many processes on one file. What it acknowledged survives the
/// process being killed; see ``Durability`` for the loss of power. SQLite has no checksums of its own in its
/// database file: every entry is kept with one, and checked at each retrieval.
///
/// Reading runs on the caller's thread, from several connections at once, beside one writer. Writing runs on the
/// caller's thread too, one at a time in the order of issue; when another process holds the database it moves to a
/// thread of its own to wait there.
public final class SQLiteStore: CacheStore {
    /// What an acknowledged write survives.
    public enum Durability: Sendable, Hashable, CaseIterable {
        /// The process being killed at any moment. A loss of power may lose the last writes, whole, and never
        /// damages older ones (`synchronous=NORMAL`). Right for what can be loaded again.
        case process
        /// The loss of power too (`synchronous=FULL`): each write waits for the device.
        case power

        var setting: String {
            switch self {
            case .process: "NORMAL"
            case .power: "FULL"
            }
        }
    }

    private let path: String
    private let patience: Duration
    private let durability: Durability
    private let readers: ReaderPool
    private let writer: Writer
    private let checkpointer: Checkpointer
    private let turn = Turnstile()
    private let queue = SerialQueue("aquifer.sqlite-store")

    /// Used only by whoever is in the turnstile.
    private struct Writer: @unchecked Sendable {
        let table: EntryTable
    }

    /// Opens the store in `file`, making it, with its folder, if it is missing. Only this user can read it.
    ///
    /// An older version's file is upgraded in one transaction. Blocks for less than a millisecond, but for an upgrade.
    ///
    /// - Parameters:
    ///   - durability: what an acknowledged write survives.
    ///   - readers: how many connections may read at once; each is opened when first needed.
    ///   - patience: how long a write waits for another process before it throws ``StoreError/busy(path:)``.
    /// - Throws: ``StoreError/notAStore(path:)`` if `file` is anything else, and leaves it untouched;
    ///   ``StoreError/newerVersion(path:found:supported:)``; ``StoreError/readOnly(path:)``.
    public init(
        file: URL, durability: Durability = .process, readers: Int = 4, patience: Duration = .seconds(5)
    ) throws(StoreError) {
        path = file.standardizedFileURL.path
        self.patience = patience
        self.durability = durability
        let connection = try Opening.writer(path, durability, patience)
        writer = Writer(table: EntryTable(connection))
        checkpointer = Checkpointer(connection)
        self.readers = ReaderPool(path, limit: readers, patience: patience)
    }

    /// The database.
    public var file: URL { URL(fileURLWithPath: path) }

    /// See ``CacheStore/retrieve(_:)``.
    public func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        guard !key.isEmpty else { throw .invalidKey(key) }
        return try readers.read { table throws(StoreError) in try Self.select(key, table) }
    }

    /// See ``CacheStore/insert(_:for:)``.
    public func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        guard !key.isEmpty else { throw .invalidKey(key) }
        try await write { table throws(StoreError) in try table.upsert(entry, key) }
    }

    /// See ``CacheStore/delete(_:)``.
    public func delete(_ key: String) async throws(StoreError) {
        guard !key.isEmpty else { throw .invalidKey(key) }
        try await write { table throws(StoreError) in try table.delete(key) }
    }

    /// See ``CacheStore/update(_:_:)``.
    public func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        guard !key.isEmpty else { throw .invalidKey(key) }
        let failure = Locked<StoreError?>(nil)
        try await write { table throws(StoreError) in
            try table.begin()
            do throws(StoreError) {
                try Self.change(key, table, decide)
                try table.commit()
            } catch {
                table.rollback()
                // Kept from `write`, which would take a `busy` of `decide`'s for its own and run it twice.
                failure.withLock { $0 = error }
            }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    /// See ``CacheStore/entries()``. Reads no bytes of entries.
    public func entries() async throws(StoreError) -> [StoredEntry.Summary] {
        try readers.read { table throws(StoreError) in try table.list() }
    }

    private static func change(
        _ key: String, _ table: EntryTable,
        _ decide: (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) throws(StoreError) {
        let found = Result { () throws(StoreError) in try select(key, table) }
        switch try decide(found) {
        case .keep: break
        case .replace(let entry): try table.upsert(entry, key)
        case .delete: try table.delete(key)
        }
    }

    private static func select(_ key: String, _ table: EntryTable) throws(StoreError) -> StoredEntry? {
        do throws(StoreError) {
            return try table.select(key)
        } catch .failed(_, let reason) {
            throw .unreadable(key: key, reason: reason)
        }
    }

    private func write(_ body: @Sendable (EntryTable) throws(StoreError) -> Void) async throws(StoreError) {
        if !turn.tryEnter() { await turn.enter() }
        defer { turn.leave() }
        if durability == .process, try attempt(body) { return await checkpointer.afterWrite() }
        // Another process is writing, or each write waits for the device: the waiting is done on our own thread.
        try await queue.run { () throws(StoreError) in
            let isDone = try Waiting.until(patience) { () throws(StoreError) in try attempt(body) }
            if !isDone { throw .busy(path: path) }
        }
        await checkpointer.afterWrite()
    }

    /// False if another process holds the database; then nothing was done.
    private func attempt(_ body: (EntryTable) throws(StoreError) -> Void) throws(StoreError) -> Bool {
        do throws(StoreError) {
            try body(writer.table)
            return true
        } catch .busy {
            return false
        }
    }
}
