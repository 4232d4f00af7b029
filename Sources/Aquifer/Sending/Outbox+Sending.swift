import Foundation

extension Outbox {
    static let answerLimit = 1 << 20
    static let wordsLimit = 4 << 10

    /// What a try came to.
    enum Outcome: Sendable {
        enum Kind: Sendable {
            case sent
            case again
            case refused
            case stopped
        }

        case sent(Answer)
        /// `isHost`: whether it says something of the host rather than of the item.
        case again(Failure, retryAfter: Duration?, isHost: Bool)
        case refused(Refusal)
        /// It was paused, discarded, or taken over, or the drain was cancelled.
        case stopped

        var kind: Kind {
            switch self {
            case .sent: .sent
            case .again: .again
            case .refused: .refused
            case .stopped: .stopped
            }
        }
    }

    /// Claims an item, sends it, and writes down what came of it.
    ///
    /// - Returns: what came of it; `nil` if it could not be claimed.
    func send(_ number: UInt64) async -> Outcome.Kind? {
        let group = index.group(of: number)
        defer {
            sending[number] = nil
            progress.withLock { $0[number] = nil }
            offer(group)
            work.ring()
            changes.ring()
        }
        do throws(StoreError) {
            guard let record = try await claim(number) else { return nil }
            changes.ring()
            let outcome = await carry(number, record)
            try await settle(number, record, outcome)
            return outcome.kind
        } catch {
            // What was sent and not written down is sent again, with the same key, once the claim has run out.
            storeFailure = error
            return nil
        }
    }

    /// Takes an item for this outbox alone, unless someone else has it, or it is not to be sent now.
    private func claim(_ number: UInt64) async throws(StoreError) -> OutboxRecord? {
        let isReleased = index.rows[number]?.released != nil
        let (owner, now, span) = (owner, policy.now(), Span(since: policy.now(), policy.lease))
        let isClaimed = Locked(false)
        let finding = try await shelf.change(number) { record in
            let isWaiting = !isReleased && record.head.wait?.span.left(now) != nil
            guard record.head.refusal == nil, !record.head.isPaused, !isWaiting,
                !record.head.isLeased(toOthersThan: owner, now)
            else { return .keep }
            record.head.lease = .init(owner: owner, span: span)
            isClaimed.withLock { $0 = true }
            return .replace
        }
        index.note(finding, number)
        guard isClaimed.withLock({ $0 }), case .record(let record) = finding else { return nil }
        return record
    }

    private func carry(_ number: UInt64, _ record: OutboxRecord) async -> Outcome {
        let request: HTTPRequest
        do throws(MultipartForm.UnusableFile) { request = try self.request(record, number) } catch {
            return .refused(.attachment(name: error.name, reason: error.reason))
        }
        let item = Item(ID(number: number), record.head, .sending(sent: 0))
        let outcome = Locked(Outcome.stopped)
        let transfer = Task { [client, judge, policy] in
            let result = await Outcome(of: request, item, client, judge, policy)
            outcome.withLock { $0 = result }
        }
        sending[number] = transfer
        let keeper = Task { await keepClaim(number, record.head.key, transfer) }
        await withTaskCancellationHandler { await transfer.value } onCancel: { transfer.cancel() }
        keeper.cancel()
        await keeper.value
        return outcome.withLock { $0 }
    }

    private func request(_ record: OutboxRecord, _ number: UInt64) throws(MultipartForm.UnusableFile) -> HTTPRequest {
        var request = HTTPRequest(record, body: try record.message.body(in: attachments))
        request.headers["Idempotency-Key"] = record.head.key
        let (progress, changes) = (progress, changes)
        request.onSent = { sent in
            progress.withLock { $0[number] = sent }
            changes.ring()
        }
        return request
    }

    /// Renews the claim while the item is being sent, and stops the transfer when the item was taken away.
    private func keepClaim(_ number: UInt64, _ key: String, _ transfer: Task<Void, Never>) async {
        while true {
            // Sleeping throws only when the task was cancelled.
            do { try await policy.clock.sleep(for: policy.lease / 3) } catch { return }
            let (owner, span) = (owner, Span(since: policy.now(), policy.lease))
            let isOurs = Locked(false)
            do throws(StoreError) {
                _ = try await shelf.change(number) { record in
                    guard record.head.lease?.owner == owner, record.head.key == key else { return .keep }
                    isOurs.withLock { $0 = true }
                    record.head.lease?.span = span
                    return .replace
                }
            } catch {
                // A store that fails now may work when the answer comes; who takes over meanwhile sends the same key.
                continue
            }
            if !isOurs.withLock({ $0 }) { return transfer.cancel() }
        }
    }

