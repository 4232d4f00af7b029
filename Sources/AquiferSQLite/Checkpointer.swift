import Aquifer
import CSQLite
import Dispatch
import Foundation

/// Moves committed changes from SQLite's log into its file, beside the writer.
///
/// SQLite would do it within every thousandth write, which then waits for the device three times: milliseconds on a
/// thread of the cooperative pool, and two thirds of the time of storing megabytes. And what is still in the log is
/// slower to read: so it is moved soon after the last write too.
final class Checkpointer: @unchecked Sendable {
    /// How long a write may stay in the log: long enough that a burst is moved at once.
    private static let pause = DispatchTimeInterval.milliseconds(50)
    /// Pages in the log from which on it is moved at once.
    private static let soon = 1000
    /// Pages in the log from which on writers wait for that, so that it does not grow without end.
    private static let late = 4000

    private let path: String
    private let queue = DispatchQueue(label: "aquifer.sqlite-checkpoint", qos: .utility)
    private let scheduled = Locked((now: false, later: false))
    /// Set within a write, by SQLite, on the writer's connection.
    private let pages = Locked(0)
    /// Used on the queue only.
    private var connection: Connection?

    init(_ writer: Connection) {
        path = writer.path
        // Unowned is enough: the store keeps this and the connection for the same time, and writes on neither after.
        let log = Unmanaged.passUnretained(pages).toOpaque()
        sqlite3_wal_hook(
            writer.handle,
            { log, _, _, count in
                guard let log else { return SQLITE_OK }
                Unmanaged<Locked<Int>>.fromOpaque(log).takeUnretainedValue().withLock { $0 = Int(count) }
                return SQLITE_OK
            }, log)
    }

    /// To be called after a write, by the writer: waits only if the log has become long.
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
            // Weak: a store that is released in between is closed, and SQLite moves the log when it closes.
            queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
                self?.scheduled.withLock { $0.later = false }
                self?.checkpoint()
            }
        }
    }

    /// True if it was not set yet.
    private static func set(_ flag: inout Bool) -> Bool {
        defer { flag = true }
        return !flag
    }

    private func checkpoint() {
        // Nothing is lost if it cannot be done now: the log keeps what it has, and the next writes try again.
        guard let connection = try? open() else { return }
        sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }

    private func open() throws(StoreError) -> Connection {
        if let connection { return connection }
        let connection = try Connection(path, .readWrite)
        // A connection that has read nothing does not know of the log, and reports that there is nothing to do.
        _ = try connection.integer("PRAGMA user_version")
        self.connection = connection
        return connection
    }
}
