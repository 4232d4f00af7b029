import Aquifer
import AquiferCSQLite
import AquiferConcurrency
import AquiferFoundation
import Dispatch

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
