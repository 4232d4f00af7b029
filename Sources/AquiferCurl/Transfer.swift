import Aquifer
import AquiferCCurl
import AquiferConcurrency
import AquiferFoundation

/// One request on its way, and its answer: where the reader's task and the loop's thread meet.
///
/// This file is the reader's side; `Transfer+Callbacks.swift` is the loop's.
final class Transfer: HTTPBodySource, @unchecked Sendable {
    /// From this many unread bytes on the sender is made to wait.
    static let highWater = 256 << 10

    typealias Waiter<Value> = CheckedContinuation<Result<Value, TransportError>, Never>

    let request: HTTPRequest
    let route: Route?
    /// Keeps the loop running as long as there is anything to carry or to read.
    let owner: LoopOwner

    /// Guards everything down to the next line.
    let lock = Lock()
    var unread = Data()
    var isPaused = false
    var end: Result<Void, TransportError>?
    var headWaiter: Waiter<HTTPResponseHead>?
    /// The head, from when it is whole to the end of the loop's turn.
    var heldHead: HTTPResponseHead?
    var bodyWaiter: Waiter<Data?>?

    /// Decodes the body as it is read; set before the head is delivered, then the reader's alone.
    var inflater: Inflater?

    // ---- Below: the loop's thread only, after `start()`. ----

    /// curl's handle, while the transfer is in curl's hands.
    var handle: EasyHandle?
    var parser: HeadParser
    var bodyReader: BodyReader?
    /// The fault that a callback found: curl itself only learns that the callback refused.
    var refusal: TransportError?
    /// When the loop took it.
    var begunAt = ContinuousClock.now
    /// When the other side was last heard of; `nil` until connected.
    var lastHeard: ContinuousClock.Instant?
    /// The connection that carries it; `nil` until connected.
    var connection: Poller.Connection?
    /// The sockets that were opened for it. Those of a request that asks `maySend` discard what they have not sent.
    var sockets: [curl_socket_t] = []
    /// The system's reason if the last socket could not be opened for it, else 0.
    var socketFailure: Int32 = 0
    /// True if nothing was sent because the kept connection could not be used.
    var mustBeginAnew = false
    /// The progress of the request's body, as of the loop's last look.
    var progress = UploadProgress()

    init(_ request: HTTPRequest, route: Route?, owner: LoopOwner) {
        self.request = request
        self.route = route
        self.owner = owner
        parser = HeadParser(limit: request.limits.headerBytes)
    }

    /// Hands the request to the loop and waits for the head of its answer.
    func start() async throws(TransportError) -> HTTPResponseHead {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                lock.lock()
                // The task may have been cancelled before it came here; the loop must then never see the request.
                let isOver = end != nil
                if !isOver { headWaiter = waiter }
                lock.unlock()
                if isOver { waiter.resume(returning: .failure(.cancelled)) } else { owner.loop.push(.add(self)) }
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    func next() async throws(TransportError) -> Data? {
        guard let inflater else { return try await received() }
        while true {
            if Task.isCancelled {
                cancel()
                throw .cancelled
            }
            do throws(TransportError) {
                if let piece = try inflater.next() { return piece }
            } catch {
                // The rest is of no use.
                cancel()
                throw error
            }
            guard let bytes = try await received() else { break }
            inflater.add(bytes)
        }
        try inflater.finish()
        return nil
    }

    /// The next bytes as they were sent; `nil` at their end.
    private func received() async throws(TransportError) -> Data? {
        if Task.isCancelled { cancel() }
        if let ready = takeReady(orLeave: nil) { return try ready.get() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                if let ready = takeReady(orLeave: waiter) { waiter.resume(returning: ready) }
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    func cancel() {
        lock.lock()
        let wasOver = end != nil
        end = .failure(.cancelled)
        unread = Data()
        let (head, body) = (headWaiter, bodyWaiter)
        (headWaiter, bodyWaiter) = (nil, nil)
        lock.unlock()
        if !wasOver { owner.loop.push(.cancel(self)) }
        head?.resume(returning: .failure(.cancelled))
        body?.resume(returning: .failure(.cancelled))
    }

    /// All that has come so far, or the end; if there is neither, leaves the waiter for what comes next.
    private func takeReady(orLeave waiter: Waiter<Data?>?) -> Result<Data?, TransportError>? {
        lock.lock()
        if !unread.isEmpty {
            let chunk = unread
            unread = Data()
            let mayGoOn = isPaused
            isPaused = false
            lock.unlock()
            if mayGoOn { owner.loop.push(.resume(self)) }
            return .success(chunk)
        }
        defer { lock.unlock() }
        if let end { return end.map { nil } }
        if let waiter {
            precondition(bodyWaiter == nil, "A body has one reader at a time")
            bodyWaiter = waiter
        }
        return nil
    }
}
