import Foundation

/// Large data by URL, in files of a folder: loaded chunk by chunk, resumed after a cut, kept within a bound.
///
/// - A whole file that is fresh is delivered without asking the remote. An expired one is asked after with its
///   validators; it is not delivered when the remote cannot be reached.
/// - What a cut, a cancellation, a restart or `kill -9` leaves is gone on with (`Range`, `If-Range`): after an orderly end
///   no byte is fetched twice, after a kill less than 256 KiB are. That takes a strong `ETag`, or a `Last-Modified` at
///   least a second older than the answer; with a weak validator or none, it begins again. So it does when the content
///   has changed on the server, and when that does not know `Range`.
/// - A file is delivered when it is whole: as long as announced, flushed to the device, put in place in one step. Every
///   block of 256 KiB has a checksum, so that damage, at rest or in a part that is resumed, is found and never delivered.
/// - Nothing is held in memory but the chunk that is written and one block.
/// - Callers of one URL share one transfer, in this process; the last one to leave ends it. Of several processes one
///   transfers at a time, the others wait for it, and go on where it ends.
/// - The files and parts of files together have at most `bound` bytes, those pinned aside: those used least recently are
///   removed when a download has become whole.
public final class Downloads: Sendable {
    /// Judges the head of an answer: throws when it is not what the caller can use. What is refused is not saved.
    public typealias Check = @Sendable (HTTPResponseHead) throws -> Void

    private struct Running {
        let transfer: DownloadTransfer
        let task: Task<Void, Never>
        var shares: Int
    }

    let setting: DownloadSetting
    let bound: Int
    /// For what no transfer does: lists, pins, removals.
    let queue = SerialQueue("aquifer.downloads")
    private let running = Locked<[String: Running]>([:])

    /// Opens the folder, making it, with those above it, if it is missing or empty.
    ///
    /// - Parameters:
    ///   - folder: a folder of downloads, or one that is to become it.
    ///   - client: carries the transfers.
    ///   - bound: the most bytes that lie in the folder when no download is under way, those pinned aside.
    ///   - policy: how long a file is delivered without asking; seven days unless told otherwise.
    ///   - limit: the most bytes of one download; 4 GiB unless told otherwise.
    ///   - retry: whether a transfer that was cut is gone on with; tries that bring bytes are not counted.
    ///   - patience: how long another process may hold a download without coming on.
    ///   - clock: where waiting for another process happens.
    ///   - now: the clock that stamps and judges files.
    ///   - check: judges the head of an answer with the content, such as its media type. The status is judged already.
    /// - Throws: ``StoreError/notAStore(path:)`` if there is anything else at `folder`,
    ///   ``StoreError/newerVersion(path:found:supported:)``, ``StoreError/readOnly(path:)`` if it is missing and cannot
    ///   be made.
    public init(
        folder: URL, client: any HTTPClient, bound: Int = 1 << 30, policy: CachePolicy = .sevenDays,
        limit: Int = 4 << 30, retry: RetryPolicy = RetryPolicy(), patience: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date = { Date() },
        check: @escaping Check = { _ in }
    ) throws(StoreError) {
        setting = DownloadSetting(
            client: client, folder: try DownloadFolder(path: folder.standardizedFileURL.path, patience: .seconds(5)),
            policy: policy, limit: limit, retry: retry, patience: patience, clock: clock, now: now, check: check)
        self.bound = bound
    }

    /// Starts a download, or joins the one that is under way: to follow its progress and its bytes as they come.
    public func download(_ url: URL) -> Download {
        let key = url.absoluteString
        let transfer = running.withLock { running in
            let found = running[key]
            if let found, found.shares > 0 {
                running[key]?.shares += 1
                return found.transfer
            }
            let transfer = DownloadTransfer(url)
            let task = Task {
                // Everyone has left that one: it is on its way out, and holds the lock until then.
                await found?.task.value
                await self.run(transfer)
            }
            running[key] = Running(transfer: transfer, task: task, shares: 1)
            return transfer
        }
        return Download(transfer) { [weak self] in self?.leave(transfer) }
    }

    /// The file of a URL, whole. Cancelling the calling task leaves the download.
    public func file(for url: URL) async throws(DownloadError) -> DownloadedFile {
        let download = download(url)
        defer { download.cancel() }
        return try await download.file()
    }

    /// How many callers share the transfer of this URL.
    package func shares(of url: URL) -> Int { running.withLock { $0[url.absoluteString]?.shares ?? 0 } }

    private func run(_ transfer: DownloadTransfer) async {
        let fetch = DownloadFetch(transfer, setting)
        let end: Result<DownloadedFile, DownloadError>
        do throws(DownloadError) {
            guard !Task.isCancelled else { throw .cancelled }
            end = .success(try await fetch.run())
        } catch {
            end = .failure(error)
        }
        if fetch.hasCommitted { await evict() }
        running.withLock { running in
            let key = transfer.url.absoluteString
            if running[key]?.transfer === transfer { running[key] = nil }
        }
        transfer.finish(end)
    }

    private func leave(_ transfer: DownloadTransfer) {
        let abandoned: Task<Void, Never>? = running.withLock { running in
            let key = transfer.url.absoluteString
            guard var found = running[key], found.transfer === transfer, found.shares > 0 else { return nil }
            found.shares -= 1
            running[key] = found
            return found.shares == 0 ? found.task : nil
        }
        abandoned?.cancel()
    }

    /// Ends the transfer of a URL for everyone, and returns once it has.
    func stop(_ url: URL) async {
        let task = running.withLock { running in
            running[url.absoluteString]?.shares = 0
            return running[url.absoluteString]?.task
        }
        task?.cancel()
        await task?.value
    }
}