    // MARK: What came of it

    private func settle(_ number: UInt64, _ record: OutboxRecord, _ outcome: Outcome) async throws(StoreError) {
        let (owner, key, now) = (owner, record.head.key, policy.now())
        let finding: OutboxShelf.Finding
        switch outcome {
        case .sent(let answer):
            noteEnd(number, .sent(answer))
            // Whoever holds the claim by now: the server has it.
            finding = try await shelf.change(number) { $0.head.key == key ? .delete : .keep }
            if case .nothing = finding { attachments?.remove(record.message.keptFiles) }
        case .again(let failure, let retryAfter, let isHost):
            let wait = policy.wait(after: record.head.attempts + 1, retryAfter: retryAfter)
            finding = try await shelf.change(number) { record in
                guard record.head.lease?.owner == owner, record.head.key == key else { return .keep }
                record.head.lease = nil
                record.head.attempts += 1
                record.head.wait = .init(span: Span(since: now, wait), failure: failure)
                return .replace
            }
            if isHost { index.close(record.head.host, now) { max(wait, policy.wait(after: $0)) } }
            index.failed(number)
        case .refused(let refusal):
            finding = try await shelf.change(number) { record in
                guard record.head.lease?.owner == owner, record.head.key == key else { return .keep }
                record.head.lease = nil
                record.head.wait = nil
                record.head.refusal = refusal
                return .replace
            }
        case .stopped:
            finding = try await shelf.change(number) { record in
                guard record.head.lease?.owner == owner, record.head.key == key else { return .keep }
                record.head.lease = nil
                return .replace
            }
        }
        index.note(finding, number)
        switch outcome {
        case .again(.status, _, isHost: false), .sent, .refused(.server):
            if index.opened(record.head.host) { findReady() }
        case .again, .refused, .stopped: break
        }
    }
}

extension HTTPRequest {
    /// What was queued.
    init(_ record: OutboxRecord, body: HTTPBody?) {
        let headers = HTTPHeaders(record.message.headers.map { HTTPHeaders.Field($0.first ?? "", $0.last ?? "") })
        self.init(
            Method(rawValue: record.head.method), record.head.url, headers: headers, body: body,
            limits: record.message.requestLimits)
    }
}

extension Outbox.Outcome {
    /// Sends a request, and judges what comes back.
    init(
        of request: HTTPRequest, _ item: Outbox.Item, _ client: any HTTPClient, _ judge: Outbox.Judge,
        _ policy: SendPolicy
    ) async {
        let response: HTTPResponse
        do throws(TransportError) { response = try await client.send(request) } catch {
            self.init(error)
            return
        }
        var body = Data()
        do throws(TransportError) {
            while body.count < Outbox.answerLimit, let chunk = try await response.body.next() { body += chunk }
        } catch {
            if error.kind == .cancelled {
                self = .stopped
                return
            }
            // The head says what became of the item; the judge sees how much of the body came.
        }
        let head = response.head
        body = body.prefix(Outbox.answerLimit)
        switch judge(item, head, body) {
        case .sent:
            self = .sent(Outbox.Answer(head: head, body: body))
        case .again:
            let retryAfter = head.retryAfter(policy.now())
            let isHost = (head.status == 429 || head.status == 503) && retryAfter != nil
            self = .again(.status(head.status), retryAfter: retryAfter, isHost: isHost)
        case .refused:
            let words = String(decoding: body.prefix(Outbox.wordsLimit), as: UTF8.self)
            self = .refused(.server(status: head.status, words: words))
        }
    }

    private init(_ error: TransportError) {
        switch error.kind {
        case .cancelled: self = .stopped
        case .unsupportedURL, .unreadableBody: self = .refused(.unsendable(error.description))
        case .offline, .cannotResolve, .cannotConnect, .insecure:
            self = .again(.noAnswer(error.description), retryAfter: nil, isHost: true)
        // Something answered that is not the server, or not as it should: a portal, a proxy.
        case .timedOut, .interrupted, .malformed, .tooManyRedirects, .headersTooLarge, .bodyTooLarge:
            self = .again(.noAnswer(error.description), retryAfter: nil, isHost: false)
        }
    }
}
