import AquiferConcurrency
import AquiferFoundation

/// Downloads large data by URL into the files of a folder. It loads chunk by chunk, resumes interrupted downloads, and
/// keeps the folder within a bound.
///
/// - A complete and fresh file is delivered without a request. An expired file is revalidated with its validators, and
///   is not delivered when the remote cannot be reached.
/// - An interrupted download resumes (`Range`, `If-Range`) after a lost connection, a cancellation, a restart or `kill
///   -9`. After an orderly end no byte is fetched twice; after a kill, less than 256 KiB are. Resuming requires a
///   strong `ETag`, or a `Last-Modified` at least a second older than the answer. The download begins again with a weak
///   validator or none, when the content has changed on the server, and when the server does not support `Range`.
/// - A file is delivered when it is complete: it has the announced length, was put in place in one step, and survives
///   `kill -9`. See ``Durability`` for the loss of power. Every block of 256 KiB has a checksum, so that damage to a
///   saved or a partial file is detected and never delivered.
/// - Only the chunk that is being written and one block are held in memory.
/// - Callers of one URL in this process share one transfer; the last one to leave ends it. When several processes
///   download one URL, one of them transfers at a time; the others wait for it, and continue where it ends.
/// - The complete and partial files together have at most `bound` bytes, not counting pinned ones. The least recently
///   used ones are deleted when a download completes.
public final class Downloads: Sendable {
    /// Validates an answer by its head and its first bytes, and throws when the caller cannot use it. A refused answer is not saved, and
    /// what was kept of an earlier one stays.
    public typealias Check = @Sendable (_ head: HTTPResponseHead, _ start: Data) throws -> Void

    /// The failures that a delivered download survives.
    public enum Durability: Sendable, Hashable, CaseIterable {
        /// The download survives a kill of the process. It is flushed to the device right after its delivery. If the
        /// power fails before that, the checksums reveal the damage, and the file is downloaded again.
        case process
        /// The download survives a loss of power too. It is delivered once it is flushed to the device.
        case power
    }

    /// The key of a shared transfer.
    private struct Purpose: Hashable {
        var url: String
        /// The maximum age of a fresh file that ``renew(_:ifOlderThan:)`` confirms; `nil` for an ordinary download.
        var age: Duration?
    }

    private struct Running {
        let transfer: DownloadTransfer
        let task: Task<Void, Never>
        var shares: Int
    }

    let setting: DownloadSetting
    let bound: Int
    /// The queue of operations outside transfers: lists, pins, removals.
    let queue = SerialQueue("aquifer.downloads")
    private let running = Locked<[Purpose: Running]>([:])

