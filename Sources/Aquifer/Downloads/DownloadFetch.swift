import AquiferFoundation

/// The settings that all downloads of a folder share.
struct DownloadSetting: Sendable {
    var client: any HTTPClient
    var folder: DownloadFolder
    var policy: CachePolicy
    var limit: Int
    var retry: RetryPolicy
    var patience: Duration
    var durability: Downloads.Durability
    var clock: any Clock<Duration>
    var now: @Sendable () -> Date
    var check: @Sendable (HTTPResponseHead) throws -> Void

    /// The file of a URL if it is complete and fresh. Blocks.
    func fresh(_ url: URL) throws(StoreError) -> DownloadedFile? {
        guard let file = try folder.whole(url), policy.isFresh(file.savedAt, at: now()) else { return nil }
        return file
    }
}

/// Carries out one transfer: finds the bytes on disk, requests the missing ones, and puts the complete file in place.
///
/// One task uses it. Disk operations run on a queue of its own.
final class DownloadFetch {
    private let transfer: DownloadTransfer
    private let with: DownloadSetting
    private let queue = SerialQueue("aquifer.download")
    private let name: String
    private let key: String
    private var part: PartialFile?
    /// A complete file that has expired.
    private var expired: DownloadedFile?
    /// True if a file was put in place, so that the folder may have grown.
    private(set) var hasCommitted = false

    init(_ transfer: DownloadTransfer, _ setting: DownloadSetting) {
        self.transfer = transfer
        with = setting
        key = transfer.url.absoluteString
        name = DownloadFolder.name(of: key)
    }

    func run() async throws(DownloadError) -> DownloadedFile {
        if let file = try await saved(), isFresh(file) { return try await deliver(file) }
        let lock = try await lock()
        let result: Result<DownloadedFile, DownloadError>
        do throws(DownloadError) {
            result = .success(try await exclusively())
        } catch {
            result = .failure(error)
        }
        await leaveInOrder()
        withExtendedLifetime(lock) {}
        return try result.get()
    }

    // MARK: Bytes on disk

    /// The complete file, of any age; `nil` if it is damaged, because the transfer replaces it.
    private func saved() async throws(DownloadError) -> DownloadedFile? {
        do throws(StoreError) {
            return try await queue.run { [with, transfer] () throws(StoreError) in try with.folder.whole(transfer.url) }
        } catch {
            guard case .unreadable = error else { throw .store(error) }
            return nil
        }
    }

    private func isFresh(_ file: DownloadedFile) -> Bool { with.policy.isFresh(file.savedAt, at: with.now()) }

    private func deliver(_ file: DownloadedFile) async throws(DownloadError) -> DownloadedFile {
        // A failure to record the use affects only when the file is evicted, not its delivery.
        try? await disk { [with, name] () throws(StoreError) in try with.folder.touch(name, with.now()) }
        return file
    }

    /// Waits for a process that transfers the same download, as long as that download makes progress.
    private func lock() async throws(DownloadError) -> POSIX.File {
        var waited = Duration.zero
        var last = -1
        while true {
            let lock = try await disk { [with, name] () throws(StoreError) in try with.folder.tryLock(name) }
            if let lock { return lock }
            let pause = Duration.milliseconds(50)
            if let growth = await queue.run({ [with, name] in with.folder.growth(name) }) {
                transfer.follow(received: growth.received, total: growth.total)
                if growth.received != last { waited = .zero }
                last = growth.received
            }
            guard waited < with.patience else { throw .store(.busy(path: with.folder.path(name, .lock))) }
            // Sleeping throws only when the task was cancelled.
            do { try await with.clock.sleep(for: pause) } catch { throw .cancelled }
            waited += pause
        }
    }

    private func exclusively() async throws(DownloadError) -> DownloadedFile {
        let file = try await saved()
        if let file, isFresh(file) { return try await deliver(file) }
        expired = file
        part = try await disk { [with, name, key] () throws(StoreError) in try Self.leftover(with.folder, name, key) }
        if let part, part.isWhole {
            let file = try await commit(part)
            if isFresh(file) { return file }
            expired = file
        }
        return try await fetch()
    }

