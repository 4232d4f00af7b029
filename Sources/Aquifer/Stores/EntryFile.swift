import AquiferFoundation

/// Reads one file of a ``FileStore``, and verifies everything in it.
struct EntryFile {
    private let file: POSIX.File
    private let size: Int

    init(_ file: POSIX.File) throws {
        self.file = file
        guard let size = try POSIX.size(file) else { throw EntryCoding.Damage("not a file") }
        self.size = size
    }

    /// The verified header.
    func head() throws -> EntryCoding.Head {
        try withStart { start in try head(start).0 }
    }

    /// The fully verified entry. Throws if it belongs to a key other than `key`.
    func entry(_ key: String) throws -> StoredEntry {
        try withStart { start in
            let (head, headLength) = try head(start)
            let summary = head.summary
            // Canonically equivalent strings are equal; keys are equal only if their bytes are.
            guard summary.key.utf8.elementsEqual(key.utf8) else { throw EntryCoding.Damage("it is another key's") }
            let inStart = UnsafeRawBufferPointer(rebasing: start[min(headLength, start.count)...])
            return try head.entry(try body(summary.size, from: headLength, inStart))
        }
    }

    /// Reads the first block: the only read of a small entry.
    private func withStart<Value>(_ use: (UnsafeRawBufferPointer) throws -> Value) throws -> Value {
        try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            let count = try POSIX.read(
                file, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(4096, size)]), at: 0)
            return try use(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private func head(_ start: UnsafeRawBufferPointer) throws -> (EntryCoding.Head, length: Int) {
        let lengths = try EntryCoding.lengths(start, fileSize: size)
        if lengths.head <= start.count {
            return (
                try EntryCoding.head(UnsafeRawBufferPointer(rebasing: start[..<lengths.head]), lengths), lengths.head
            )
        }
        var long = [UInt8](repeating: 0, count: lengths.head)
        let count = try long.withUnsafeMutableBytes { try POSIX.read(file, into: $0, at: 0) }
        guard count == long.count else { throw EntryCoding.Damage("it became shorter while it was read") }
        return (try long.withUnsafeBytes { try EntryCoding.head($0, lengths) }, lengths.head)
    }

    private func body(_ count: Int, from offset: Int, _ inStart: UnsafeRawBufferPointer) throws -> Data {
        var isWhole = true
        let bytes = try POSIX.data(count) { target throws(StoreError) in
            target.copyMemory(from: inStart)
            let rest = UnsafeMutableRawBufferPointer(rebasing: target[inStart.count...])
            isWhole = try POSIX.read(file, into: rest, at: offset + inStart.count) == rest.count
        }
        guard isWhole else { throw EntryCoding.Damage("it became shorter while it was read") }
        return bytes
    }
}
