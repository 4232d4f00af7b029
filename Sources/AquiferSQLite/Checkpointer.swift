import Aquifer
import CSQLite
import Foundation

/// Moves committed changes from SQLite's log into its file, beside the writer.
///
/// SQLite would do it within every thousandth write, which then waits for the device three times: milliseconds on a
/// thread of the cooperative pool, and two thirds of the time of storing megabytes.
final class Checkpointer: @unchecked Sendable {
    /// Pages in the log from which on it is moved.
    private static let soon = 1000
    /// Pages in the log from which on writers wait for that, so that it does not grow without end.
    private static let late = 4000

    private let path: String
    private let queue = SerialQueue("aquifer.sqlite-checkpoint")
    private let isScheduled = Locked(false)
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
        if count < Self.soon { return }
        if count >= Self.late {
            pages.withLock { $0 = 0 }  // until the next commit says how long it is now
            return await queue.run { self.checkpoint() }
        }
        let isFirst = isScheduled.withLock { isScheduled in
            defer { isScheduled = true }
            return !isScheduled
        }
        if isFirst {
            Task {
                await queue.run {
                    self.isScheduled.withLock { $0 = false }
                    self.checkpoint()
                }
            }
        }
    }

    private func checkpoint() {
        // Nothing is lost if it cannot be done now: the log keeps what it has, and the next writes try again.
        guard let connection = try? connection ?? Connection(path, .readWrite) else { return }
        self.connection = connection
        sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}
