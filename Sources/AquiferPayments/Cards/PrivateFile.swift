import Aquifer
import AquiferFoundation

/// A small file that only this user may read. It is replaced atomically, and its old content is overwritten.
///
/// A replacement is written to a file beside it (`incoming`), which is then renamed. Meanwhile the old file has a
/// second name (`outgoing`): if this process is killed, the next one can still overwrite the old content.
/// The caller holds the folder's lock for all operations but `read`.
struct PrivateFile: Sendable {
    let path: String
    var incoming: String { path + ".incoming" }
    var outgoing: String { path + ".outgoing" }

    /// The largest size in bytes. A larger file is damaged.
    private static let limit = 16 << 20

    /// The content of the file; `nil` if there is no file.
    ///
    /// - Throws: ``VaultError/tooOpen(path:fix:)``; ``VaultError/damaged(path:)`` if it is not a regular file of this
    ///   format.
    func read() throws(VaultError) -> Data? {
        guard let file = try posix({ () throws(StoreError) in try POSIX.openToRead(path) }) else { return nil }
        try Privacy.check(path)
        guard let size = try posix({ () throws(StoreError) in try POSIX.size(file) }), size <= Self.limit else {
            throw .damaged(path: path)
        }
        let bytes = try posix { () throws(StoreError) in try POSIX.read(file, upTo: size) }
        guard bytes.count == size else { throw .damaged(path: path) }
        return bytes
    }

    /// Writes the replacement for ``commit()``, and flushes it.
    func prepare(_ bytes: Data) throws(VaultError) {
        try posix { () throws(StoreError) in
            do throws(StoreError) { try Self.write(bytes, to: incoming) } catch {
                // The first error is the one to report. The next process sweeps again.
                try? Self.shred(incoming)
                throw error
            }
        }
    }

    /// Replaces the file with the prepared bytes. The old content is not secret, and is not overwritten.
    func commit() throws(VaultError) {
        try posix { () throws(StoreError) in
            let isNew = !POSIX.exists(path)
            try POSIX.replace(path, with: incoming)
            try flushFolder(isNew: isNew)
        }
    }

    /// Replaces the content with `bytes`. On return they are on the device, and the old content is overwritten.
    func replace(with bytes: Data) throws(VaultError) {
        try posix { () throws(StoreError) in
            do throws(StoreError) {
                try Self.write(bytes, to: incoming)
                // Not every file system has hard links. Without one the old content is still overwritten below, unless
                // this process is killed before that.
                let old = POSIX.exists(path) ? try POSIX.openToWrite(path, truncate: false) : nil
                let hasName = old != nil && POSIX.link(path, as: outgoing) == .done
                let isShared = (Privacy.links(path) ?? 0) > (hasName ? 2 : 1)
                try POSIX.replace(path, with: incoming)
                try flushFolder(isNew: old == nil)
                if let old, !isShared { try Self.overwrite(old) }
                if hasName { _ = try POSIX.remove(outgoing) }
            } catch {
                try? sweep()  // the first error is the one to tell; whoever comes next sweeps again
                throw error
            }
        }
    }

    /// Overwrites and removes the files that a killed process left.
    func sweep() throws(StoreError) {
        try Self.shred(incoming)
        try Self.shred(outgoing)
    }

    /// Overwrites a file's content and removes the file. Content with another name is not overwritten: that name is the
    /// file itself, or a copy that someone made with a link.
    static func shred(_ path: String) throws(StoreError) {
        guard let links = Privacy.links(path) else { return }
        // The name of what replaced it may not be on the device yet. Until it is, a loss of power makes the old content the
        // file's again.
        if links == 1 {
            try flush(folder: FilePath.folder(of: path))
            try overwrite(try POSIX.openToWrite(path, truncate: false))
        }
        _ = try POSIX.remove(path)
    }

    private static func overwrite(_ file: POSIX.File) throws(StoreError) {
        guard let size = try POSIX.size(file) else { return }
        let zeros = [UInt8](repeating: 0, count: size)
        try POSIX.write(file, zeros)
        try POSIX.flush(file)
    }

    private static func write(_ bytes: Data, to path: String) throws(StoreError) {
        let file = try POSIX.openToWrite(path, truncate: true)
        try POSIX.makePrivate(path)
        try POSIX.write(file, bytes)
        try POSIX.flush(file)
    }

    /// Flushes the folder of the file; with a new file also the folders above, which may be new, too.
    private func flushFolder(isNew: Bool) throws(StoreError) {
        if isNew { return try POSIX.flushFolders(of: path) }
        try Self.flush(folder: FilePath.folder(of: path))
    }

    static func flush(folder: String) throws(StoreError) {
        guard let opened = try POSIX.openToRead(folder) else {
            throw .failed(operation: "flush \(folder)", reason: "the folder is gone")
        }
        try POSIX.flush(opened)
    }
}

/// The access permissions and the hard links of files.
enum Privacy {
    /// Refuses a file or folder that others may read, write or enter.
    static func check(_ path: String) throws(VaultError) {
        guard let status = POSIX.status(path), status.isOpenToOthers else { return }
        let mode = status.kind == .folder ? "700" : "600"
        throw .tooOpen(path: path, fix: "chmod \(mode) \(path.quotedForShell)")
    }

    /// The number of hard links to the file at `path`; `nil` if there is no regular file.
    static func links(_ path: String) -> Int? {
        guard let status = POSIX.status(path, followsLink: false), status.kind == .file else { return nil }
        return status.links
    }
}
