import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The open file of a ledger: the calls of the system that it needs. Each says whether it succeeded; ``lastError`` says
/// why it did not.
struct LedgerFile {
    private let descriptor: Int32

    /// Opens the file, and creates it for this user only if it is missing.
    init?(_ path: String) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
    }

    /// True if it is certain that there is no file.
    static func isMissing(_ path: String) -> Bool { access(path, F_OK) != 0 && errno == ENOENT }

    /// The words of the system for its last error on this thread.
    static var lastError: String { String(cString: strerror(errno)) }

    static func pauseOneMillisecond() { _ = usleep(1000) }

    func close() { _ = systemClose(descriptor) }

    /// Takes the exclusive lock, which ends with ``close()`` or the process. It does not wait.
    func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// True after a ``lock()`` that failed because another holder has the lock, so that it may succeed later.
    var isLockedByOther: Bool { errno == EWOULDBLOCK || errno == EINTR }

    /// The size in bytes.
    var size: Int? {
        let size = lseek(descriptor, 0, SEEK_END)
        return size < 0 ? nil : Int(size)
    }

    /// All bytes of this range.
    func read(from start: Int, to end: Int) -> Data? {
        var bytes = Data(count: end - start)
        var done = 0
        while done < bytes.count {
            let at = done
            let count = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress?.advanced(by: at), $0.count - at, off_t(start + at))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return nil }
            done += count
        }
        return bytes
    }

    /// Writes all bytes from `offset` on.
    func write(_ bytes: Data, at offset: Int) -> Bool {
        var done = 0
        while done < bytes.count {
            let at = done
            let count = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress?.advanced(by: at), $0.count - at, off_t(offset + at))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    /// Truncates the file to its first `size` bytes.
    func cut(to size: Int) -> Bool { ftruncate(descriptor, off_t(size)) == 0 }

    /// Flushes the written bytes to the device, past its own cache.
    func flush() -> Bool {
        #if canImport(Darwin)
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(descriptor) == 0
    }
}

/// `close(2)`, under a name that a method called `close` does not hide.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
