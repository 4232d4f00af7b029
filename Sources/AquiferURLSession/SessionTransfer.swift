import Aquifer
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request on its way, and its answer: where the reader's task and the session's delegate meet.
final class SessionTransfer: HTTPBodySource {
    /// From this many unread bytes on the session is asked to wait.
    ///
    /// Not on Linux, where a transfer that was suspended does not go on.
    private static let highWater: Int = {
        #if canImport(FoundationNetworking)
            .max
        #else
            256 << 10
        #endif
    }()

    private typealias Waiter<Value> = CheckedContinuation<Result<Value, TransportError>, Never>

    private struct State {
        var unread = Data()
        var isSuspended = false
        var end: Result<Void, TransportError>?
        var redirects = 0
        var headWaiter: Waiter<HTTPResponseHead>?
        var bodyWaiter: Waiter<Data?>?
        var alarm: Task<Void, Never>?
    }

    let request: HTTPRequest
    let task: URLSessionDataTask
    private let state = Locked(State())

    init(_ request: HTTPRequest, task: URLSessionDataTask) {
        self.request = request
        self.task = task
    }

    // MARK: The reader's side

    func start() async throws(TransportError) -> HTTPResponseHead {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter<HTTPResponseHead>) in
                let isOver = state.withLock { state in
                    if state.end == nil { state.headWaiter = waiter }
                    return state.end != nil
                }
                guard !isOver else { return waiter.resume(returning: .failure(.cancelled)) }
                task.resume()
                setAlarm()
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    func next() async throws(TransportError) -> Data? {
        if Task.isCancelled { cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter<Data?>) in
                let (ready, mayGoOn): (Result<Data?, TransportError>?, Bool) = state.withLock { state in
                    if !state.unread.isEmpty {
                        defer { (state.unread, state.isSuspended) = (Data(), false) }
                        return (.success(state.unread), state.isSuspended)
                    }
                    if let end = state.end { return (end.map { nil }, false) }
                    precondition(state.bodyWaiter == nil, "A body has one reader at a time")
                    state.bodyWaiter = waiter
                    return (nil, false)
                }
                if mayGoOn { task.resume() }
                if let ready { waiter.resume(returning: ready) }
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    func cancel() {
        state.withLock { $0.unread = Data() }
        end(.failure(.cancelled), cancels: true)
    }

    // MARK: The delegate's side

    /// Ends the transfer for its reader; the first end counts.
    func end(_ result: Result<Void, TransportError>, cancels: Bool = false) {
        let (isFirst, head, body, alarm) = state.withLock { state in
            defer { (state.headWaiter, state.bodyWaiter, state.alarm) = (nil, nil, nil) }
            let isFirst = state.end == nil
            if isFirst { state.end = result }
            return (isFirst, state.headWaiter, state.bodyWaiter, state.alarm)
        }
        alarm?.cancel()
        if isFirst && cancels { task.cancel() }
        head?.resume(returning: result.flatMap { .failure(TransportError(.malformed, "an answer without a head")) })
        body?.resume(returning: result.map { nil })
    }

    /// Whether the redirect may be followed; if not, the transfer has ended for its reader, and ends by itself.
    func mayFollow(to url: URL?) -> Bool {
        let scheme = url?.scheme?.lowercased()
        guard scheme == "https" || (scheme == "http" && request.url.scheme?.lowercased() == "http") else {
            end(.failure(TransportError(.tooManyRedirects, "a redirect to \(scheme ?? "nowhere")")))
            return false
        }
        let count = state.withLock { state in
            state.redirects += 1
            return state.redirects
        }
        guard count <= request.limits.redirects else {
            end(.failure(TransportError(.tooManyRedirects, "more than \(request.limits.redirects)")))
            return false
        }
        return true
    }

    func received(_ head: HTTPResponseHead) {
        let bytes = head.headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard bytes <= request.limits.headerBytes else {
            let error = TransportError(.headersTooLarge, "more than \(request.limits.headerBytes) bytes")
            return end(.failure(error), cancels: true)
        }
        let waiter = state.withLock { state in
            defer { state.headWaiter = nil }
            return state.headWaiter
        }
        waiter?.resume(returning: .success(head))
    }

    func received(_ data: Data) {
        guard !data.isEmpty else { return }
        let (waiter, mustWait) = state.withLock { state -> (Waiter<Data?>?, Bool) in
            guard state.end == nil else { return (nil, false) }
            if let waiter = state.bodyWaiter {
                state.bodyWaiter = nil
                return (waiter, false)
            }
            state.unread += data
            let mustWait = state.unread.count >= Self.highWater && !state.isSuspended
            if mustWait { state.isSuspended = true }
            return (nil, mustWait)
        }
        waiter?.resume(returning: .success(data))
        if mustWait { task.suspend() }
    }

    private func setAlarm() {
        guard let total = request.limits.total else { return }
        let alarm = Task { [weak self] in
            // Cancelled when the transfer ends: then nothing is late.
            guard (try? await Task.sleep(for: total)) != nil else { return }
            self?.end(.failure(TransportError(.timedOut, "the whole transfer took too long")), cancels: true)
        }
        let isOver = state.withLock { state in
            if state.end == nil { state.alarm = alarm }
            return state.end != nil
        }
        if isOver { alarm.cancel() }
    }
}
