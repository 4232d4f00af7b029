import AquiferFoundation

/// Carries out one transfer: asks for the bytes that are missing on disk, and judges the answers. ``DownloadFiles`` has
/// the bytes.
///
/// One task uses it.
final class DownloadFetch {
    private let transfer: DownloadTransfer
    private let with: DownloadSetting
    private let files: DownloadFiles
    private var part: PartialFile?
    /// A complete file that has expired.
    private var expired: DownloadedFile?
    /// True if a file was put in place, so that the folder may have grown.
    private(set) var hasCommitted = false
    /// The number of bytes that came in this transfer.
    private(set) var received = 0
    /// The number of the attempt, of those that count.
    private var attempt = 1
    /// The number of waits. They become longer, even if each attempt brings something.
    private var waits = 0
    /// True if the server confirmed another version than the expired one.
    private var isMistaken = false
    /// True if the server sends the content coded.
    private var isCoded = false
    /// The most bytes that were kept.
    private var kept = 0

    init(_ transfer: DownloadTransfer, _ setting: DownloadSetting) {
        self.transfer = transfer
        with = setting
        files = DownloadFiles(transfer.url, setting)
    }

    func run() async throws(DownloadError) -> DownloadedFile {
        if let file = try await files.saved(), isFresh(file) { return try await files.deliver(file) }
        let lock = try await files.lock { [transfer] in transfer.follow($0) }
        let result: Result<DownloadedFile, DownloadError>
        do throws(DownloadError) {
            result = .success(try await exclusively())
        } catch {
            result = .failure(error)
        }
        let part = part
        self.part = nil
        await files.leaveInOrder(part)
        withExtendedLifetime(lock) {}
        return try result.get()
    }

    /// Flushes a delivered download to the device, so that it survives a loss of power too.
    func flush(_ file: DownloadedFile) async {
        guard hasCommitted, with.durability == .process else { return }
        await files.flush(file)
    }

    private func exclusively() async throws(DownloadError) -> DownloadedFile {
        let file = try await files.saved()
        if let file, isFresh(file) { return try await files.deliver(file) }
        expired = file
        part = try await files.leftover()
        if let part, part.isWhole {
            let file = try await commit(part)
            if isFresh(file) { return file }
            expired = file
        }
        guard let events = with.events else { return try await fetch() }
        return try await telling(events) { () async throws(DownloadError) in try await fetch() }
    }

    /// The current time, by the clock of the downloads.
    var now: Date { with.now() }

    private func isFresh(_ file: DownloadedFile) -> Bool { with.policy.isFresh(file.savedAt, at: with.now()) }

    // MARK: Asking

    /// The bytes that a part brings at least, unless it is the last one, to be asked for another one at once.
    private static let fewest = 64 << 10

    private enum Step {
        case done(DownloadedFile)
        /// Ask again at once: bytes arrived, or the question has changed.
        case on
        /// Ask again after the wait; with no wait, fail with this error.
        case again(after: Duration?, DownloadError)
    }

    private func fetch() async throws(DownloadError) -> DownloadedFile {
        var longest = Duration.zero
        kept = part?.received ?? 0
        while true {
            var step: Step
            do throws(DownloadError) {
                step = try await ask()
            } catch {
                guard case .connectivity(let reason) = error else { throw error }
                noteProgress()
                step = .again(after: with.retry.wait(after: attempt, failure: reason, waits: waits), error)
            }
            switch step {
            case .done(let file): return file
            case .on: noteProgress()
            case .again(nil, let error): throw error
            case .again(let wait?, _):
                longest = max(longest, wait)
                // Sleeping throws only when the task was cancelled.
                do { try await with.retry.clock.pause(for: longest) } catch { throw .cancelled }
                attempt += 1
                waits += 1
            }
        }
    }

    /// The count of failed attempts begins again when more bytes are kept than ever before. Bytes that are fetched anew, or
    /// that nothing vouches for, are no progress.
    private func noteProgress() {
        guard let part, part.record.resumeTag != nil, part.received > kept else { return }
        (kept, attempt) = (part.received, 1)
    }

    private var question: DownloadQuestion {
        if isCoded { return .decoded }
        if let part, part.received > 0, let tag = part.record.resumeTag {
            return .rest(from: part.received, tag: tag, total: part.record.total)
        }
        if let expired, !expired.validators.isEmpty, !isMistaken { return .ifChanged(expired.validators) }
        return .all
    }

