import Aquifer
import AquiferConcurrency
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request under way and its answer. It connects the reader's task and the session's delegate.
final class SessionTransfer: HTTPBodySource {
    /// The number of unread bytes at which the session is suspended.
    ///
    /// Linux has no such limit, because a suspended transfer does not resume there.
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
        /// The request after the last redirect; `nil` before the first.
        var redirected: HTTPRequest?
        var headWaiter: Waiter<HTTPResponseHead>?
        var bodyWaiter: Waiter<Data?>?
        var alarm: Task<Void, Never>?
        /// The file of the body, until the transfer has ended. Its last reference deletes it, if it is temporary.
        var upload: UploadFile?
    }

    let request: HTTPRequest
    let task: URLSessionDataTask
    private let state: Locked<State>

    init(_ request: HTTPRequest, task: URLSessionDataTask, upload: UploadFile?) {
        self.request = request
        self.task = task
        state = Locked(State(upload: upload))
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
                let ready: Result<Data?, TransportError>? = state.withLock { state in
                    if !state.unread.isEmpty {
                        defer { state.unread = Data() }
                        // Within the lock, as suspending is: the other order would leave the task suspended for ever.
                        if state.isSuspended { task.resume() }
                        state.isSuspended = false
                        return .success(state.unread)
                    }
                    if let end = state.end { return end.map { nil } }
                    precondition(state.bodyWaiter == nil, "A body has one reader at a time")
                    state.bodyWaiter = waiter
                    return nil
                }
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

    /// Ends the transfer for its reader. Only the first end counts.
    func end(_ result: Result<Void, TransportError>, cancels: Bool = false) {
        let (isFirst, result, head, body, alarm) = state.withLock { state in
            let result = state.redirects > 0 ? result.mapError { $0.afterSending(by: request.method) } : result
            defer { (state.headWaiter, state.bodyWaiter, state.alarm, state.upload) = (nil, nil, nil, nil) }
            let isFirst = state.end == nil
            if isFirst { state.end = result }
            return (isFirst, result, state.headWaiter, state.bodyWaiter, state.alarm)
        }
        alarm?.cancel()
        if isFirst && cancels { task.cancel() }
        head?.resume(returning: result.flatMap { .failure(TransportError(.malformed, "an answer without a head")) })
        body?.resume(returning: result.map { nil })
    }

    /// The request that follows a redirect; `nil` if the redirect itself is delivered, or is an error.
    ///
    /// After an error the transfer has ended for its reader, and the session ends it by itself.
    func redirected(by head: HTTPResponseHead) -> URLRequest? {
        do throws(TransportError) {
            let (count, current) = state.withLock { ($0.redirects + 1, $0.redirected ?? request) }
            guard let next = try current.redirected(by: head) else { return nil }
            guard count <= request.limits.redirects else {
                throw TransportError(.tooManyRedirects, "more than \(request.limits.redirects)")
            }
            let urlRequest = try URLRequest(next)
            state.withLock { ($0.redirects, $0.redirected) = (count, next) }
            return urlRequest
        } catch {
            end(.failure(error))
            return nil
        }
    }

    func received(_ head: HTTPResponseHead) {
        let bytes = head.headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard bytes <= request.limits.headerBytes else {
            let error = TransportError(.headersTooLarge, "more than \(request.limits.headerBytes) bytes")
            return end(.failure(error), cancels: true)
        }
        // Another client may have followed a redirect before.
        let last = state.withLock { $0.redirected ?? request }
        do throws(TransportError) { try last.check(head) } catch { return end(.failure(error), cancels: true) }
        let waiter = state.withLock { state in
            defer { state.headWaiter = nil }
            return state.headWaiter
        }
        waiter?.resume(returning: .success(head))
    }

    func received(_ data: Data) {
        guard !data.isEmpty else { return }
        let waiter = state.withLock { state -> Waiter<Data?>? in
            guard state.end == nil else { return nil }
            if let waiter = state.bodyWaiter {
                state.bodyWaiter = nil
                return waiter
            }
            state.unread += data
            if state.unread.count >= Self.highWater && !state.isSuspended {
                state.isSuspended = true
                task.suspend()
            }
            return nil
        }
        waiter?.resume(returning: .success(data))
    }

    private func setAlarm() {
        guard let total = request.limits.total else { return }
        let alarm = Task { [weak self] in
            // The sleep is cancelled when the transfer ends in time.
            guard (try? await ContinuousClock().pause(for: total)) != nil else { return }
            self?.end(.failure(TransportError(.timedOut, "the whole transfer took too long")), cancels: true)
        }
        let isOver = state.withLock { state in
            if state.end == nil { state.alarm = alarm }
            return state.end != nil
        }
        if isOver { alarm.cancel() }
    }
}
