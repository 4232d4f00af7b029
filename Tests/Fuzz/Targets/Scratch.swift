import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A folder for the decoders that read from the disk. It goes with the process.
enum Scratch {
    static let folder: URL = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-fuzz-\(UUID())")
        // Without the folder, whoever writes to it says so.
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // What is left over is in the system's temporary folder.
        atexit { try? FileManager.default.removeItem(at: Scratch.folder) }
        return folder
    }()
}
