import Foundation

extension Exchange {
    /// The request's body on its way to the handler.
    struct Upload {
        var waiting = Data()
        var received = 0
        /// The bytes that came after the answer was there, and were thrown away.
        var discarded = 0
        var isWhole = false
        /// True once it is known that somebody wants the body: the gate knows the sender, or the handler has begun to read.
        var isWanted = false
        var error: ServerBodyError?
        var pace = BodyPace(began: .now)
    }

    /// True if the body comes more slowly than is allowed. The caller holds the lock.
    func isBodyOverdue(at now: ContinuousClock.Instant, _ configuration: HTTPServer.Configuration) -> Bool {
        let upload = peekedUpload
        guard hasUpload, !upload.isWhole else { return false }
        return upload.pace.isOverdue(
            at: now, bytes: upload.received + upload.discarded, timeout: configuration.bodyTimeout,
            leastRate: configuration.leastBodyRate)
    }

    /// The bytes of a body that wait in memory before the client is held back.
    private static let highWater = 256 * 1024

    /// The bytes of an unwanted body that are read and thrown away before the connection is closed. Closing with bytes
    /// unread makes the system reset the connection, and the client may lose the answer that says why.
    static let patience = 1024 * 1024
    /// The same for a body that nobody has wanted. It costs little to send, and may be of anybody.
    private static let patienceWithUnknown = 64 * 1024

    /// Takes a piece of the body: `.goOn` when it was taken, `.wait` when it must be offered again.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Step {
        let (step, waiters, task) = locked { state -> (Step, [CheckedContinuation<Void, Never>], Task<Void, Never>?) in
            if state.isGone || state.answer?.isDropped == true { return (.close, [], nil) }
            if state.answer != nil || state.upload.error != nil {
                state.upload.discarded += bytes.count
                let most =
                    state.upload.isWanted
                    ? min(maxBodyBytes, core.configuration.maxBodyBytes) + Self.patience : Self.patienceWithUnknown
                return (state.upload.discarded > most ? .close : .goOn, [], nil)
            }
            // Nothing is taken of somebody who is not known, before the handler has seen who it is, and reads.
            if state.upload.waiting.count >= Self.highWater || !state.upload.isWanted {
                guard suspend(&state) else { return (.close, [], state.task) }
                state.upload.pace.hold(at: .now)
                return (.wait, [], nil)
            }
            state.upload.received += bytes.count
            if state.upload.received > maxBodyBytes {
                state.upload.error = .tooLarge(limit: maxBodyBytes)
                state.upload.waiting = Data()
            } else {
                state.upload.waiting.append(contentsOf: bytes)
            }
            return (.goOn, state.takeWaiters(), nil)
        }
        waiters.forEach { $0.resume() }
        task?.cancel()
        return step
    }

    /// The whole body has arrived.
    func finishUpload() {
        let waiters = locked { state in
            guard !state.upload.isWhole else { return [CheckedContinuation<Void, Never>]() }
            state.upload.isWhole = true
            return state.takeWaiters()
        }
        waiters.forEach { $0.resume() }
    }

    /// The bytes of the body that have come since the last call, `nil` at its end; waits if there are none.
    func nextChunk() async throws(ServerBodyError) -> Data? {
        while true {
            let outcome = locked { state -> Result<Data?, ServerBodyError>? in
                state.upload.isWanted = true
                // Held back by a full buffer or for want of a reader, and by nothing else while the body is not whole.
                if !state.upload.isWhole { resume(&state) }
                if !state.upload.waiting.isEmpty {
                    defer { state.upload.waiting = Data() }
                    return .success(state.upload.waiting)
                }
                if let error = state.upload.error { return .failure(error) }
                if state.upload.isWhole { return .success(nil) }
                return state.isGone ? .failure(.clientLeft) : nil
            }
            if let outcome { return try outcome.get() }
            if Task.isCancelled { throw .cancelled }
            await waitForChange { $0.upload.waiting.isEmpty && $0.upload.error == nil && !$0.upload.isWhole }
        }
    }
}

extension ServerBodyError {
    /// The answer to the client, whatever the handler made of the error.
    var response: ServerResponse { .refusal(413, description) }
}
