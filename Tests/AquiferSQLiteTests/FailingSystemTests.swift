import Aquifer
import Foundation
import Testing

@testable import AquiferSQLite

@Suite("The store in SQLite, failed by the system", .timeLimit(.minutes(10)))
struct FailingSystemTests {
    private static let entry = StoredEntry(
        bytes: Data("entry".utf8), savedAt: Date(timeIntervalSinceReferenceDate: 1))

    #if os(Linux)
        /// In a process of its own, whose SQLite is given no memory any more.
        @Test("takes an entry that cannot be read for want of memory for no damaged one")
        func noMemory() async throws {
            await #expect(processExitsWith: .success) {
                try await TemporaryFolder.with { folder in
                    let store = try SQLiteStore(file: folder.appendingPathComponent("store.db"))
                    try await store.insert(Self.entry, for: "key")
                    let other = try Connection.patient(store.file.path, .readOnly)
                    _ = try await store.contents()  // the connection that reads is open
                    // Its own answer may be the first to find no memory.
                    _ = try? other.execute("PRAGMA hard_heap_limit = 1")
                    var error: StoreError?
                    do throws(StoreError) { _ = try await store.retrieve("key") } catch let caught { error = caught }
                    guard case .failed = error else { throw error ?? StoreError.invalidKey("it was read") }
                }
            }
        }
    #endif

    /// Everything of a task on one thread: whatever blocks it blocks all.
    private final class OneThread: TaskExecutor {
        private let queue = DispatchQueue(label: "one-thread")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    @Test("waits on its own thread for the folder in which it makes its file anew", arguments: [false, true])
    func reopening(isUpdate: Bool) async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("store.db")
            let store = try SQLiteStore(file: file, patience: .seconds(20))
            try await store.insert(Self.entry, for: "before")
            for part in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: file.path + part) }
            let lock = try #require(try POSIX.openToRead(folder.path))
            #expect(try POSIX.tryLock(lock))
            let thread = OneThread()
            let writing = Task(executorPreference: thread) {
                if isUpdate {
                    try await store.update("key") { _ in .replace(Self.entry) }
                } else {
                    try await store.insert(Self.entry, for: "key")
                }
            }
            // Queued behind the write: reached only when that one lets the thread go.
            let letGo = Task(executorPreference: thread) { POSIX.unlock(lock) }
            let start = ContinuousClock.now
            await letGo.value
            try await writing.value
            #expect(ContinuousClock.now - start < .seconds(20))
            #expect(try await store.retrieve("key") == Self.entry)
        }
    }
}
