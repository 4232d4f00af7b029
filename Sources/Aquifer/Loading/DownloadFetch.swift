import Foundation

/// What all downloads of a folder have in common.
struct DownloadSetting: Sendable {
    var client: any HTTPClient
    var folder: DownloadFolder
    var policy: CachePolicy
    var limit: Int
    var retry: RetryPolicy
    var patience: Duration
    var clock: any Clock<Duration>
    var now: @Sendable () -> Date
    var check: @Sendable (HTTPResponseHead) throws -> Void
}

/// Carries one transfer out: looks for what is there, asks for what is missing, and puts the whole in place.
///
/// Used by one task. What the disk does is done on a queue of its own.
final class DownloadFetch {
    private let transfer: DownloadTransfer
    private let with: DownloadSetting
    private let queue = SerialQueue("aquifer.download")
    private let name: String
    private let key: String
    private var part: PartialFile?
    /// A whole one that has expired.
    private var expired: DownloadedFile?
    /// Whether there is more in the folder than before.
    private(set) var hasCommitted = false

    init(_ transfer: DownloadTransfer, _ setting: DownloadSetting) {
        self.transfer = transfer
        with = setting
        key = transfer.url.absoluteString
        name = DownloadFolder.name(of: key)
    }

    func run() async throws(DownloadError) -> DownloadedFile {
        if let file = await saved(), isFresh(file) { return try await deliver(file) }
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

    // MARK: What is there

    /// The whole one, whatever its age. One that cannot be read is replaced by what comes.
    private func saved() async -> DownloadedFile? {
        do throws(StoreError) {
            return try await queue.run { [with, transfer] () throws(StoreError) in try with.folder.whole(transfer.url) }
        } catch { return nil }
    }

    private func isFresh(_ file: DownloadedFile) -> Bool { with.policy.isFresh(file.savedAt, at: with.now()) }

    private func deliver(_ file: DownloadedFile) async throws(DownloadError) -> DownloadedFile {
        // Whether its use could be noted decides when it is evicted, not whether it can be delivered.
        try? await disk { [with, name] () throws(StoreError) in try with.folder.touch(name, with.now()) }
        return file
    }

    /// Waits for a process that has the same download under way, as long as that one comes on.
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
        let file = await saved()
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

    /// What an earlier transfer left and can be gone on with. Whatever else it left is removed.
    private static func leftover(
        _ folder: DownloadFolder, _ name: String, _ url: String
    ) throws(StoreError) -> PartialFile? {
        // An unreadable record vouches for no file.
        let whole = try? folder.record(name, .info)?.generation
        let growing = try? folder.record(name, .part)?.generation  // as above
        // Killed after it became whole and before its journal was removed: the data file is not this journal's any more.
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
        /// Ask on at once: something came, or the question has changed.
        case on
        /// After a wait, if it is to be tried again at all; else this is what happened.
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
                // A try that brought something is no failed one: they count from one again.
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

    /// Changes whenever bytes come.
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
            // A server may send less than was asked for.
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

    /// Saves the body as it comes. The next chunk is asked for when the last one is written: a slow disk slows the sender.
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

    // MARK: What becomes of it

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

    /// What is here belongs to nothing that the server has.
    private func drop() async throws(DownloadError) {
        part = nil
        try await disk { [with, name] () throws(StoreError) in try with.folder.removePart(name) }
    }

    private func commit(_ part: PartialFile) async throws(DownloadError) -> DownloadedFile {
        try await disk { () throws(StoreError) in try part.commit() }
        self.part = nil
        hasCommitted = true
        return try await reopened()
    }

    /// The server says that the expired one is still the latest.
    private func renew() async throws(DownloadError) -> Step {
        guard var record = expired?.record else { return .on }
        record.stamp = with.now()
        let (bytes, _) = record.encoded(isWhole: true)
        try await disk { [with, name] () throws(StoreError) in
            try with.folder.put(bytes, at: with.folder.path(name, .info))
        }
        return .done(try await reopened())
    }

    private func reopened() async throws(DownloadError) -> DownloadedFile {
        let file = try await disk { [with, transfer] () throws(StoreError) in try with.folder.whole(transfer.url) }
        guard let file else { throw .store(.failed(operation: "open \(name)", reason: "it was removed meanwhile")) }
        return try await deliver(file)
    }

    private func leaveInOrder() async {
        let part = part
        self.part = nil
        await queue.run { [with, name] in
            // The outcome of the transfer is what is told. What cannot be written here is fetched again.
            try? part?.stop()
            try? with.folder.tidy(name)  // as above; an empty lock file harms no one
        }
    }
}