    /// Opens the folder. Creates it, with its parent folders, if it is missing; an empty folder becomes a folder of
    /// downloads.
    ///
    /// - Parameters:
    ///   - directory: a folder of downloads, or an empty or missing one.
    ///   - client: the client that carries out the transfers.
    ///   - bound: the maximum size of the folder in bytes when no download is under way, not counting pinned downloads.
    ///   - policy: the time for which a file is delivered without a request; by default, seven days.
    ///   - limit: the maximum length of one download in bytes; by default, 4 GiB, or 2 GiB where a number has
    ///     32 bits.
    ///   - retry: the policy for resuming an interrupted transfer. An attempt is not counted if more bytes are kept after it
    ///     than ever before. No wait is shorter than the one before.
    ///   - patience: the time for which another process may hold a download without progress.
    ///   - durability: the failures that a delivered download survives.
    ///   - files: the treatment of the files by Apple's systems.
    ///   - clock: the clock for waiting for another process.
    ///   - now: the clock for the dates and ages of files.
    ///   - events: told of each transfer and each saved file, with the class `download`.
    ///   - check: validates an answer with content, such as its media type; by default, ``defaultCheck(_:_:)``. The status is
    ///     validated already.
    /// - Throws: ``StoreError/notAStore(path:)`` if `directory` holds anything else,
    ///   ``StoreError/otherVersion(path:found:supported:)``, ``StoreError/readOnly(path:)`` if it is missing and cannot
    ///   be created.
    public init(
        directory: URL, client: any HTTPClient, bound: Int = 1 << 30, policy: CachePolicy = .sevenDays,
        limit: Int = Int(clamping: 4 << 30 as Int64), retry: RetryPolicy = RetryPolicy(),
        patience: Duration = .seconds(30),
        durability: Durability = .process, files: FilePolicy = .systemDefault,
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() }, events: (any AquiferEvents)? = nil,
        check: @escaping Check = Downloads.defaultCheck
    ) throws(StoreError) {
        setting = DownloadSetting(
            client: client,
            folder: try DownloadFolder(
                path: directory.standardizedFileURL.path, patience: .seconds(5), files: files),
            policy: policy, limit: limit, retry: retry, patience: patience, durability: durability, clock: clock,
            now: now, events: events, check: check)
        self.bound = bound
    }

    /// The check of downloads without one of their own: the answer is no HTML page, by its media type and its first bytes. Such a page is
    /// a network's sign-in page or a proxy's. To download pages, give a check of your own.
    ///
    /// Begin your own check with it:
    ///
    /// ```swift
    /// let check: Downloads.Check = { head, start in
    ///     try Downloads.defaultCheck(head, start)
    ///     guard head.mediaType == "audio/mpeg" else { throw InvalidData.mediaType(head.mediaType) }
    /// }
    /// ```
    ///
    /// - Throws: ``InvalidData`` if it is one.
    @Sendable public static func defaultCheck(_ head: HTTPResponseHead, _ start: Data) throws {
        if head.isPage { throw InvalidData.mediaType(head.mediaType) }
        let text = String(decoding: start.prefix(64), as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
            .lowercased()
        guard !text.hasPrefix("<!doctype html"), !text.hasPrefix("<html") else {
            throw InvalidData.body("begins like an HTML page")
        }
    }

    /// Starts a download, or joins the one that is under way. The download gives its progress and its bytes as they
    /// arrive.
    public func download(_ url: URL) -> Download { download(url, nil) }

    /// The complete file of a URL, confirmed by the remote if the last confirmation is `age` or longer ago. A confirmed
    /// file is fresh for the whole time of the policy again. When the remote cannot be reached, or its answer cannot be
    /// used, a fresh file stays and is delivered; its ``DownloadedFile/savedAt`` is the date of its last confirmation.
    ///
    /// - Throws: the error of ``file(for:)``, when there is no fresh file.
    @discardableResult
    public func renew(_ url: URL, ifOlderThan age: Duration) async throws(DownloadError) -> DownloadedFile {
        // A caller of `file(for:)` must not wait for this request: a fresh file has a transfer of its own. Without a
        // fresh file both callers share one transfer. The download reports a file that cannot be read.
        let isFresh = (try? await queue.run { [setting] () throws(StoreError) in try setting.fresh(url) }) != nil
        let download = download(url, isFresh ? age : nil)
        defer { download.cancel() }
        do throws(DownloadError) { return try await download.file() } catch {
            guard error != .cancelled else { throw error }
            // A file that is still fresh is delivered; an unreadable one is not.
            if let file = try? await saved(url) { return file }
            throw error
        }
    }

    /// True if a file that was saved at this date is delivered without a request.
    public func isFresh(_ savedAt: Date) -> Bool { setting.policy.isFresh(savedAt, at: setting.now()) }

    private func download(_ url: URL, _ age: Duration?) -> Download {
        let key = Purpose(url: url.absoluteString, age: age)
        let transfer = running.withLock { running in
            let found = running[key]
            if let found, found.shares > 0 {
                running[key]?.shares += 1
                return found.transfer
            }
            let transfer = DownloadTransfer(url)
            let task = Task {
                // All callers have left the transfer found: it is ending, and holds the lock until then.
                await found?.task.value
                await self.run(transfer, key)
            }
            running[key] = Running(transfer: transfer, task: task, shares: 1)
            return transfer
        }
        return Download(transfer) { [weak self] in self?.leave(transfer, key) }
    }

    /// The complete file of a URL. Cancelling the calling task leaves the download.
    ///
    /// - Throws: ``DownloadError``. After `.connectivity` and `.store` the received bytes are kept.
    public func file(for url: URL) async throws(DownloadError) -> DownloadedFile {
        let download = download(url)
        defer { download.cancel() }
        return try await download.file()
    }

    /// The number of callers that share the transfer of this URL.
    package func shares(of url: URL) -> Int {
        running.withLock { $0[Purpose(url: url.absoluteString)]?.shares ?? 0 }
    }

    private func run(_ transfer: DownloadTransfer, _ key: Purpose) async {
        var setting = setting
        if let age = key.age { setting.policy = .maxAge(age) }
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
            if running[key]?.transfer === transfer { running[key] = nil }
        }
        transfer.finish(end)
        if case .success(let file) = end { await fetch.flush(file) }
    }

    private func leave(_ transfer: DownloadTransfer, _ key: Purpose) {
        let abandoned: Task<Void, Never>? = running.withLock { running in
            guard var found = running[key], found.transfer === transfer, found.shares > 0 else { return nil }
            found.shares -= 1
            running[key] = found
            return found.shares == 0 ? found.task : nil
        }
        abandoned?.cancel()
    }

    /// Ends the transfers of a URL for everyone, and returns once they have ended.
    func stop(_ url: URL) async {
        let tasks = running.withLock { running in
            running.keys.filter { $0.url == url.absoluteString }.map { key in
                running[key]?.shares = 0
                return running[key]?.task
            }
        }
        for task in tasks { task?.cancel() }
        for task in tasks { await task?.value }
    }
}