    /// The partial file of an earlier transfer, if it can be resumed. Any other leftover is deleted.
    private static func leftover(
        _ folder: DownloadFolder, _ name: String, _ url: String
    ) throws(StoreError) -> PartialFile? {
        let whole = try folder.readable(name, .info)?.generation
        let growing = try folder.readable(name, .part)?.generation
        // Equal generations mean that the process was killed after the file became complete and before its journal was
        // deleted: the data file no longer belongs to this journal.
        if growing != whole, let part = try PartialFile(resuming: folder, name, url: url) { return part }
        try folder.removePart(name)
        return nil
    }

    private func disk<Value: Sendable>(
        _ body: @Sendable () throws(StoreError) -> Value
    ) async throws(DownloadError) -> Value {
        do throws(StoreError) { return try await queue.run(body) } catch { throw .store(error) }
    }

    // MARK: Asking

    private enum Step {
        case done(DownloadedFile)
        /// Ask again at once: bytes arrived, or the question has changed.
        case on
        /// Ask again after the wait; with no wait, fail with this error.
        case again(after: Duration?, DownloadError)
    }

    private func fetch() async throws(DownloadError) -> DownloadedFile {
        var attempt = 1
        while true {
            let before = place
            var step: Step
            do throws(DownloadError) {
                step = try await ask(attempt)
            } catch {
                guard case .connectivity(let reason) = error else { throw error }
                // An attempt that brought bytes does not count as failed: the count starts again.
                if place != before { attempt = 1 }
                step = .again(after: with.retry.wait(after: attempt, failure: reason), error)
            }
            switch step {
            case .done(let file): return file
            case .on: attempt = 1
            case .again(nil, let error): throw error
            case .again(let wait?, _):
                // Sleeping throws only when the task was cancelled.
                do { try await with.retry.clock.sleep(for: wait) } catch { throw .cancelled }
                attempt += 1
            }
        }
    }

    /// The generation and the received bytes. It changes whenever bytes arrive.
    private var place: [UInt64] { part.map { [$0.record.generation, UInt64($0.received)] } ?? [] }

    private var question: DownloadQuestion {
        if let part, part.received > 0, let tag = part.record.resumeTag {
            return .rest(from: part.received, tag: tag, total: part.record.total)
        }
        if let expired, !expired.validators.isEmpty { return .ifChanged(expired.validators) }
        return .all
    }

    private func ask(_ attempt: Int) async throws(DownloadError) -> Step {
        let question = question
        let response = try await answer(to: question)
        let head = response.head
        switch DownloadAnswer(head, to: question) {
        case .all(let total):
            try accept(head, total)
            let part = try await begin(head, total)
            try await receive(response.body, into: part, end: total)
            return .done(try await commit(part))
        case .rest(let end, let total):
            try accept(head, total)
            guard let part else { return .on }
            part.confirm(total: total, at: with.now())
            transfer.follow(part)
            try await receive(response.body, into: part, end: end)
            // A server may send fewer bytes than requested.
            return part.isWhole ? .done(try await commit(part)) : .on
        case .unchanged:
            return try await renew()
        case .nothingLeft:
            guard let part else { return .on }
            part.confirm(total: nil, at: with.now())
            return .done(try await commit(part))
        case .startOver:
            try await drop()
            return .on
        case .refused(let reason):
            return .again(after: with.retry.wait(after: attempt, head: head), .invalidData(reason))
        }
    }

    private func answer(to question: DownloadQuestion) async throws(DownloadError) -> HTTPResponse {
        do throws(TransportError) {
            return try await with.client.send(question.request(transfer.url))
        } catch { throw DownloadError(error) }
    }

