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
