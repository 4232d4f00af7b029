import Foundation

/// One caller's share in a download. Callers of one URL share its transfer; when the last of them leaves, it ends, and
/// what has come stays to be resumed.
///
/// Leaving is ``cancel()``, or letting go of this object and of the ``progress`` and ``bytes(from:)`` made from it.
public final class Download: Sendable {
    private let transfer: DownloadTransfer
    private let leave: @Sendable () -> Void
    private let hasLeft = Locked(false)

    init(_ transfer: DownloadTransfer, leave: @escaping @Sendable () -> Void = {}) {
        self.transfer = transfer
        self.leave = leave
    }

    deinit { cancel() }

    /// What is downloaded.
    public var url: URL { transfer.url }

    /// The file, once it is whole.
    ///
    /// When the calling task is cancelled it throws `.cancelled` and waits no longer; to leave, ``cancel()``.
    public func file() async throws(DownloadError) -> DownloadedFile {
        var seen = transfer.state.current
        while true {
            if hasLeft.withLock({ $0 }) { throw .cancelled }
            if let end = seen.value.end { return try end.get() }
            guard let next = await transfer.state.next(after: seen.version) else { throw .cancelled }
            seen = next
        }
    }

    /// How far it is, now and after each change, until it ends. Who is slow is given the newest.
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

    /// The bytes from an offset on, as they come: those that are there at once, the others as they are saved.
    ///
    /// - Each sequence, and each iteration of one, has a place of its own; who is slow slows neither the transfer nor
    ///   other readers. At most a block of 256 KiB is in memory.
    /// - Nothing is delivered before a server has confirmed that what is there is the latest.
    /// - When the transfer has to begin again (the content changed on the server), a reader who has had bytes of the
    ///   earlier content is told `.invalidData`: the two are never put together.
    public func bytes(from offset: Int = 0) -> DownloadBytes { DownloadBytes(download: self, offset: offset) }

    /// Leaves. Whoever waits through this object is told `.cancelled`.
    public func cancel() {
        let isFirst = hasLeft.withLock { hasLeft in
            defer { hasLeft = true }
            return !hasLeft
        }
        guard isFirst else { return }
        leave()
        transfer.state.update { _ in }  // wakes whoever waits through this share
    }

    /// The next bytes at `place`, none at the end, and the place behind them.
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

/// The bytes of a download as they come.
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

    /// Where a reader is.
    fileprivate struct Place {
        var offset: Int
        /// Which beginning its bytes are of, once it has had some.
        var beginning: Int?

        init(offset: Int) {
            self.offset = Swift.max(0, offset)
        }

        /// The bytes that are here, empty at the end; `nil` when there is nothing yet.
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
                } else if let file = state.growing, state.progress.received > offset {
                    let count = Swift.min(BlockSum.size, state.progress.received - offset)
                    bytes = try await queue.run { [offset] () throws(StoreError) in
                        try file.bytes(count, at: offset)
                    }
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
    /// From an offset to the end of its block; empty behind the end.
    fileprivate func chunk(at offset: Int) async throws(StoreError) -> Data {
        guard offset < length else { return Data() }
        return try await read(offset..<((offset / BlockSum.size + 1) * BlockSum.size))
    }
}

extension POSIX.File {
    /// Bytes that are known to be there.
    fileprivate func bytes(_ count: Int, at offset: Int) throws(StoreError) -> Data {
        var bytes = Data(count: count)
        let done = try bytes.withUnsafeMutableBytes { raw in
            Result { () throws(StoreError) in try POSIX.read(self, into: raw, at: offset) }
        }.get()
        guard done == count else { throw .failed(operation: "read \(path)", reason: "it became shorter") }
        return bytes
    }
}
