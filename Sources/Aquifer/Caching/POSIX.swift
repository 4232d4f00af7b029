import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The calls of the operating system that stores need and Foundation has not: flush, lock, atomic replacement.
package enum POSIX {
    /// A file that is closed when it is released.
    package final class File: @unchecked Sendable {
        fileprivate let descriptor: Int32
        package let path: String

        fileprivate init(_ descriptor: Int32, _ path: String) {
            self.descriptor = descriptor
            self.path = path
        }

        deinit { _ = close(descriptor) }
    }

    /// Opens to read; `nil` if there is no such file.
    package static func openToRead(_ path: String) throws(StoreError) -> File? {
        // Without O_NONBLOCK a named pipe in place of a file would block for ever.
        let descriptor = retry { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        if descriptor >= 0 { return File(descriptor, path) }
        if errno == ENOENT { return nil }
        throw .failed(operation: "open \(path)", reason: message(errno))
    }

    /// Opens to write, emptied if `truncate`, made with mode 0600 if missing.
    package static func openToWrite(_ path: String, truncate: Bool) throws(StoreError) -> File {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (truncate ? O_TRUNC : 0)
        let descriptor = retry { open(path, flags, 0o600) }
        guard descriptor >= 0 else { throw .system(errno, "open \(path)", path: path) }
        return File(descriptor, path)
    }

    /// The size of a regular file; `nil` if it is anything else.
    package static func size(_ file: File) throws(StoreError) -> Int? {
        var info = stat()
        guard fstat(file.descriptor, &info) == 0 else { throw .system(errno, "look at \(file.path)", path: file.path) }
        return info.st_mode & S_IFMT == S_IFREG ? Int(info.st_size) : nil
    }

    /// Reads from `offset` until `buffer` is full or the file ends; returns how many bytes came.
    package static func read(
        _ file: File, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(StoreError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = retry { pread(file.descriptor, rest.baseAddress, rest.count, off_t(offset + done)) }
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
            #if canImport(Darwin)
                let count = retry { Darwin.write(file.descriptor, rest.baseAddress, rest.count) }
            #elseif canImport(Glibc)
                let count = retry { Glibc.write(file.descriptor, rest.baseAddress, rest.count) }
            #else
                let count = retry { Musl.write(file.descriptor, rest.baseAddress, rest.count) }
            #endif
            guard count > 0 else { throw .system(errno, "write \(file.path)", path: file.path) }
            done += count
        }
    }

    /// Writes all of `bytes` from `offset` on.
    package static func write(_ file: File, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StoreError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = retry { pwrite(file.descriptor, rest.baseAddress, rest.count, off_t(offset + done)) }
            guard count > 0 else { throw .system(errno, "write \(file.path)", path: file.path) }
            done += count
        }
    }

    /// Leaves the first `size` bytes of a file.
    package static func cut(_ file: File, to size: Int) throws(StoreError) {
        guard retry({ ftruncate(file.descriptor, off_t(size)) }) == 0 else {
            throw .system(errno, "shorten \(file.path)", path: file.path)
        }
    }

    /// Returns when what was written is on the device.
    package static func flush(_ file: File) throws(StoreError) {
        guard retry({ fsync(file.descriptor) }) == 0 else {
            throw .system(errno, "flush \(file.path)", path: file.path)
        }
    }

    /// Puts `source` in place of `target` in one step.
    package static func replace(_ target: String, with source: String) throws(StoreError) {
        guard rename(source, target) == 0 else { throw .system(errno, "replace \(target)", path: target) }
    }

    /// Removes a file; false if there was none.
    package static func remove(_ path: String) throws(StoreError) -> Bool {
        if unlink(path) == 0 { return true }
        if errno == ENOENT { return false }
        throw .system(errno, "remove \(path)", path: path)
    }

    /// Takes the exclusive advisory lock on `file` unless someone else holds it. It goes with the file or the process.
    package static func tryLock(_ file: File) throws(StoreError) -> Bool {
        if retry({ flock(file.descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
        if errno == EWOULDBLOCK { return false }
        throw .system(errno, "lock \(file.path)", path: file.path)
    }

    /// Whether the file still has a name: false once it was removed or replaced.
    package static func hasName(_ file: File) throws(StoreError) -> Bool {
        var info = stat()
        guard fstat(file.descriptor, &info) == 0 else { throw .system(errno, "look at \(file.path)", path: file.path) }
        return info.st_nlink > 0
    }

    /// Gives the lock back.
    package static func unlock(_ file: File) {
        _ = flock(file.descriptor, LOCK_UN)
    }

    /// Makes a folder that only this user can enter, and those above it. Does nothing if it is there.
    package static func makeFolder(_ path: String) throws(StoreError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        let parent = (path as NSString).deletingLastPathComponent
        guard errno == ENOENT, !parent.isEmpty, parent != path else {
            throw .system(errno, "make the folder \(path)", path: path)
        }
        try makeFolder(parent)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .system(errno, "make the folder \(path)", path: path)
        }
    }

    /// Leaves a file to this user only.
    package static func makePrivate(_ path: String) throws(StoreError) {
        guard chmod(path, 0o600) == 0 else { throw .system(errno, "protect \(path)", path: path) }
    }

    /// Whether there is anything at `path`.
    package static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// Whether files can be made in a folder. True if it is not a folder: what is done with it then says so.
    package static func isWritable(_ folder: String) -> Bool {
        access(folder, W_OK) == 0 || (errno != EACCES && errno != EROFS && errno != EPERM)
    }

    /// The names in a folder, but `.` and `..`.
    package static func names(in folder: String) throws(StoreError) -> [String] {
        guard let stream = opendir(folder) else { throw .failed(operation: "list \(folder)", reason: message(errno)) }
        defer { closedir(stream) }
        var names: [String] = []
        while let item = readdir(stream) {
            let name = withUnsafeBytes(of: &item.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Blocks this thread. Only for queues of our own.
    package static func pause(microseconds: UInt32) {
        _ = usleep(microseconds)
    }

    fileprivate static func message(_ code: Int32) -> String { String(cString: strerror(code)) }

    private static func retry<Value: SignedInteger>(_ call: () -> Value) -> Value {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }
}

extension StoreError {
    /// What an error number means for someone who wanted to write at `path`.
    package static func system(_ code: Int32, _ operation: String, path: String) -> StoreError {
        switch code {
        case EACCES, EPERM, EROFS: .readOnly(path: path)
        case ENOSPC, EDQUOT, EFBIG: .full(path: path)
        case ENOTDIR, EISDIR: .notAStore(path: path)
        default: .failed(operation: operation, reason: POSIX.message(code))
        }
    }
}
