import AquiferConcurrency
import AquiferFoundation

/// One caller's share in a download. Callers of one URL share its transfer. The transfer ends when the last of them
/// leaves; the received bytes stay, so that a later download resumes.
///
/// A caller leaves with ``cancel()``, or by releasing this object and the ``progress`` and ``bytes(from:)`` made from
/// it.
public final class Download: Sendable {
    private let transfer: DownloadTransfer
    private let leave: @Sendable () -> Void
    private let hasLeft = Locked(false)

    init(_ transfer: DownloadTransfer, leave: @escaping @Sendable () -> Void = {}) {
        self.transfer = transfer
        self.leave = leave
    }

    deinit { cancel() }

    /// The URL of the data.
    public var url: URL { transfer.url }

    /// The file, once it is complete.
    ///
    /// When the calling task is cancelled, the call throws `.cancelled` and waits no longer. That does not leave the
    /// download: ``cancel()`` does.
    ///
    /// - Throws: ``DownloadError``. After `.connectivity` and `.store` the received bytes are kept.
    public func file() async throws(DownloadError) -> DownloadedFile {
        var seen = transfer.state.current
        while true {
            if hasLeft.withLock({ $0 }) { throw .cancelled }
            if let end = seen.value.end { return try end.get() }
            guard let next = await transfer.state.next(after: seen.version) else { throw .cancelled }
            seen = next
        }
    }

    /// The progress of the download, now and after each change, until it ends. A slow reader receives only the latest
    /// progress.
    public var progress: AsyncStream<DownloadProgress> {
        let last = Locked<(progress: DownloadProgress?, version: UInt64)>((nil, 0))
        return AsyncStream { [self] in
            var seen = transfer.state.current
            while true {
                if hasLeft.withLock({ $0 }) { return nil }
                let (progress, version) = (seen.value.progress, seen.version)
                let isNew = last.withLock { last in
                    defer { last = (progress, version) }
                    return last.progress != progress
                }
                if isNew { return progress }
                if seen.value.end != nil { return nil }
                guard let next = await transfer.state.next(after: seen.version) else { return nil }
                seen = next
            }
        }
    }

    /// The bytes from an offset on, as they arrive. Bytes on disk are delivered at once, the others as they are saved.
    ///
    /// - Each sequence, and each iteration of one, has its own position. A slow reader slows neither the transfer nor
    ///   other readers. At most one block of 256 KiB is in memory.
    /// - No byte is delivered before a server has confirmed that the bytes on disk are the latest, and none whose
    ///   checksum is wrong.
    /// - When the content changes on the server, the transfer begins again. A reader that has read bytes of the earlier
    ///   content receives `.invalidData`: bytes of two contents are never mixed.
    public func bytes(from offset: Int = 0) -> DownloadBytes { DownloadBytes(download: self, offset: offset) }

    /// Leaves the download. Calls that wait through this object throw `.cancelled`, and its ``progress`` ends.
    public func cancel() {
        let isFirst = hasLeft.withLock { hasLeft in
            defer { hasLeft = true }
            return !hasLeft
        }
        guard isFirst else { return }
        leave()
        transfer.state.update { _ in }  // wakes whoever waits through this share
    }

    /// The next bytes at `place`, empty at the end, and the position after them.
    fileprivate func next(
        _ place: DownloadBytes.Place, _ queue: SerialQueue
    ) async throws(DownloadError) -> (bytes: Data, place: DownloadBytes.Place) {
        var place = place
        var seen = transfer.state.current
        while true {
            if hasLeft.withLock({ $0 }) || Task.isCancelled { throw .cancelled }
            if let bytes = try await place.read(seen.value, queue) { return (bytes, place) }
            guard let next = await transfer.state.next(after: seen.version) else { throw .cancelled }
            seen = next
        }
    }
}

/// The bytes of a download as they arrive.
public struct DownloadBytes: AsyncSequence, Sendable {
    fileprivate let download: Download
    fileprivate let offset: Int

    /// Iterates from the sequence's offset.
    public func makeAsyncIterator() -> Iterator { Iterator(download: download, place: Place(offset: offset)) }

    /// An iterator over the bytes of a download.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let download: Download
        fileprivate var place: Place
        private let queue = SerialQueue("aquifer.download-reader")

        fileprivate init(download: Download, place: Place) {
            self.download = download
            self.place = place
        }

        /// The next bytes, never none; `nil` at the end.
        public mutating func next() async throws(DownloadError) -> Data? {
            let (bytes, next) = try await download.next(place, queue)
            place = next
            return bytes.isEmpty ? nil : bytes
        }

        /// The next bytes, never none; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(DownloadError) -> Data? {
            let (bytes, next) = try await download.next(place, queue)
            place = next
            return bytes.isEmpty ? nil : bytes
        }
    }

    /// The position of a reader.
    fileprivate struct Place {
        var offset: Int
        /// The beginning that its bytes belong to; `nil` until it has read some.
        var beginning: Int?

        init(offset: Int) {
            self.offset = Swift.max(0, offset)
        }

        /// The bytes that have arrived, empty at the end; `nil` when there are none yet.
        mutating func read(
            _ state: DownloadTransfer.State, _ queue: SerialQueue
        ) async throws(DownloadError) -> Data? {
            if let beginning, beginning != state.beginning {
                throw .invalidData(.body("it changed on the server while it was read"))
            }
            let bytes: Data
            do throws(StoreError) {
                if case .success(let file) = state.end {
                    bytes = try await file.chunk(at: offset)
                } else if let blocks = state.growing, state.progress.received > offset {
                    bytes = try await queue.run { [offset] () throws(StoreError) in try blocks.read(at: offset) }
                } else {
                    bytes = Data()
                }
            } catch {
                throw .store(error)
            }
            if bytes.isEmpty {
                guard let end = state.end else { return nil }
                _ = try end.get()
            }
            beginning = state.beginning
            offset += bytes.count
            return bytes
        }
    }
}

extension DownloadedFile {
    /// The bytes from an offset to the end of its block; empty beyond the end of the file.
    fileprivate func chunk(at offset: Int) async throws(StoreError) -> Data {
        guard offset < length else { return Data() }
        return try await read(offset..<((offset / BlockSum.size + 1) * BlockSum.size))
    }
}
