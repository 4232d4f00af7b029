#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Names of files, and the permissions behind them.
extension POSIX {
    /// The kind of a file.
    package enum Kind: Sendable, Hashable {
        case file, folder, other
    }

    /// The facts about a file that its folder and its permissions tell.
    package struct Status: Sendable, Hashable {
        package let kind: Kind
        /// The size in bytes.
        package let size: Int
        /// The number of hard links.
        package let links: Int
        /// True if the group or others have any permission on the file, and could use it.
        package let isOpenToOthers: Bool
    }

    /// The status of the file at `path`; `nil` if there is none, or it cannot be determined.
    ///
    /// - Parameter followsLink: True for the target of a symbolic link, false for the link itself.
    package static func status(_ path: String, followsLink: Bool = true) -> Status? {
        var info = stat()
        guard (followsLink ? stat(path, &info) : lstat(path, &info)) == 0 else { return nil }
        let kind: Kind
        switch info.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .folder
        default: kind = .other
        }
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            // Each app has a folder of its own there, which no other program can enter. The system itself makes files
            // with mode 0644, and so does a restore from a backup.
            let isOpenToOthers = false
        #else
            let isOpenToOthers = info.st_mode & 0o077 != 0
        #endif
        return Status(
            kind: kind, size: Int(info.st_size), links: Int(info.st_nlink), isOpenToOthers: isOpenToOthers)
    }

    /// The outcome of giving a file a second name.
    package enum Linking: Sendable, Hashable {
        case done
        /// Another file has the name.
        case taken
        /// The file system has no hard links, or refuses this one.
        case refused
    }

    /// Gives a file a second name, without replacing anything.
    package static func link(_ path: String, as name: String) -> Linking {
        #if canImport(Darwin)
            let result = Darwin.link(path, name)
        #elseif canImport(Glibc)
            let result = Glibc.link(path, name)
        #else
            let result = Musl.link(path, name)
        #endif
        if result == 0 { return .done }
        return errno == EEXIST ? .taken : .refused
    }

    /// Creates an empty file that only this user can read or write.
    ///
    /// - Throws: An error also if there is anything at `path`.
    package static func makeNew(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(errno, "make \(path)", path: path) }
        _ = close(descriptor)
    }
}

/// The two parts of a file's path. FoundationEssentials has them for URLs only.
package enum FilePath {
    /// The folder of the file at `path`: `/a` for `/a/b`, `/` for `/a` and `/`. Empty for a name alone.
    package static func folder(of path: String) -> String {
        let parts = split(path)
        return parts.folder.isEmpty && path.hasPrefix("/") ? "/" : String(parts.folder)
    }

    /// The last part of `path`: `b` for `/a/b` and `/a/b/`. Empty if there is none.
    package static func name(of path: String) -> String { String(split(path).name) }

    private static func split(_ path: String) -> (folder: Substring, name: Substring) {
        let path = withoutSlashesAtEnd(path[...])
        guard let slash = path.lastIndex(of: "/") else { return ("", path) }
        return (withoutSlashesAtEnd(path[..<slash]), path[path.index(after: slash)...])
    }

    private static func withoutSlashesAtEnd(_ path: Substring) -> Substring {
        path.lastIndex { $0 != "/" }.map { path[...$0] } ?? ""
    }
}
