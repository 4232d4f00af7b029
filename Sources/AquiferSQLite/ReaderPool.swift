import Aquifer
import Foundation

/// Connections that read, opened when first needed and then kept.
///
/// Reading runs on the caller's thread: it takes microseconds, and a hop to another thread takes longer. No one
/// suspends while holding a connection, so that waiting for one, when all are in use, is short too.
final class ReaderPool: @unchecked Sendable {
    private let path: String
    private let limit: Int
    private let patience: Duration
    private let condition = NSCondition()
    private var idle: [EntryTable] = []
    private var opened = 0

    init(_ path: String, limit: Int, patience: Duration) {
        self.path = path
        self.patience = patience
        self.limit = max(1, limit)
    }

    func read<Value>(_ body: (EntryTable) throws(StoreError) -> Value) throws(StoreError) -> Value {
        let table = try take()
        defer { giveBack(table) }
        return try body(table)
    }

    private func take() throws(StoreError) -> EntryTable {
        condition.lock()
        while idle.isEmpty && opened == limit { condition.wait() }
        if let table = idle.popLast() {
            condition.unlock()
            return table
        }
        opened += 1
        condition.unlock()
        do throws(StoreError) {
            let connection = try Connection(path, .readOnly)
            // Readers never wait for writers, only while the log is recovered after a crash, or removed by another
            // process that closes the store last: milliseconds.
            connection.wait(upTo: patience)
            try connection.execute("PRAGMA mmap_size = 268435456")
            return EntryTable(connection)
        } catch {
            condition.lock()
            opened -= 1
            condition.signal()
            condition.unlock()
            throw error
        }
    }

    private func giveBack(_ table: EntryTable) {
        condition.lock()
        idle.append(table)
        condition.signal()
        condition.unlock()
    }
}
