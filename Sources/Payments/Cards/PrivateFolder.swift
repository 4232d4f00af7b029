import Aquifer
import Foundation

/// A folder that only this user may enter, in which one process at a time writes.
struct PrivateFolder: Sendable {
    let path: String

    var exists: Bool { POSIX.exists(path) }

    /// Makes it with mode 0700 if it is missing.
    ///
    /// - Throws: ``VaultError/tooOpen(path:fix:)`` if it is there and others may enter.
    func make() throws(VaultError) {
        try posix { () throws(StoreError) in try POSIX.makeFolder(path) }
        try Privacy.check(path)
    }

    /// Runs `body` while no one else, in this process or another, writes in it.
    ///
    /// - Throws: ``VaultError/busy(path:)`` if someone else did for all of `patience`.
    func exclusively<Value>(
        _ patience: Duration, _ body: () throws(VaultError) -> Value
    ) throws(VaultError) -> Value {
        let file = try posix { () throws(StoreError) in
            let file = try POSIX.openToWrite(path + "/lock", truncate: false)
            // Not a waiting lock: a process that was stopped while holding it would hold us for ever.
            guard try Waiting.until(patience, { () throws(StoreError) in try POSIX.tryLock(file) }) else {
                throw .busy(path: path)
            }
            return file
        }
        defer { POSIX.unlock(file) }
        return try body()
    }

    /// The files in it that a killed process left half replaced. They have to be asked for within the lock, as others
    /// are busy with theirs otherwise.
    func sweep() throws(VaultError) {
        try posix { () throws(StoreError) in
            for name in try leftovers() { try PrivateFile.shred(path + "/" + name) }
        }
    }

    /// Whether there is anything to sweep, or someone is writing.
    var hasLeftovers: Bool {
        // What cannot be listed cannot be swept; reading on tells why.
        exists && (try? leftovers())?.isEmpty == false
    }

    private func leftovers() throws(StoreError) -> [String] {
        try POSIX.names(in: path).filter { $0.hasSuffix(".incoming") || $0.hasSuffix(".outgoing") }
    }
}
