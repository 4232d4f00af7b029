import AquiferFoundation

/// The facts that show whether a file is unchanged.
struct FileFacts: Sendable, Hashable, Codable {
    let size: UInt64
    let modified: Date

    /// - Throws: when there is no such file, or it is not a regular file.
    init(of url: URL) throws(MultipartForm.UnusableFile) {
        if FileCalls.simulated != nil {
            guard let status = POSIX.status(url.path(percentEncoded: false)), status.kind == .file else {
                throw MultipartForm.UnusableFile(name: url.lastPathComponent, reason: "is not there")
            }
            // Nobody changes a file on the disk of a simulation behind the engine's back.
            (size, modified) = (UInt64(status.size), Date(timeIntervalSinceReferenceDate: 0))
            return
        }
        let attributes: [FileAttributeKey: Any]
        do {
            // The link is resolved, because its attributes are not those of the file.
            attributes = try FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
        } catch {
            throw MultipartForm.UnusableFile(name: url.lastPathComponent, reason: "is not there")
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular,
            let size = attributes[.size] as? UInt64, let modified = attributes[.modificationDate] as? Date
        else { throw MultipartForm.UnusableFile(name: url.lastPathComponent, reason: "is not a file") }
        self.size = size
        self.modified = modified
    }
}