    private func ask() async throws(DownloadError) -> Step {
        let question = question
        let response = try await answer(to: question)
        let head = response.head
        switch meaning(of: head, to: question) {
        case .all(let total):
            // What is kept stays until the answer has shown that it is the content.
            let start = try await next(response.body)
            // Where nothing tells the length, nothing is what came before the connection ended.
            if start == nil, total != 0, head.headers["Transfer-Encoding"] == nil {
                throw .connectivity(TransportError(.interrupted, "a body without a byte and without a length"))
            }
            // An empty answer that says nothing of itself does not replace what is there.
            guard start != nil || head.mediaType != nil || (expired == nil && part?.received ?? 0 == 0) else {
                throw .invalidData(.body("the body is empty, and something is kept"))
            }
            try accept(head, start, total)
            let part = try await begin(head, total)
            try await receive(response.body, after: start, into: part, end: total)
            return .done(try await commit(part))
        case .coded:
            isCoded = true
            return .on
        case .rest(let end, let total):
            guard let part else { return .on }
            let before = part.received
            do throws(DownloadError) {
                // A part may come without the fields of the whole (RFC 9110, 15.3.7).
                let fields = part.record.fields.filter { $0.name != DownloadRecord.place }
                let whole = HTTPResponseHead(status: 200, headers: HTTPHeaders(fields), url: head.url)
                try accept(whole, try await files.start(of: part), total)
                part.confirm(total: total, at: with.now())
                transfer.follow(part)
                try await receive(response.body, into: part, end: end)
            } catch {
                // The whole may be better than its parts. Otherwise it tells the reason itself.
                guard case .invalidData = error else { throw error }
                try await drop()
                return .on
            }
            if part.isWhole { return .done(try await commit(part)) }
            // A server may send fewer bytes than requested. One that sends a few each time is not asked without a pause.
            if part.received - before >= Self.fewest { return .on }
            let few = TransportError(.interrupted, "a part of \(part.received - before) bytes")
            noteProgress()
            return .again(after: with.retry.wait(after: attempt, failure: few, waits: waits), .connectivity(few))
        case .unchanged:
            return try await renew()
        case .nothingLeft:
            guard let part else { return .on }
            part.confirm(total: nil, at: with.now())
            return .done(try await commit(part))
        case .startOver:
            if case .ifChanged = question { isMistaken = true }
            try await drop()
            return .on
        case .refused(let reason):
            return .again(after: with.retry.wait(after: attempt, head: head, waits: waits), .invalidData(reason))
        }
    }

    private func meaning(of head: HTTPResponseHead, to question: DownloadQuestion) -> DownloadAnswer {
        let answer = DownloadAnswer(head, to: question)
        switch answer {
        case .rest, .nothingLeft: return part?.record.isTagged(at: head.url) == false ? .startOver : answer
        case .all, .coded, .unchanged, .startOver, .refused: return answer
        }
    }

    private func answer(to question: DownloadQuestion) async throws(DownloadError) -> HTTPResponse {
        do throws(TransportError) {
            return try await with.client.send(question.request(transfer.url))
        } catch { throw DownloadError(error) }
    }

    private func accept(_ head: HTTPResponseHead, _ start: Data?, _ total: Int?) throws(DownloadError) {
        do { try with.check(head, start ?? Data()) } catch { throw .invalidData(InvalidData(mapping: error)) }
        if let total, total > with.limit { throw tooLarge }
    }

    private var tooLarge: DownloadError { .invalidData(.unusable(.bodyTooLarge(limit: with.limit))) }

    /// Saves the body as it arrives. It requests the next chunk when the last one is written, so that a slow disk slows
    /// the sender.
    private func receive(
        _ body: HTTPResponseBody, after start: Data? = nil, into part: PartialFile, end: Int?
    ) async throws(DownloadError) {
        var upcoming = start
        if upcoming == nil { upcoming = try await next(body) }
        while let chunk = upcoming {
            let size = part.received + chunk.count
            if let end, size > end {
                throw .invalidData(.unusable(TransportError(.malformed, "more than the \(end) bytes announced")))
            }
            guard size <= with.limit else { throw tooLarge }
            try await files.append(chunk, to: part)
            transfer.received(chunk.count)
            received += chunk.count
            upcoming = try await next(body)
        }
        if let end, part.received < end {
            throw .connectivity(TransportError(.interrupted, "\(part.received) of \(end) bytes came"))
        }
    }

    private func next(_ body: HTTPResponseBody) async throws(DownloadError) -> Data? {
        do throws(TransportError) { return try await body.next() } catch { throw DownloadError(error) }
    }

    // MARK: Outcome

    /// Begins from the first byte.
    private func begin(_ head: HTTPResponseHead, _ total: Int?) async throws(DownloadError) -> PartialFile {
        try await drop()
        // A range would count the bytes of the coded form.
        let part = try await files.begin(head, total, tag: isCoded ? nil : head.resumeTag)
        self.part = part
        transfer.follow(part)
        return part
    }

    /// Deletes the partial file: its bytes do not belong to the server's content.
    private func drop() async throws(DownloadError) {
        part = nil
        try await files.drop()
    }

    private func commit(_ part: PartialFile) async throws(DownloadError) -> DownloadedFile {
        try await files.commit(part)
        self.part = nil
        hasCommitted = true
        return try await files.reopened()
    }

    /// Renews the date of the expired file, which the server confirmed as the latest.
    private func renew() async throws(DownloadError) -> Step {
        guard var record = expired?.record else { return .on }
        record.stamp = with.now()
        return .done(try await files.renew(record))
    }
}
