import Aquifer
import AquiferConcurrency
import Foundation

/// A folder of this process's own, in a folder of many processes.
///
/// Each process holds a lock on its folder for as long as it lives. When another process needs its own for the first time, it
/// removes the folders of processes that have ended. The folders of living processes stay.
struct OwnFolder: Sendable {
    /// The folder of this process, and the lock that shows that it lives.
    private struct Own {
        let folder: URL
        let lock: POSIX.File
    }

    private let folder: URL
    private let own = Locked<Own?>(nil)

    init(_ folder: URL) {
        self.folder = folder
    }

    /// The folder, if it was created.
    var known: URL? { own.withLock { $0?.folder } }

    /// The folder, created on first use.
    func prepared() throws(StoreError) -> URL {
        try own.withLock { own throws(StoreError) in
            if let own { return own.folder }
            try POSIX.makeFolder(folder.path)
            try sweep()
            // A sweep of another process may remove a new folder as a leftover before it is locked.
            for _ in 0..<100 {
                let made = folder.appending(path: UUID().uuidString, directoryHint: .isDirectory)
                try POSIX.makeFolder(made.path)
                guard let lock = try Self.held(made.path) else { continue }
                own = Own(folder: made, lock: lock)
                return made
            }
            throw .busy(path: folder.path)
        }
    }

    /// Removes the folders of processes that have ended.
    private func sweep() throws(StoreError) {
        for name in try POSIX.names(in: folder.path) {
            let path = folder.appending(path: name).path
            guard let lock = try Self.held(path) else { continue }
            // The next process removes a folder that cannot be removed now.
            try? FileManager.default.removeItem(atPath: path)
            withExtendedLifetime(lock) {}
        }
    }

    /// The lock on a folder; `nil` if a living process holds it, or has just removed the folder.
    private static func held(_ path: String) throws(StoreError) -> POSIX.File? {
        guard let folder = try POSIX.openToRead(path), try POSIX.tryLock(folder), POSIX.exists(path) else { return nil }
        return folder
    }
}
