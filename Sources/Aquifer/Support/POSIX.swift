import AquiferFoundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The calls of the operating system that stores need and Foundation lacks. Here are those on an open file: read, write,
/// flush, lock. `POSIX+Names.swift` has those on names. The engine reaches files through these two only, except that
/// ``FileFacts`` asks Foundation when an attached file was changed.
package enum POSIX {
    /// A file that is closed when it is released.
    package final class File: @unchecked Sendable {
        fileprivate let descriptor: Int32
        package let path: String

        fileprivate init(_ descriptor: Int32, _ path: String) {
            self.descriptor = descriptor
            self.path = path
        }

        deinit { _ = FileCalls.closeFile(descriptor) }
    }

    /// Opens a file to read; `nil` if there is no such file.
    package static func openToRead(_ path: String) throws(StoreError) -> File? {
        // Without O_NONBLOCK a named pipe in place of a file would block for ever.
        let descriptor = retry { FileCalls.openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0) }
        if descriptor >= 0 { return File(descriptor, path) }
        if errno == ENOENT { return nil }
        throw .failed(operation: "open \(path)", reason: message(errno))
    }

    /// Opens a file to write. Empties it if `truncate` is true. Creates it with mode 0600 if it is missing.
    package static func openToWrite(_ path: String, truncate: Bool) throws(StoreError) -> File {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (truncate ? O_TRUNC : 0)
        let descriptor = retry { FileCalls.openFile(path, flags, 0o600) }
        guard descriptor >= 0 else { throw .system(errno, "open \(path)", path: path) }
        let file = File(descriptor, path)
        // A pipe or a device in its place would discard the bytes, or block.
        guard try size(file) != nil else { throw .notAStore(path: path) }
        return file
    }

    /// Opens a file to append to, and to read; `nil` if there is no such file.
    package static func openToAppend(_ path: String) throws(StoreError) -> File? {
        let flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = retry { FileCalls.openFile(path, flags, 0) }
        if descriptor >= 0 { return File(descriptor, path) }
        if errno == ENOENT { return nil }
        throw .system(errno, "open \(path)", path: path)
    }

    /// The size of a regular file; `nil` if it is anything else.
    package static func size(_ file: File) throws(StoreError) -> Int? {
        var info = stat()
        guard FileCalls.factsOfOpen(file.descriptor, &info) == 0 else {
            throw .system(errno, "look at \(file.path)", path: file.path)
        }
        return info.st_mode & S_IFMT == S_IFREG ? Int(info.st_size) : nil
    }

    /// Reads from `offset` until `buffer` is full or the file ends; returns the number of bytes read.
    package static func read(
        _ file: File, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(StoreError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = retry { FileCalls.readAt(file.descriptor, rest.baseAddress, rest.count, off_t(offset + done)) }
            guard count >= 0 else { throw .failed(operation: "read \(file.path)", reason: message(errno)) }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Writes all of `bytes` where the last write ended.
    package static func write(_ file: File, _ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = retry { FileCalls.writeOn(file.descriptor, rest.baseAddress, rest.count) }
            guard count > 0 else { throw .system(errno, "write \(file.path)", path: file.path) }
            done += count
        }
    }

    /// Writes all of `bytes` from `offset` on.
    package static func write(_ file: File, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StoreError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = retry { FileCalls.writeAt(file.descriptor, rest.baseAddress, rest.count, off_t(offset + done)) }
            guard count > 0 else { throw .system(errno, "write \(file.path)", path: file.path) }
            done += count
        }
    }

    /// Truncates a file to its first `size` bytes.
    package static func cut(_ file: File, to size: Int) throws(StoreError) {
        guard retry({ FileCalls.cut(file.descriptor, off_t(size)) }) == 0 else {
            throw .system(errno, "shorten \(file.path)", path: file.path)
        }
    }

    /// Flushes the written bytes to the device, past its own cache.
    package static func flush(_ file: File) throws(StoreError) {
        #if canImport(Darwin)
            // `fsync` leaves the bytes in the drive's cache there, which a loss of power empties. Not every file system
            // and volume knows the command that flushes the cache too.
            if retry({ fcntl(file.descriptor, F_FULLFSYNC) }) == 0 { return }
        #endif
        guard retry({ FileCalls.flush(file.descriptor) }) == 0 else {
            throw .system(errno, "flush \(file.path)", path: file.path)
        }
    }

    /// Takes the exclusive advisory lock on `file`; false if another holder has one. The lock ends with the file or the
    /// process.
    package static func tryLock(_ file: File) throws(StoreError) -> Bool {
        if retry({ FileCalls.lock(file.descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
        if errno == EWOULDBLOCK { return false }
        throw .system(errno, "lock \(file.path)", path: file.path)
    }

    /// Takes a shared advisory lock on `file`, which others may share; false if another holder has the exclusive one.
    package static func tryShare(_ file: File) throws(StoreError) -> Bool {
        if retry({ FileCalls.lock(file.descriptor, LOCK_SH | LOCK_NB) }) == 0 { return true }
        if errno == EWOULDBLOCK { return false }
        throw .system(errno, "lock \(file.path)", path: file.path)
    }

    /// True if the file still has a name; false once it was deleted or replaced.
    package static func hasName(_ file: File) throws(StoreError) -> Bool {
        var info = stat()
        guard FileCalls.factsOfOpen(file.descriptor, &info) == 0 else {
            throw .system(errno, "look at \(file.path)", path: file.path)
        }
        return info.st_nlink > 0
    }

    /// Releases the lock.
    package static func unlock(_ file: File) {
        _ = FileCalls.lock(file.descriptor, LOCK_UN)
    }

    /// `count` bytes that `fill` writes. They are not cleared first.
    ///
    /// - Throws: `.failed` if there is no memory for them; what `fill` throws.
    package static func data(
        _ count: Int, fill: (UnsafeMutableRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) -> Data {
        guard count > 0 else { return Data() }
        guard let memory = malloc(count) else {
            throw .failed(operation: "read", reason: "there is no memory left for \(count) bytes")
        }
        do throws(StoreError) {
            try fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
        } catch {
            free(memory)
            throw error
        }
        // The `Data` is made last, because a small `Data` copies the memory at once and frees it.
        return Data(bytesNoCopy: memory, count: count, deallocator: .free)
    }

    static func message(_ code: Int32) -> String { String(cString: strerror(code)) }

    static func retry<Value: SignedInteger>(_ call: () -> Value) -> Value {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }
}

extension StoreError {
    /// The store error for an error number of an operation at `path`.
    package static func system(_ code: Int32, _ operation: String, path: String) -> StoreError {
        switch code {
        case EACCES, EPERM, EROFS: .readOnly(path: path)
        case ENOSPC, EDQUOT, EFBIG: .full(path: path)
        case ENOTDIR, EISDIR: .notAStore(path: path)
        default: .failed(operation: operation, reason: POSIX.message(code))
        }
    }
}
