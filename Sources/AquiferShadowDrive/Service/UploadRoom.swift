import AquiferFoundation

/// The storage that an account has left for files, as far as it is known before an upload.
public struct UploadRoom: Sendable {
    private(set) var free: UInt64
    /// The sizes of the stored files, which those of the same names replace.
    private var stored: [Data: UInt64]

    /// The storage that is left beside these files.
    public init(free: UInt64, stored: [StoredFile]) {
        self.free = free
        self.stored = Dictionary(stored.map { ($0.id, $0.size) }) { first, _ in first }
    }

    /// Reserves the room for a file.
    mutating func take(_ size: UInt64, for name: String) throws(FileError) {
        // What is replaced makes room; a sum beyond the numbers is more room than any file needs.
        let id = Data(name.utf8)
        let (sum, isBeyond) = free.addingReportingOverflow(stored[id] ?? 0)
        let here = isBeyond ? UInt64.max : sum
        guard size <= here else { throw .noRoom(name: name, free: free) }
        free = here - size
        stored[id] = nil
    }
}
