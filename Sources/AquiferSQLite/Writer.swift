import Aquifer
import AquiferCSQLite
import AquiferConcurrency
import AquiferFoundation
import Dispatch

// The connection that writes, and the one that moves the log beside it.

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

    /// Carries out a change within a transaction and commits it.
    ///
    /// - Returns: true if that was a commit of SQLite's: it has changed something, or was counted.
    func carryOut(_ change: EntryTable.Change, decidedAt version: Int) throws(StoreError) -> Bool {
        let table = writer.table
        do throws(StoreError) {
            let hasChanged = try change(table)
            try table.commit()
            return hasChanged || table.countsCommits
        } catch .damaged {
            table.rollback()
            try table.mend(andCarryOut: change, decidedAt: version)
            return true
        }
    }
}

/// Moves committed changes from SQLite's log into its file, beside the writer.
///
/// By default SQLite moves the changes within every thousandth write, which then waits for the device three times. That
/// takes milliseconds on a thread of the cooperative pool, and two thirds of the time of storing megabytes. Changes in
/// the log are also slower to read, so that they are moved soon after the last write too.
final class Checkpointer: @unchecked Sendable {
    /// The milliseconds for which a write may stay in the log: long enough to move a burst of writes at once.
    private static let pause = 50

    private let path: String
    private let queue = DispatchQueue(label: "aquifer.sqlite-checkpoint", qos: .utility)
    /// The queue of a simulation, in place of that one.
    private let simulated = Conducting.conductor?.makeQueue()
    private let scheduled = Locked((now: false, later: false))
    /// The length of the log. SQLite tells it within a write, on the writer's connection.
    private let length = Locked(LogLength())
    /// The connection that moves the log; used on the queue only.
    private var connection: Connection?

    init(_ writer: Connection) {
        path = writer.path
        // An unowned reference is enough: the store keeps this object and the connection for the same time, and writes
        // with neither afterwards.
        let log = Unmanaged.passUnretained(length).toOpaque()
        sqlite3_wal_hook(
            writer.handle,
            { log, _, _, count in
                guard let log else { return SQLITE_OK }
                Unmanaged<Locked<LogLength>>.fromOpaque(log).takeUnretainedValue().withLock { $0.written(Int(count)) }
                return SQLITE_OK
            }, log)
    }

    /// Schedules a move of the log. The writer calls it after a write; it waits only if the log has become long.
    func afterWrite() async {
        switch length.withLock({ $0.nextMove() }) {
        case .waiting(let patience):
            await withCheckedContinuation { continuation in
                perform(urgently: true) {
                    self.finish(waitingForOthers: patience)
                    continuation.resume()
                }
            }
        case .now:
            if scheduled.withLock({ Self.set(&$0.now) }) {
                perform {
                    self.scheduled.withLock { $0.now = false }
                    self.checkpoint()
                }
            }
        case .later: break
        }
        // A move may leave something, and this may be the last write for long.
        guard scheduled.withLock({ Self.set(&$0.later) }) else { return }
        // The reference is weak: a store that is released in between is closed, and SQLite moves the log when it
        // closes.
        perform(after: Self.pause) { [weak self] in
            self?.scheduled.withLock { $0.later = false }
            self?.checkpoint()
        }
    }

