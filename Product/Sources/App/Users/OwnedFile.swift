import Aquifer
import Foundation

/// Private files of a server that root may change, too: they stay those of the server's user.
enum OwnedFile {
    /// A text that is another one after each change of a file. It is old if the last change is so long ago that the next one has
    /// another time for certain.
    struct Trace: Sendable, Hashable {
        let text: String
        let isOld: Bool
    }

    /// The longest time that a file system gives to two changes.
    private static let tick: TimeInterval = 1

    /// The trace of a file; `nil` if there is none.
    static func trace(_ path: String) -> Trace? {
        guard let info = facts(path) else { return nil }
        #if canImport(Darwin)
            let (changed, written) = (info.st_ctimespec, info.st_mtimespec)
        #else
            let (changed, written) = (info.st_ctim, info.st_mtim)
        #endif
        let parts = [
            "\(info.st_dev)", "\(info.st_ino)", "\(info.st_size)", "\(written.tv_sec)", "\(written.tv_nsec)",
            "\(changed.tv_sec)", "\(changed.tv_nsec)", "\(info.st_mode)", "\(info.st_uid)",
        ]
        let age = Date().timeIntervalSince1970 - TimeInterval(changed.tv_sec)
        return Trace(text: parts.joined(separator: ":"), isOld: age > 2 * tick)
    }

    /// True if nobody else may use a file: it is this user's, or this user is root and it is that of its folder's owner.
    static func isPrivate(_ path: String) -> Bool {
        if POSIX.isPrivate(path) { return true }
        guard geteuid() == 0, let file = facts(path), let folder = facts(folder(of: path), followsLink: true) else {
            return false
        }
        return file.st_mode & S_IFMT == S_IFREG && file.st_mode & 0o077 == 0 && file.st_uid == folder.st_uid
    }

    /// Puts bytes in place of a private file in one step. They are on the device when it returns.
    static func replace(_ path: String, with bytes: Data) throws(StoreError) {
        let draft = try POSIX.openToWrite(path + ".new", truncate: true)
        try POSIX.makePrivate(path + ".new")
        try POSIX.write(draft, bytes)
        try POSIX.flush(draft)
        try giveToOwner(of: folder(of: path), path + ".new")
        try POSIX.replace(path, with: path + ".new")
    }

    /// Gives what root has made to the owner of a folder. Does nothing for another user.
    static func giveToOwner(of folder: String, _ path: String) throws(StoreError) {
        guard geteuid() == 0, let owner = facts(folder, followsLink: true), let made = facts(path),
            made.st_uid != owner.st_uid
        else { return }
        guard lchown(path, owner.st_uid, owner.st_gid) == 0 else {
            throw .failed(operation: "give \(path) to the owner of \(folder)", reason: String(cString: strerror(errno)))
        }
    }

    private static func folder(of path: String) -> String {
        let folder = FilePath.folder(of: path)
        return folder.isEmpty ? "." : folder
    }

    private static func facts(_ path: String, followsLink: Bool = false) -> stat? {
        var info = stat()
        return (followsLink ? stat(path, &info) : lstat(path, &info)) == 0 ? info : nil
    }
}
