import AquiferFoundation

/// A complete download: a file on disk with random access, whose bytes are verified when they are read.
///
/// - Every read verifies the blocks of 256 KiB that it touches: a flipped bit or a truncated file throws
///   ``StoreError/unreadable(key:reason:)``. ``verify()`` verifies all blocks.
/// - A damaged file is deleted from the folder, so that the next download replaces it; this object keeps throwing the
///   error.
/// - The file stays readable through this object even if it is evicted, deleted or replaced meanwhile.
public final class DownloadedFile: Sendable {
    /// The URL of the data.
    public let url: URL
    /// The location of the file, which holds the bytes and nothing else. Reading it directly verifies nothing: see
    /// ``verify()``. The file may be evicted unless it is pinned, and must not be changed.
    public let location: URL
    /// The length of the file in bytes.
    public let length: Int
    /// The date when a server last confirmed the file.
    public let savedAt: Date
    /// The server's validators.
    public let validators: Validators
    /// The media type that the server announced, in lower case, without parameters.
    public let mediaType: String?

    let record: DownloadRecord
    let data: POSIX.File
    private let discard: @Sendable () -> Void
    private let queue = SerialQueue("aquifer.downloaded-file")

    /// - Parameter discard: called when damage is found.
    init(
        url: URL, path: String, data: POSIX.File, record: DownloadRecord, length: Int,
        discard: @escaping @Sendable () -> Void
    ) {
        self.url = url
        self.discard = discard
        self.data = data
        self.record = record
        self.length = length
        location = URL(fileURLWithPath: path)
        savedAt = record.stamp
        validators = record.validators
        mediaType = record.mediaType
    }

    /// The bytes of a range, clamped to the file.
    public func read(_ range: Range<Int>) async throws(StoreError) -> Data {
        try await queue.run { () throws(StoreError) in
            do throws(StoreError) {
                return try self.checked(range)
            } catch {
                if case .unreadable = error { self.discard() }
                throw error
            }
        }
    }

    /// The bytes of a range, or all bytes, one block at a time, for files that are too large for memory.
    public func chunks(_ range: Range<Int>? = nil) -> Chunks {
        Chunks(file: self, range: (range ?? 0..<length).clamped(to: 0..<length))
    }

    /// Verifies every byte.
    public func verify() async throws(StoreError) {
        for index in record.sums.indices {
            let start = index * BlockSum.size
            _ = try await read(start..<(start + BlockSum.size))
        }
    }

    private func checked(_ range: Range<Int>) throws(StoreError) -> Data {
        let range = range.clamped(to: 0..<length)
        guard !range.isEmpty else { return Data() }
        var bytes = Data(capacity: range.count)
        for index in (range.lowerBound / BlockSum.size)...((range.upperBound - 1) / BlockSum.size) {
            let start = index * BlockSum.size
            let count = min(BlockSum.size, length - start)
            let block = try POSIX.read(data, upTo: count, at: start)
            guard block.count == count else { throw .unreadable(key: record.url, reason: "it became shorter") }
            guard block.withUnsafeBytes({ BlockSum.of($0, index, seed: record.seed) }) == record.sums[index] else {
                throw .unreadable(key: record.url, reason: "the checksum of its bytes is wrong")
            }
            let wanted = range.clamped(to: start..<(start + count))
            bytes.append(block[(wanted.lowerBound - start)..<(wanted.upperBound - start)])
        }
        return bytes
    }

    /// The bytes of a range of a file, one block at a time.
    public struct Chunks: AsyncSequence, Sendable {
        fileprivate let file: DownloadedFile
        fileprivate let range: Range<Int>

        /// Iterates from the start of the range.
        public func makeAsyncIterator() -> Iterator { Iterator(file: file, rest: range) }

        /// An iterator over a range of a file.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let file: DownloadedFile
            fileprivate var rest: Range<Int>

            /// The next bytes; `nil` at the end.
            public mutating func next() async throws(StoreError) -> Data? {
                guard let piece = takePiece() else { return nil }
                return try await file.read(piece)
            }

            /// The next bytes; `nil` at the end.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Data? {
                guard let piece = takePiece() else { return nil }
                return try await file.read(piece)
            }

            /// The next piece ends at the end of a block, so that no block is read twice.
            private mutating func takePiece() -> Range<Int>? {
                guard !rest.isEmpty else { return nil }
                let end = Swift.min(rest.upperBound, (rest.lowerBound / BlockSum.size + 1) * BlockSum.size)
                defer { rest = end..<rest.upperBound }
                return rest.lowerBound..<end
            }
        }
    }
}
