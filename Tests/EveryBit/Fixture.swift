import Foundation

/// Remembers the files of a folder, and puts them back before each damage.
public struct Fixture: Sendable {
    /// The folder.
    public let root: URL
    private let files: [String: Data]
    private let folders: Set<String>

    /// Remembers what is in a folder now.
    ///
    /// - Parameter left: true for a file that is not put back, such as SQLite's `-shm`.
    public init(_ root: URL, without left: (String) -> Bool = { _ in false }) throws {
        self.root = root
        var files: [String: Data] = [:]
        var folders: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) where !left(path) {
            if Self.isFolder(root.appendingPathComponent(path)) {
                folders.insert(path)
            } else {
                files[path] = try Data(contentsOf: root.appendingPathComponent(path))
            }
        }
        self.files = files
        self.folders = folders
    }

    /// The paths of the files, in order.
    public var paths: [String] { files.keys.sorted() }

    /// The bytes of a file, as they were remembered.
    public func bytes(_ path: String) -> Data { files[path] ?? Data() }

    /// Makes the folder as it was. Files keep their modes, and new ones are private.
    public func restore() throws {
        for path in try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted(by: >)
        where files[path] == nil && !folders.contains(path) {
            try FileManager.default.removeItem(at: root.appendingPathComponent(path))
        }
        for path in folders.sorted() {
            try FileManager.default.createDirectory(
                at: root.appendingPathComponent(path), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
        for (path, bytes) in files where (try? read(path)) != bytes { try put(bytes, at: path) }  // none, or another
    }

    /// The bytes that a file has now.
    public func read(_ path: String) throws -> Data { try Data(contentsOf: root.appendingPathComponent(path)) }

    /// Writes a file in its place.
    public func put(_ bytes: Data, at path: String) throws {
        let file = root.appendingPathComponent(path)
        if !FileManager.default.fileExists(atPath: file.path) {
            guard
                FileManager.default.createFile(
                    atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw CocoaError(.fileWriteUnknown) }
        }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }  // what was written is there
        try handle.write(contentsOf: bytes)
        try handle.truncate(atOffset: UInt64(bytes.count))
    }

    private static func isFolder(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// Runs `use` with a new folder in memory where the system has such, and removes it.
    public static func withFolder(_ use: (URL) async throws -> Void) async throws {
        let memory = "/dev/shm"
        let base =
            FileManager.default.isWritableFile(atPath: memory)
            ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
        let folder = base.appendingPathComponent("aquifer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // what a test leaves behind is not what it tests
        try await use(folder)
    }
}