    private func accept(_ head: HTTPResponseHead, _ total: Int?) throws(DownloadError) {
        do { try with.check(head) } catch { throw .invalidData(InvalidData(mapping: error)) }
        if let total, total > with.limit { throw tooLarge }
    }

    private var tooLarge: DownloadError { .invalidData(.unusable(.bodyTooLarge(limit: with.limit))) }

    /// Saves the body as it arrives. It requests the next chunk when the last one is written, so that a slow disk slows
    /// the sender.
    private func receive(
        _ body: HTTPResponseBody, into part: PartialFile, end: Int?
    ) async throws(DownloadError) {
        while let chunk = try await next(body) {
            let size = part.received + chunk.count
            if let end, size > end {
                throw .invalidData(.unusable(TransportError(.malformed, "more than the \(end) bytes announced")))
            }
            guard size <= with.limit else { throw tooLarge }
            try await disk { () throws(StoreError) in try part.append(chunk) }
            transfer.received(chunk.count)
        }
        if let end, part.received < end {
            throw .connectivity(TransportError(.interrupted, "\(part.received) of \(end) bytes came"))
        }
        guard part.received > 0 else { throw .invalidData(.body("the body is empty")) }
    }

    private func next(_ body: HTTPResponseBody) async throws(DownloadError) -> Data? {
        do throws(TransportError) { return try await body.next() } catch { throw DownloadError(error) }
    }

    // MARK: Outcome

    /// Begins from the first byte.
    private func begin(_ head: HTTPResponseHead, _ total: Int?) async throws(DownloadError) -> PartialFile {
        try await drop()
        let (validators, tag, stamp) = (Validators(head), head.resumeTag, with.now())
        let part = try await disk { [with, name, key] () throws(StoreError) in
            let record = DownloadRecord(
                url: key, generation: try with.folder.freshGeneration(name), validators: validators, resumeTag: tag,
                mediaType: head.mediaType, total: total, stamp: stamp)
            return try PartialFile(with.folder, name, record)
        }
        self.part = part
        transfer.follow(part)
        return part
    }

    /// Deletes the partial file: its bytes do not belong to the server's content.
    private func drop() async throws(DownloadError) {
        part = nil
        try await disk { [with, name] () throws(StoreError) in try with.folder.removePart(name) }
    }

    private func commit(_ part: PartialFile) async throws(DownloadError) -> DownloadedFile {
        let isFlushed = with.durability == .power
        try await disk { () throws(StoreError) in try part.commit(isFlushed: isFlushed) }
        self.part = nil
        hasCommitted = true
        return try await reopened()
    }

    /// Renews the stamp of the expired file, which the server confirmed as the latest.
    private func renew() async throws(DownloadError) -> Step {
        guard var record = expired?.record else { return .on }
        record.stamp = with.now()
        let (bytes, _) = record.encoded(isWhole: true)
        try await disk { [with, name] () throws(StoreError) in
            try with.folder.put(bytes, at: with.folder.path(name, .info), isFlushed: with.durability == .power)
        }
        return .done(try await reopened())
    }

    private func reopened() async throws(DownloadError) -> DownloadedFile {
        let file = try await disk { [with, transfer] () throws(StoreError) in try with.folder.whole(transfer.url) }
        guard let file else { throw .store(.failed(operation: "open \(name)", reason: "it was removed meanwhile")) }
        return try await deliver(file)
    }

    /// Flushes a delivered download to the device, so that it survives a loss of power too.
    func flush(_ file: DownloadedFile) async {
        guard hasCommitted, with.durability == .process else { return }
        await queue.run { [with] in
            // The file was delivered already. If the device fails, its checksums reveal the damage when it is read.
            try? with.folder.flush(file)
        }
    }

    private func leaveInOrder() async {
        let part = part
        self.part = nil
        await queue.run { [with, name] in
            // The caller receives the outcome of the transfer. Bytes that cannot be written here are fetched again.
            try? part?.stop()
            try? with.folder.tidy(name)  // as above; an empty lock file harms no one
        }
    }
}