    /// Does something on the queue; in a simulation, in its own time.
    private func perform(after milliseconds: Int = 0, urgently: Bool = false, _ work: @escaping @Sendable () -> Void) {
        if let simulated {
            simulated(.milliseconds(milliseconds), work)
        } else if milliseconds > 0 {
            queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: work)
        } else {
            queue.async(qos: urgently ? .userInitiated : .utility, flags: urgently ? .enforceQoS : [], execute: work)
        }
    }

    /// Sets a flag; true if it was not set yet.
    private static func set(_ flag: inout Bool) -> Bool {
        defer { flag = true }
        return !flag
    }

    private func checkpoint() {
        // A failure loses nothing: the changes stay in the log, and the next writes try again.
        guard let connection = try? open() else { return }
        _ = move(connection, SQLITE_CHECKPOINT_PASSIVE)
    }

    /// Moves the log, and tries for some time to find a moment in which nobody else writes, moves the log, or reads from it: the next write
    /// then begins the log anew. Between two attempts, others go on.
    private func finish(waitingForOthers patience: Duration) {
        guard let connection = try? open() else { return }  // see `checkpoint()`
        let attempt = { self.move(connection, SQLITE_CHECKPOINT_RESTART) != SQLITE_BUSY }
        // A simulation has one thread: nobody else goes on while it waits.
        if simulated != nil {
            _ = attempt()
        } else {
            // An attempt throws nothing.
            _ = try? Waiting.until(patience, attempt)
        }
    }

    /// Moves the log, and notes how much of it is in the file.
    private func move(_ connection: Connection, _ mode: Int32) -> Int32 {
        var moved: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(connection.handle, nil, mode, nil, &moved)
        // A move that had to leave something is busy, and has moved the rest.
        if code == SQLITE_OK || code == SQLITE_BUSY, moved >= 0 { length.withLock { $0.moved(Int(moved)) } }
        return code
    }

    private func open() throws(StoreError) -> Connection {
        if let connection { return connection }
        let connection = try Connection(path, .readWrite)
        // A connection that has not read yet does not know the log, and would report that there is nothing to do.
        _ = try connection.integer("PRAGMA user_version")
        self.connection = connection
        return connection
    }
}

/// The length of SQLite's log, and how much of it is in the file already. It decides when the rest is moved.
///
/// SQLite begins the log anew when a write finds that everything is moved. A store that is written to without a pause
/// never is in that state by itself: a write has to wait for a move. It waits when little is left to move, or when the log
/// has become too long. Pages that are moved do not count otherwise, or every write would start a move.
struct LogLength {
    /// The time of a move.
    enum Move: Equatable {
        /// After a burst of writes.
        case later
        /// At once, beside the writer.
        case now
        /// At once. The writer waits for it, and it waits for others, at most for this time. The log is begun anew then, unless somebody
        /// reads from it for longer.
        case waiting(forOthers: Duration)
    }

    /// The number of pages at which they are moved at once.
    private static let soon = 1_000
    /// The number of pages that a writer waits for, so that a log of which the rest is moved begins anew. A short log is quicker to
    /// search.
    private static let little = 250
    /// The number of pages, moved or not, at which writers wait for any move.
    private static let late = 4_000
    /// The time to wait for others when little is left, and when the log has become too long.
    static let (shortWait, longWait) = (Duration.milliseconds(5), Duration.milliseconds(200))

    private var pages = 0
    private var moved = 0
    /// The number of pages at which writers wait the next time: for little, and for any move.
    private var (finishing, bound) = (soon, late)
    /// The number of pages until the next wait, after one in vain. A reader that stays keeps the log from beginning anew, and must not let
    /// each write wait.
    private var step = soon

    /// Notes the number of pages after a write.
    mutating func written(_ count: Int) {
        // A log that is shorter than before was begun anew. One that was begun anew and is longer already looks as if it went on: its pages
        // are moved a little later.
        if count < pages { (moved, finishing, bound, step) = (0, Self.soon, Self.late, Self.soon) }
        pages = count
    }

    /// Notes the number of pages that are in the file.
    mutating func moved(_ count: Int) { moved = min(count, pages) }

    /// Decides when the pages are moved after a write.
    mutating func nextMove() -> Move {
        let rest = pages - moved
        let isLong = pages >= bound
        guard isLong || (pages >= finishing && rest <= Self.little) else { return rest >= Self.soon ? .now : .later }
        (finishing, bound) = (pages + step, max(bound, pages + step))
        step = min(step * 2, 64 * Self.soon)
        return .waiting(forOthers: isLong ? Self.longWait : Self.shortWait)
    }
}
