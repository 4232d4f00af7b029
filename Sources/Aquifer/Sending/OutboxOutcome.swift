import AquiferFoundation

extension Outbox {
    static let answerLimit = 1 << 20
    /// The time for the body of an answer, as a whole. What has come by then is judged.
    static let answerPatience = Duration.minutes(2)
    static let wordsLimit = 4 << 10

    /// The outcome of an attempt.
    enum Outcome: Sendable {
        enum Kind: Sendable {
            case sent
            case again
            case refused
            case stopped
            case gone
        }

        case sent(Answer)
        /// The item is tried again. `isHost`: the failure concerns the host rather than the item. `isUnsent`: no
        /// connection was made, so that nothing can have arrived.
        case again(Failure, retryAfter: (wait: Duration, isByOurClock: Bool)?, isHost: Bool, isUnsent: Bool)
        case refused(Refusal)
        /// The item was paused, discarded, or taken over, or the drain was cancelled; before or after the head of the answer had come.
        case stopped(isAnswered: Bool = false)

        var kind: Kind {
            switch self {
            case .sent: .sent
            case .again: .again
            case .refused: .refused
            case .stopped: .stopped
            }
        }
    }

    /// An attempt and its progress.
    struct Trip: Sendable {
        var outcome: Outcome
        /// The maximum number of sent bytes of the body at any moment; a body may be sent a second time.
        var mostSent: UInt64
        /// The length of the body that was sent, if it is not that of the item: a change is made anew for each attempt.
        var length: UInt64?
    }
}

extension Outbox.Trip {
    /// True if the server may have the request, whose body has this length.
    func mayHaveArrived(_ queued: UInt64) -> Bool {
        let length = length ?? queued
        return switch outcome {
        case .again(.status(401), _, _, _): false
        case .sent, .again(_, _, _, isUnsent: false): true
        case .again(_, _, _, isUnsent: true): mostSent > 0
        case .refused(let refusal): refusal.mayHaveArrived
        case .stopped(let isAnswered): isAnswered || mostSent >= length
        }
    }
}

extension Outbox.Outcome {
    /// Sends a request, and judges its answer.
    init(
        of request: HTTPRequest, _ item: Outbox.Item, _ client: any HTTPClient, _ judge: Outbox.Judge,
        _ policy: SendPolicy
    ) async {
        let response: HTTPResponse
        do throws(TransportError) { response = try await client.send(request) } catch {
            if error.kind == .unreadableBody, request.body?.hasFiles == true {
                // The next attempt looks at the files first, and refuses an item whose file is gone or damaged. A system that
                // fails for a moment refuses none.
                self = .again(.unreadable(error.description), retryAfter: nil, isHost: false, isUnsent: false)
            } else {
                self.init(error)
            }
            return
        }
        var body = Data()
        // The client ends a body of which nothing comes; one that comes in drops has no other end.
        let isInTime = policy.clock.within(Outbox.answerPatience)
        do throws(TransportError) {
            while body.count < Outbox.answerLimit, isInTime(), let chunk = try await response.body.next() {
                body += chunk
            }
        } catch {
            if error.kind == .cancelled {
                self = .stopped(isAnswered: true)
                return
            }
            // The head says what became of the item; the judge sees how much of the body came.
        }
        let head = response.head
        body = body.prefix(Outbox.answerLimit)
        let verdict = judge(item, head, body)
        if head.status == 401, verdict == .refused {
            // The server does not know the user any more. That concerns every item, and is no word about this one.
            self = .again(.status(401), retryAfter: nil, isHost: true, isUnsent: false)
            return
        }
        switch verdict {
        case .sent:
            self = .sent(Outbox.Answer(head: head, body: body))
        case .again:
            // A page may be the network's: its word does not hold up the user's own "send" for a day.
            let retryAfter = head.isPage ? nil : head.retryAfter(policy.now())
            let isHost = (head.status == 429 || head.status == 503) && retryAfter != nil
            self = .again(.status(head.status), retryAfter: retryAfter, isHost: isHost, isUnsent: false)
        case .foreign:
            self = .again(.foreign(status: head.status), retryAfter: nil, isHost: false, isUnsent: false)
        case .refused:
            self = .refused(.server(status: head.status, words: head.words(body.prefix(Outbox.wordsLimit))))
        }
    }

    private init(_ error: TransportError) {
        let isUnsent = error.kind.precedesSending
        switch error.kind {
        case .cancelled: self = .stopped()
        case .unsupportedURL, .unreadableBody: self = .refused(.unsendable(error.description))
        case .offline, .cannotResolve, .cannotConnect, .insecure, .timedOut, .interrupted, .malformed,
            .tooManyRedirects, .headersTooLarge, .bodyTooLarge, .unauthorized:
            // A missing connection, or a login that has expired, concerns every item of the host; another failure may
            // concern only this item.
            self = .again(.noAnswer(error.description), retryAfter: nil, isHost: isUnsent, isUnsent: isUnsent)
        }
    }
}
