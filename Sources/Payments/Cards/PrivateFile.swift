import Aquifer
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A small file that only this user may read, replaced in one step, of which no old content is left behind.
///
/// A replacement is written beside it (`incoming`) and renamed. The old file is kept under a second name
/// (`outgoing`) meanwhile, so that its content can be overwritten even by the next process if this one is killed.
/// All but `read` belongs within the folder's lock.
struct PrivateFile: Sendable {
    let path: String
    var incoming: String { path + ".incoming" }
    var outgoing: String { path + ".outgoing" }

    /// No vault is larger: more than this was not written by us.
    private static let limit = 16 << 20

    /// All of it; `nil` if there is none.
    ///
    /// - Throws: ``VaultError/tooOpen(path:fix:)``, ``VaultError/damaged(path:)`` for what is no file of ours.
    func read() throws(VaultError) -> Data? {
        guard let file = try posix({ () throws(StoreError) in try POSIX.openToRead(path) }) else { return nil }
        try Privacy.check(path)
        guard let size = try posix({ () throws(StoreError) in try POSIX.size(file) }), size <= Self.limit else {
            throw .damaged(path: path)
        }
        var bytes = Data(count: size)
        let count = try posix { () throws(StoreError) in
            try bytes.withUnsafeMutableBytes { raw in
                Result { () throws(StoreError) in try POSIX.read(file, into: raw, at: 0) }
            }.get()
        }
        guard count == size else { throw .damaged(path: path) }
        return bytes
    }

    /// Puts `bytes` in its place. When it returns they are on the device, and the old content is not.
    func replace(with bytes: Data) throws(VaultError) {
        try posix { () throws(StoreError) in
            do throws(StoreError) {
                try Self.write(bytes, to: incoming)
                // Not every file system has second names. Without one the old content is overwritten below all the same,
                // unless this process is killed just then.
                let old = POSIX.exists(path) ? try POSIX.openToWrite(path, truncate: false) : nil
                let hasName = old != nil && link(path, outgoing) == 0
                let isShared = (Privacy.links(path) ?? 0) > (hasName ? 2 : 1)
                try POSIX.replace(path, with: incoming)
                try flushFolder()
                if let old, !isShared { try Self.overwrite(old) }
                if hasName { _ = try POSIX.remove(outgoing) }
            } catch {
                try? sweep()  // the first error is the one to tell; whoever comes next sweeps again
                throw error
            }
        }
    }

    /// Whether someone was killed, or is busy, while replacing it.
    var hasLeftovers: Bool { POSIX.exists(incoming) || POSIX.exists(outgoing) }

    /// Overwrites and removes what a killed process left.
    func sweep() throws(StoreError) {
        try Self.shred(incoming)
        try Self.shred(outgoing)
    }

    /// Overwrites a file's content and removes it. Content that has another name too is left to that name: it is the
    /// file itself, or a copy that someone made with a link.
    static func shred(_ path: String) throws(StoreError) {
        guard let links = Privacy.links(path) else { return }
        if links == 1 { try overwrite(try POSIX.openToWrite(path, truncate: false)) }
        _ = try POSIX.remove(path)
    }

    private static func overwrite(_ file: POSIX.File) throws(StoreError) {
        guard let size = try POSIX.size(file) else { return }
        let zeros = [UInt8](repeating: 0, count: size)
        try zeros.withUnsafeBytes { raw in Result { () throws(StoreError) in try POSIX.write(file, raw) } }.get()
        try POSIX.flush(file)
    }

    private static func write(_ bytes: Data, to path: String) throws(StoreError) {
        let file = try POSIX.openToWrite(path, truncate: true)
        try POSIX.makePrivate(path)
        try bytes.withUnsafeBytes { raw in Result { () throws(StoreError) in try POSIX.write(file, raw) } }.get()
        try POSIX.flush(file)
    }

    private func flushFolder() throws(StoreError) {
        let folder = (path as NSString).deletingLastPathComponent
        guard let opened = try POSIX.openToRead(folder) else {
            throw .failed(operation: "flush \(folder)", reason: "the folder is gone")
        }
        try POSIX.flush(opened)
    }
}

/// What the file system says of who may read a file.
enum Privacy {
    /// Refuses a file or folder that others may read, write or enter.
    static func check(_ path: String) throws(VaultError) {
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & 0o077 != 0 else { return }
        let mode = info.st_mode & S_IFMT == S_IFDIR ? "700" : "600"
        let quoted = path.replacingOccurrences(of: "'", with: #"'\''"#)
        throw .tooOpen(path: path, fix: "chmod \(mode) '\(quoted)'")
    }

    /// How many names the file at `path` has; `nil` if there is no file.
    static func links(_ path: String) -> Int? {
        var info = stat()
        return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG ? Int(info.st_nlink) : nil
    }
}
