#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The calls of the operating system on files, with the meaning, the results and the `errno` that POSIX gives them.
///
/// The engine calls the system itself. A simulation of `AquiferTesting` puts a disk of its own in its place.
package protocol FileSystem: Sendable {
    /// `open`.
    func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32
    /// `close`.
    func closeFile(_ descriptor: Int32) -> Int32
    /// `fstat`.
    func factsOfOpen(_ descriptor: Int32, _ info: inout stat) -> Int32
    /// `stat`.
    func facts(_ path: String, _ info: inout stat) -> Int32
    /// `lstat`.
    func factsOfLink(_ path: String, _ info: inout stat) -> Int32
    /// `pread`.
    func readAt(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int, _ offset: off_t) -> Int
    /// `write`.
    func writeOn(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int
    /// `pwrite`.
    func writeAt(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int, _ offset: off_t) -> Int
    /// `ftruncate`.
    func cut(_ descriptor: Int32, _ size: off_t) -> Int32
    /// `fsync`.
    func flush(_ descriptor: Int32) -> Int32
    /// `flock`.
    func lock(_ descriptor: Int32, _ operation: Int32) -> Int32
    /// `rename`.
    func move(_ path: String, _ target: String) -> Int32
    /// `unlink`.
    func removeName(_ path: String) -> Int32
    /// `link`.
    func addName(_ path: String, _ name: String) -> Int32
    /// `mkdir`.
    func addFolder(_ path: String, _ mode: mode_t) -> Int32
    /// `chmod`.
    func allow(_ path: String, _ mode: mode_t) -> Int32
    /// `access`.
    func canReach(_ path: String, _ mode: Int32) -> Int32
    /// The names in a folder, without `.` and `..`; `nil`, and `errno`, when it cannot be listed.
    func names(in folder: String) -> [String]?
}

/// Where the calls of ``POSIX`` go: to the system, unless a simulation runs.
enum FileCalls {
    /// The disk of the simulation; `nil` outside of one.
    static var simulated: (any FileSystem)? { Conducting.conductor?.files }

    static func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
        simulated?.openFile(path, flags, mode) ?? open(path, flags, mode)
    }

    static func closeFile(_ descriptor: Int32) -> Int32 {
        simulated?.closeFile(descriptor) ?? close(descriptor)
    }

    static func factsOfOpen(_ descriptor: Int32, _ info: inout stat) -> Int32 {
        simulated?.factsOfOpen(descriptor, &info) ?? fstat(descriptor, &info)
    }

    static func facts(_ path: String, _ info: inout stat) -> Int32 {
        simulated?.facts(path, &info) ?? path.withCString { stat($0, &info) }
    }

    static func factsOfLink(_ path: String, _ info: inout stat) -> Int32 {
        simulated?.factsOfLink(path, &info) ?? path.withCString { lstat($0, &info) }
    }

    static func readAt(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int, _ offset: off_t) -> Int {
        simulated?.readAt(descriptor, buffer, count, offset) ?? pread(descriptor, buffer, count, offset)
    }

    static func writeOn(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
        simulated?.writeOn(descriptor, buffer, count) ?? write(descriptor, buffer, count)
    }

    static func writeAt(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int, _ offset: off_t) -> Int {
        simulated?.writeAt(descriptor, buffer, count, offset) ?? pwrite(descriptor, buffer, count, offset)
    }

    static func cut(_ descriptor: Int32, _ size: off_t) -> Int32 {
        simulated?.cut(descriptor, size) ?? ftruncate(descriptor, size)
    }

    static func flush(_ descriptor: Int32) -> Int32 {
        simulated?.flush(descriptor) ?? fsync(descriptor)
    }

    static func lock(_ descriptor: Int32, _ operation: Int32) -> Int32 {
        simulated?.lock(descriptor, operation) ?? flock(descriptor, operation)
    }

    static func move(_ path: String, _ target: String) -> Int32 {
        simulated?.move(path, target) ?? rename(path, target)
    }

    static func removeName(_ path: String) -> Int32 {
        simulated?.removeName(path) ?? unlink(path)
    }

    static func addName(_ path: String, _ name: String) -> Int32 {
        simulated?.addName(path, name) ?? link(path, name)
    }

    static func addFolder(_ path: String, _ mode: mode_t) -> Int32 {
        simulated?.addFolder(path, mode) ?? mkdir(path, mode)
    }

    static func allow(_ path: String, _ mode: mode_t) -> Int32 {
        simulated?.allow(path, mode) ?? chmod(path, mode)
    }

    static func canReach(_ path: String, _ mode: Int32) -> Int32 {
        simulated?.canReach(path, mode) ?? access(path, mode)
    }
}
