import Aquifer
import AquiferCSQLite
import AquiferConcurrency
import AquiferFoundation
import Dispatch

// The connections of a store: one that writes, several that read, and one that moves the log beside the writer.

extension SQLiteStore {
    /// The failures that an acknowledged write survives.
    public enum Durability: Sendable, Hashable, CaseIterable {
        /// A write survives a kill of the process at any moment. A loss of power may lose the last writes completely,
        /// and never damages older ones (`synchronous=NORMAL`). Use it for data that can be loaded again.
        case process
        /// A write survives a loss of power too (`synchronous=FULL`): each write waits for the device.
        case power

        var setting: String {
            switch self {
            case .process: "NORMAL"
            case .power: "FULL"
            }
        }
    }
}

/// The connection that writes, and its table, for the file at the path when it was opened.
struct Writer {
    let table: EntryTable
    let checkpointer: Checkpointer
    /// False if the next commit does not wait for the device, of a store whose commits do.
    var isFlushing = true

    init(
        _ path: String, _ durability: SQLiteStore.Durability, _ patience: Duration, _ mark: BirthMark?,
        _ files: FilePolicy
    ) throws(StoreError) {
        let connection = try Opening.writer(path, durability, patience, mark)
        // The log and its index are deleted with the last connection, and made anew with the next.
        try files.apply(to: [path, path + "-wal", path + "-shm"] + (mark.map { [$0.file] } ?? []))
        // A loss of power may take acknowledged changes of the other kind away, as is documented.
        table = EntryTable(connection, countsCommits: mark != nil && durability == .power)
        checkpointer = Checkpointer(connection)
    }
}

extension SQLiteStore {
    /// Says whether the next commit waits for the device. Call it in the turn of a change, before its transaction.
    func setFlushing(_ isFlushing: Bool) throws(StoreError) {
        guard durability == .power, writer.isFlushing != isFlushing else { return }
        try writer.table.connection.execute("PRAGMA synchronous = \(isFlushing ? "FULL" : "NORMAL")")
        writer.isFlushing = isFlushing
    }
}

/// The connections that read, each opened when first needed and then kept.
///
/// Reading runs on the caller's thread: it takes microseconds, and a hop to another thread takes longer. No task
/// suspends while it holds a connection, so that waiting for one, when all are in use, is short too.
final class ReaderPool: @unchecked Sendable {
    /// The maximum size of the first connection's page cache in kilobytes, so that a recently read page is not read
    /// from the file again. Only this connection has a large cache, and it is used first. The cache replaces a memory
    /// map of the file, which would end the process when the file is truncated. Measured: 64 KB take 36 µs from the
    /// file, 17 µs from the cache, and took 20 µs from a map.
    private static let mainCacheKilobytes = 20_000
    private static let cacheKilobytes = 2_000

    private let path: String
    private let mark: BirthMark?
    private let patience: Duration
    /// Counts the connections that may still be taken. Wait for it outside the lock.
    private let free: DispatchSemaphore
    private let lock = Lock()
    private var idle: [EntryTable] = []
    private var opened = 0
    /// The number of times that the database was replaced: earlier connections are closed.
    private var generation = 0

    init(_ path: String, limit: Int, patience: Duration, mark: BirthMark?) {
        self.path = path
        self.mark = mark
        self.patience = patience
        free = DispatchSemaphore(value: max(1, limit))
    }

    /// Reads from the file that is at the path now; `nil` if there is none.
    ///
    /// - Throws: ``StoreError/lost(path:)`` if the file is missing or empty, and cannot be recreated.
    func read<Value>(_ body: (EntryTable) throws(StoreError) -> Value) throws(StoreError) -> Value? {
        while true {
            try mark?.check()
            guard let (table, generation) = try take() else { return nil }
            guard table.connection.isCurrent else {
                renew()
                giveBack(table, generation)
                continue
            }
            defer { giveBack(table, generation) }
            return try body(table)
        }
    }

    /// Closes all connections, because the database was replaced.
    func renew() {
        let old = lock.withLock {
            generation += 1
            opened -= idle.count
            defer { idle = [] }
            return idle
        }
        withExtendedLifetime(old) {}  // closed without the lock
    }

    private func take() throws(StoreError) -> (EntryTable, generation: Int)? {
        free.wait()
        lock.lock()
        let generation = generation
        if let table = idle.popLast() {
            lock.unlock()
            return (table, generation)
        }
        opened += 1
        let isMain = opened == 1
        lock.unlock()
        do throws(StoreError) {
            let connection = try Connection(path, .readOnly)
            // Readers never wait for writers. They wait, for milliseconds, only while the log is recovered after a
            // crash, or deleted by the last process that closes the store.
            connection.wait(upTo: patience)
            let kilobytes = isMain ? Self.mainCacheKilobytes : Self.cacheKilobytes
            try connection.execute("PRAGMA cache_size = -\(kilobytes)")
            return (EntryTable(connection), generation)
        } catch {
            lock.withLock { opened -= 1 }
            free.signal()
            // An entry is missing only with a file that is certainly missing.
            if POSIX.isMissing(path, orShorterThan: 0) {
                try mark?.check()
                return nil
            }
            throw error
        }
    }

    private func giveBack(_ table: EntryTable, _ generation: Int) {
        lock.withLock {
            // A transaction that could not be ended would read an old state for ever.
            if generation == self.generation, !table.connection.isInTransaction {
                idle.append(table)
            } else {
                opened -= 1
            }
        }
        free.signal()
    }
}
