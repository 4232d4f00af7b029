import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that replaces another one when it is complete. SIGINT, SIGTERM and SIGHUP remove it before they end the
/// process.
final class TemporaryFile {
    let descriptor: Descriptor
    private var path: String?

    /// A new file in the folder of another one.
    ///
    /// - Parameter isPrivate: True if only this user may read the file until it replaces the target, which may be
    ///   private.
    init(beside target: String, isPrivate: Bool) throws(WriteError) {
        // The name must be unique. It is not derived from the target's name, which may already have the maximum length.
        let path = target.folder + ".aquifer-\(UUID().uuidString).partial"
        descriptor = try Descriptor(making: path, mode: isPrivate ? 0o600 : 0o666)
        self.path = path
        Leftover.begin(path)
    }

    /// Replaces the target atomically, after flushing the file to the device.
    ///
    /// - Parameter old: The file that is replaced. The new file takes its permissions.
    func replace(_ target: String, like old: FileStatus?) throws(WriteError) {
        guard let path else { return }
        if let old { try descriptor.resemble(old) }
        try descriptor.flush()
        guard rename(path, target) == 0 else { throw WriteError(code: errno) }
        self.path = nil
        close(descriptor.number)
        Leftover.end()
    }

    /// Removes the file, unless it has replaced its target.
    func remove() {
        guard let path else { return }
        self.path = nil
        close(descriptor.number)
        unlink(path)
        Leftover.end()
    }
}

/// The status of a file.
struct FileStatus {
    private let info: stat

    /// The status of the file at a path, through any links; `nil` if there is none.
    init?(_ path: String) throws(WriteError) {
        var info = stat()
        guard stat(path, &info) == 0 else {
            if errno == ENOENT { return nil }
            throw WriteError(code: errno)
        }
        self.info = info
    }

    /// The status of an open file; `nil` if the system does not tell it.
    init?(_ descriptor: Descriptor) {
        var info = stat()
        guard fstat(descriptor.number, &info) == 0 else { return nil }
        self.info = info
    }

    var isFolder: Bool { info.st_mode & S_IFMT == S_IFDIR }
    var isRegular: Bool { info.st_mode & S_IFMT == S_IFREG }
    var permissions: mode_t { info.st_mode & 0o777 }
    var owner: (user: uid_t, group: gid_t) { (info.st_uid, info.st_gid) }

    func isSame(as other: FileStatus?) -> Bool {
        info.st_dev == other?.info.st_dev && info.st_ino == other?.info.st_ino
    }
}

extension Descriptor {
    /// Opens an existing file for writing.
    init(writingTo path: String) throws(WriteError) {
        try self.init { open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) }
    }

    /// Creates a file that does not exist.
    init(making path: String, mode: mode_t) throws(WriteError) {
        try self.init { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode) }
    }

    private init(_ open: () -> Int32) throws(WriteError) {
        var number = open()
        while number < 0, errno == EINTR { number = open() }
        guard number >= 0 else { throw WriteError(code: errno) }
        self.init(number: number)
    }

    /// Gives the file the owner and the permissions of another.
    fileprivate func resemble(_ old: FileStatus) throws(WriteError) {
        // Only root can change a file's owner, so this may fail. The permissions are set last, because a change of
        // owner may clear some of them.
        _ = fchown(number, old.owner.user, old.owner.group)
        guard fchmod(number, old.permissions) == 0 else { throw WriteError(code: errno) }
    }

    /// Flushes the file to the device.
    fileprivate func flush() throws(WriteError) {
        while fsync(number) != 0 {
            // Some file systems have nothing to flush.
            if errno == EINVAL || errno == ENOTSUP { return }
            guard errno == EINTR else { throw WriteError(code: errno) }
        }
    }
}

/// The file that is removed when a signal ends the process. There is one at a time, because `-o` names one file.
enum Leftover {
    /// Read by the handlers.
    nonisolated(unsafe) private static var path: UnsafeMutablePointer<CChar>?
    /// The signals that are handled here. ``Signals`` may handle some of them, and its reaction calls ``remove()``.
    private static var signals: [Int32] { (Signals.areHandled ? [] : [SIGINT, SIGTERM]) + [SIGHUP] }

    /// Remembers the file.
    fileprivate static func begin(_ file: String) {
        path = strdup(file)
        for number in signals {
            let before = signal(number) { number in
                // All calls here are safe in a signal handler.
                if let path = Leftover.path { unlink(path) }
                signal(number, SIG_DFL)
                raise(number)
            }
            // A signal that is ignored (nohup) stays ignored.
            if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
        }
    }

    /// Removes the file, if there is one.
    static func remove() {
        if let path { unlink(path) }
    }

    /// Forgets the file.
    fileprivate static func end() {
        // The memory is not freed, because a handler may be reading it.
        path = nil
    }
}
