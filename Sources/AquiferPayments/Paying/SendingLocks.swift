import Aquifer
import AquiferFoundation

/// One file for each payment that is being sent, locked by the process that sends it.
///
/// The system releases the lock when its process ends in any way, so other processes detect a killed sender at once.
///
/// Waits for files and locks run on queues of their own, never on a cooperative thread, and never for long.
struct SendingLocks: Sendable {
    let folder: String
    private let queue = SerialQueue("aquifer.sending")
    /// A separate queue, because the wait for the door may be longer than the wait for a payment's lock.
    private let doorQueue = SerialQueue("aquifer.sending.door")

    init(folder: String) {
        self.folder = folder
    }

    /// Takes the lock of a payment, whose file has room for an outcome (``OutcomeNote``); `nil` when someone else is sending it.
    func take(_ key: UUID) async throws(StoreError) -> SendingLock? {
        let (folder, path) = (folder, path(key))
        let file = try await queue.run { () throws(StoreError) in
            try POSIX.makeFolder(folder)
            // A process that only checks the lock holds it for a moment.
            let file = try Self.lock(path, patience: .milliseconds(50))
            // The lock ends with the file.
            if let file { try OutcomeNote.makeRoom(in: file) }
            return file
        }
        return file.map { SendingLock($0, queue) }
    }

    /// True if someone is sending a payment; `nil` if there is no lock file.
    func isHeld(_ key: UUID) async throws(StoreError) -> Bool? {
        let path = path(key)
        return try await queue.run { () throws(StoreError) in
            guard let file = try POSIX.openToRead(path) else { return nil }
            guard try POSIX.tryShare(file) else { return true }
            POSIX.unlock(file)
            return false
        }
    }

    /// The outcome that a dead sender has noted; `nil` if there is none, or if it cannot be read.
    func note(of key: UUID) async -> OutcomeNote? {
        let path = path(key)
        // What cannot be read tells nothing: the payment is unknown.
        return await queue.run { (try? POSIX.openToRead(path)).flatMap { $0.flatMap(OutcomeNote.init) } }
    }

    /// Removes the file of a dead sender. Call this after the payment's outcome was recorded.
    func clear(_ key: UUID) async {
        let path = path(key)
        await queue.run {
            // A file that cannot be opened or removed is harmless: nobody holds its lock.
            guard let file = try? POSIX.openToRead(path), (try? POSIX.tryLock(file)) == true else { return }
            // Between opening and locking it, the file may have been removed and made anew by a sender that lives. A file
            // that cannot be asked stays.
            guard (try? POSIX.hasName(file)) == true else { return }
            _ = try? POSIX.remove(path)
            POSIX.unlock(file)
        }
    }

    /// Removes the files of dead senders, except those of payments that the ledger lists as being sent. A process may
    /// have been killed before it recorded its payment, or after it recorded the outcome.
    func sweep(except sending: Set<UUID>) async {
        let folder = folder
        let names = await queue.run { (try? POSIX.names(in: folder)) ?? [] }  // no folder, no files
        for name in names where name.hasSuffix(".sending") {
            guard let key = UUID(uuidString: String(name.dropLast(".sending".count))), !sending.contains(key) else {
                continue
            }
            await clear(key)
        }
    }

    /// Enters the section in which payments begin. Until the door is closed, nobody else, in this process or another,
    /// looks for earlier payments and records a new one.
    ///
    /// - Throws: `StoreError.busy` if another process, such as a suspended one, stayed in the section for five seconds.
    func enter() async throws(StoreError) -> SendingDoor {
        let (folder, path) = (folder, "\(folder)/door.lock")
        let file = try await doorQueue.run { () throws(StoreError) in
            try POSIX.makeFolder(folder)
            guard let file = try Self.lock(path, patience: .seconds(5)) else { throw .busy(path: path) }
            return file
        }
        return SendingDoor(file: file)
    }

    private static func lock(_ path: String, patience: Duration) throws(StoreError) -> POSIX.File? {
        while true {
            let file = try POSIX.openToWrite(path, truncate: false)
            guard try Waiting.until(patience, { () throws(StoreError) in try POSIX.tryLock(file) }) else { return nil }
            // A file that was removed after it was opened is not the payment's lock any more.
            if try POSIX.hasName(file) { return file }
        }
    }

    private func path(_ key: UUID) -> String { "\(folder)/\(key.uuidString).sending" }
}

/// A payment's lock, held until it is released or its process ends.
struct SendingLock: Sendable {
    private let file: POSIX.File
    private let queue: SerialQueue

    init(_ file: POSIX.File, _ queue: SerialQueue) {
        self.file = file
        self.queue = queue
    }

    /// Notes the outcome of the payment, which the ledger does not take now.
    func note(_ note: OutcomeNote) async {
        let file = file
        // One that cannot be written leaves the payment unknown, which is true.
        await queue.run { try? note.write(to: file) }
    }

    /// Releases the lock.
    ///
    /// - Parameter isSettled: True if the payment's outcome was recorded. If it was not, the file stays: its free lock
    ///   shows other processes at once that nobody sends the payment any more.
    func release(isSettled: Bool) async {
        let file = file
        await queue.run {
            // A file that cannot be removed is harmless: nobody holds its lock.
            if isSettled { _ = try? POSIX.remove(file.path) }
            POSIX.unlock(file)
        }
    }
}

/// The section in which one payment at a time begins.
struct SendingDoor: Sendable {
    fileprivate let file: POSIX.File

    /// Leaves the section.
    func close() { POSIX.unlock(file) }
}
