#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Names of files and folders: the facts behind them, and how they are made, listed, replaced and removed.
extension POSIX {
    /// True if there is anything at `path`.
    package static func exists(_ path: String) -> Bool {
        FileCalls.canReach(path, F_OK) == 0
    }

    /// True if `path` leads to something other than a regular file: a folder, a device, a pipe, a socket.
    package static func isSpecial(_ path: String) -> Bool {
        var info = stat()
        return FileCalls.facts(path, &info) == 0 && info.st_mode & S_IFMT != S_IFREG
    }

    /// True if there is no file at `path`, or one of fewer than `least` bytes. False if that cannot be determined.
    package static func isMissing(_ path: String, orShorterThan least: Int) -> Bool {
        var info = stat()
        if FileCalls.facts(path, &info) == 0 { return info.st_mode & S_IFMT == S_IFREG && info.st_size < least }
        return errno == ENOENT
    }

    /// True if nothing can be at `path`: its name is too long, or what it would be in is no folder.
    package static func isImpossible(_ path: String) -> Bool {
        var info = stat()
        return FileCalls.facts(path, &info) != 0 && [ENAMETOOLONG, ENOTDIR].contains(errno)
    }

    /// The path of the file that `path` leads to through all links; `path` itself if it leads to none.
    package static func resolved(_ path: String) -> String {
        guard FileCalls.simulated == nil, let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    /// The identity of a file, regardless of its name.
    package struct Identity: Sendable, Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// The identity of the file at `path` now; `nil` if there is none, or it cannot be determined.
    package static func identity(_ path: String) -> Identity? {
        var info = stat()
        guard FileCalls.facts(path, &info) == 0 else { return nil }
        return Identity(device: UInt64(truncatingIfNeeded: info.st_dev), inode: UInt64(info.st_ino))
    }

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
        guard (followsLink ? FileCalls.facts(path, &info) : FileCalls.factsOfLink(path, &info)) == 0 else { return nil }
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

    /// True if `path` is a regular file that belongs to this user, and other users have no rights to it.
    package static func isPrivate(_ path: String) -> Bool {
        var info = stat()
        guard FileCalls.factsOfLink(path, &info) == 0 else { return false }
        return info.st_mode & S_IFMT == S_IFREG && info.st_mode & 0o077 == 0 && info.st_uid == geteuid()
    }

    /// True if the names in a folder, or the bytes of a file, may be read. Also true if that cannot be determined: the
    /// next operation then reports the reason.
    package static func isReadable(_ path: String) -> Bool {
        FileCalls.canReach(path, R_OK) == 0 || (errno != EACCES && errno != EPERM)
    }

    /// True if files can be created in a folder. Also true if it is not a folder: the next operation then reports that.
    package static func isWritable(_ folder: String) -> Bool {
        FileCalls.canReach(folder, W_OK) == 0 || (errno != EACCES && errno != EROFS && errno != EPERM)
    }

    /// The names in a folder, except for `.` and `..`.
    package static func names(in folder: String) throws(StoreError) -> [String] {
        if let simulated = FileCalls.simulated {
            guard let names = simulated.names(in: folder) else {
                throw .failed(operation: "list \(folder)", reason: message(errno))
            }
            return names
        }
        guard let stream = opendir(folder) else { throw .failed(operation: "list \(folder)", reason: message(errno)) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let item = readdir(stream) else {
                // An incomplete list is an error: a caller would take a missing file for deleted.
                guard errno == 0 else { throw .failed(operation: "list \(folder)", reason: message(errno)) }
                return names
            }
            let name = withUnsafeBytes(of: &item.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }

    /// Creates an empty file with mode 0600. Does nothing if there is anything at `path`.
    package static func makeEmpty(_ path: String) throws(StoreError) {
        let descriptor = retry { FileCalls.openFile(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        if descriptor < 0 && errno == EEXIST { return }
        guard descriptor >= 0 else { throw .system(errno, "make \(path)", path: path) }
        _ = FileCalls.closeFile(descriptor)
    }

    /// Creates an empty file that only this user can read or write.
    ///
    /// - Throws: An error also if there is anything at `path`.
    package static func makeNew(_ path: String) throws(StoreError) {
        let descriptor = FileCalls.openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(errno, "make \(path)", path: path) }
        _ = FileCalls.closeFile(descriptor)
    }

    /// Creates a folder that only this user can enter, and its parent folders. Does nothing if it exists.
    package static func makeFolder(_ path: String) throws(StoreError) {
        if FileCalls.addFolder(path, 0o700) == 0 || errno == EEXIST { return }
        let parent = FilePath.folder(of: path)
        guard errno == ENOENT, !parent.isEmpty, parent != path else {
            throw .system(errno, "make the folder \(path)", path: path)
        }
        try makeFolder(parent)
        guard FileCalls.addFolder(path, 0o700) == 0 || errno == EEXIST else {
            throw .system(errno, "make the folder \(path)", path: path)
        }
    }

    /// Flushes the folder of a new file or folder, and all folders above.
    ///
    /// Any of them may have been made a moment ago, perhaps by a process that was killed. A loss of power would take it
    /// away, with everything in it.
    package static func flushFolders(of path: String) throws(StoreError) {
        var folder = FilePath.folder(of: path)
        // What we may not read, we have not made.
        while !folder.isEmpty, isReadable(folder) {
            if let opened = try openToRead(folder) {
                do throws(StoreError) { try flush(opened) } catch {
                    guard case .readOnly = error else { throw error }  // nor what cannot be written
                }
            }
            if folder == "/" { return }
            folder = FilePath.folder(of: folder)
        }
    }

    /// Restricts a file to this user.
    package static func makePrivate(_ path: String) throws(StoreError) {
        guard FileCalls.allow(path, 0o600) == 0 else { throw .system(errno, "protect \(path)", path: path) }
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
        let result = FileCalls.addName(path, name)
        if result == 0 { return .done }
        return errno == EEXIST ? .taken : .refused
    }

    /// Puts `source` in place of `target` in one step.
    package static func replace(_ target: String, with source: String) throws(StoreError) {
        guard FileCalls.move(source, target) == 0 else { throw .system(errno, "replace \(target)", path: target) }
    }

    /// Deletes a file; false if there was none.
    package static func remove(_ path: String) throws(StoreError) -> Bool {
        if FileCalls.removeName(path) == 0 { return true }
        if errno == ENOENT { return false }
        throw .system(errno, "remove \(path)", path: path)
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
