import Aquifer
import AquiferFoundation
import CSQLite
import Dispatch

/// Moves committed changes from SQLite's log into its file, beside the writer.
///
/// By default SQLite moves the changes within every thousandth write, which then waits for the device three times. That
/// takes milliseconds on a thread of the cooperative pool, and two thirds of the time of storing megabytes. Changes in
/// the log are also slower to read, so that they are moved soon after the last write too.
final class Checkpointer: @unchecked Sendable {
    /// The time for which a write may stay in the log: long enough to move a burst of writes at once.
    private static let pause = DispatchTimeInterval.milliseconds(50)
    /// The number of pages at which the log is moved at once.
    private static let soon = 1000
    /// The number of pages at which writers wait for the move, so that the log does not grow without bound.
    private static let late = 4000

    private let path: String
    private let queue = DispatchQueue(label: "aquifer.sqlite-checkpoint", qos: .utility)
    private let scheduled = Locked((now: false, later: false))
    /// The number of pages in the log. SQLite sets it within a write, on the writer's connection.
    private let pages = Locked(0)
    /// The connection that moves the log; used on the queue only.
    private var connection: Connection?

    init(_ writer: Connection) {
        path = writer.path
        // An unowned reference is enough: the store keeps this object and the connection for the same time, and writes
        // with neither afterwards.
        let log = Unmanaged.passUnretained(pages).toOpaque()
        sqlite3_wal_hook(
            writer.handle,
            { log, _, _, count in
                guard let log else { return SQLITE_OK }
                Unmanaged<Locked<Int>>.fromOpaque(log).takeUnretainedValue().withLock { $0 = Int(count) }
                return SQLITE_OK
            }, log)
    }

    /// Schedules a move of the log. The writer calls it after a write; it waits only if the log has become long.
    func afterWrite() async {
        let count = pages.withLock { $0 }
        if count >= Self.late {
            pages.withLock { $0 = 0 }  // until the next commit says how long it is now
            await withCheckedContinuation { continuation in
                queue.async {
                    self.checkpoint()
                    continuation.resume()
                }
            }
        } else if count >= Self.soon {
            if scheduled.withLock({ Self.set(&$0.now) }) {
                queue.async {
                    self.scheduled.withLock { $0.now = false }
                    self.checkpoint()
                }
            }
        } else if scheduled.withLock({ Self.set(&$0.later) }) {
            // The reference is weak: a store that is released in between is closed, and SQLite moves the log when it
            // closes.
            queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
                self?.scheduled.withLock { $0.later = false }
                self?.checkpoint()
            }
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
        sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
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
