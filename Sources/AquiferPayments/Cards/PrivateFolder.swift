import Aquifer
import AquiferFoundation

/// A folder that only this user may enter. One process at a time writes in it.
struct PrivateFolder: Sendable {
    let path: String

    var exists: Bool { POSIX.exists(path) }

    /// Creates the folder with mode 0700 if it is missing.
    ///
    /// - Throws: ``VaultError/tooOpen(path:fix:)`` if it exists and other users can access it.
    func make() throws(VaultError) {
        try posix { () throws(StoreError) in try POSIX.makeFolder(path) }
        try Privacy.check(path)
    }

    /// Runs `body` with the folder's lock: nobody else, in this process or another, writes in the folder meanwhile.
    ///
    /// - Throws: ``VaultError/busy(path:)`` if the lock was held elsewhere for all of `patience`.
    func exclusively<Value>(
        _ patience: Duration, _ body: () throws(VaultError) -> Value
    ) throws(VaultError) -> Value {
        let file = try posix { () throws(StoreError) in
            let file = try POSIX.openToWrite(path + "/lock", truncate: false)
            // This does not use a blocking lock: a process that was suspended with the lock would block us for ever.
            guard try Waiting.until(patience, { () throws(StoreError) in try POSIX.tryLock(file) }) else {
                throw .busy(path: path)
            }
            return file
        }
        defer { POSIX.unlock(file) }
        return try body()
    }

    /// Overwrites and removes the files that a killed process left half replaced. The caller holds the lock: without
    /// it, another process may still use these files.
    func sweep() throws(VaultError) {
        try posix { () throws(StoreError) in
            for name in try leftovers() { try PrivateFile.shred(path + "/" + name) }
        }
    }

    /// True if there are files to sweep, or a process is writing.
    var hasLeftovers: Bool {
        // A folder that cannot be listed cannot be swept. The read that follows reports the error.
        exists && (try? leftovers())?.isEmpty == false
    }

    private func leftovers() throws(StoreError) -> [String] {
        try POSIX.names(in: path).filter { $0.hasSuffix(".incoming") || $0.hasSuffix(".outgoing") }
    }
}
