import Foundation

/// A regular file of the system's, as far as answers with it need.
struct ServedFile {
    let length: UInt64
    /// The time of the last change, in whole seconds, as `Last-Modified` has it.
    let modified: Date
    /// The time of the last change in nanoseconds since 1970. It distinguishes two versions of one second.
    let modifiedNanoseconds: Int64

    /// The file at `path`; `nil` if there is no regular file.
    init?(_ path: String) {
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
            let time = info.st_mtimespec
        #else
            let time = info.st_mtim
        #endif
        length = UInt64(info.st_size)
        modified = Date(timeIntervalSince1970: Double(time.tv_sec))
        modifiedNanoseconds = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// The path without links, `.` and `..`; `nil` if there is nothing.
    static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
