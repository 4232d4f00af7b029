import AquiferConcurrency
import CMicrohttpd
import Foundation

/// One request and its answer, between the daemon's thread and the handler's task.
///
/// The daemon's thread comes with parts of the request, asks for the answer, and asks for parts of a streamed answer.
/// With nothing to do, it suspends the connection; the thread that has something for it resumes it. "Is there
/// something?" and "suspend" are decided under one lock, the connection's.
final class Exchange: @unchecked Sendable {
    /// The next step of the daemon's thread.
    enum Step {
        case goOn
        /// The connection is suspended.
        case wait
        /// Close the connection without (more of) an answer.
        case close
        case answer(ServerResponse)
    }

    struct State {
        var request: ServerRequest?
        var task: Task<Void, Never>?
        var answer: ServerResponse?
        var isSuspended = false
        var isGone = false
        var isTaskRunning = false
        var isCompleted = false
        var upload = Upload()
        var stream = Stream()
        /// Readers of the body and writers of the stream; all look again whenever something has changed.
        var waiters: [CheckedContinuation<Void, Never>] = []

        /// True if the handler has given all of its answer.
        var isWholeAnswerThere: Bool { answer != nil && (!stream.isBegun || stream.isWhole) }
    }

    let isHead: Bool
    let hasUpload: Bool
    private let isChunked: Bool
    let maxBodyBytes: Int
    let connection: Connection
    let core: ServerCore
    private let mhd: OpaquePointer
    /// Held while a piece of a streamed answer is encoded.
    let encoding = Lock()
    private var state = State()

    /// - Parameter isKnown: true if the gate knows the sender.
    init(
        mhd: OpaquePointer, connection: Connection, core: ServerCore, isKnown: Bool, isHead: Bool, hasUpload: Bool,
        isChunked: Bool, maxBodyBytes: Int
    ) {
        self.mhd = mhd
        self.connection = connection
        self.core = core
        self.isHead = isHead
        self.hasUpload = hasUpload
        self.isChunked = isChunked
        self.maxBodyBytes = maxBodyBytes
        state.upload.isWanted = isKnown
    }

    /// Runs `body` under the lock. Continuations and tasks are woken outside of it.
    func locked<Result>(_ body: (inout State) -> Result) -> Result {
        connection.lock.lock()
        defer { connection.lock.unlock() }
        return body(&state)
    }

    /// True if libmicrohttpd reads a chunked body. The caller holds the lock.
    var awaitsChunk: Bool { isChunked && !state.upload.isWhole && !state.isSuspended && !state.isCompleted }

    /// The state of the body. The caller holds the lock.
    var peekedUpload: Upload { state.upload }

    // MARK: The daemon's thread

    /// Sets the request to be handled.
    func prepare(_ request: ServerRequest) {
        locked { $0.request = request }
    }

    /// Sets an answer without asking the handler. The body is thrown away.
    func refuse(with response: ServerResponse) {
        locked { $0.answer = response }
    }

    /// Runs the handler, once; up to its first suspension before this returns.
    ///
    /// A server that stood still finds requests that their clients have given up. Those that may change something are not handled: their
    /// users may have done the same elsewhere since.
    func startIfNeeded() {
        let request = locked { state -> ServerRequest? in
            guard let request = state.request, !state.isGone else { return nil }
            state.request = nil
            if hasUpload, connection.hasEnded {
                state.isGone = true
                return nil
            }
            state.isTaskRunning = true
            return request
        }
        guard let request else { return }
        let task = Self.run { await self.handle(request) }
        let isGone = locked { state in
            state.task = task
            return state.isGone
        }
        if isGone { task.cancel() }
    }

    /// The answer, if it is there; else the connection is suspended until it is.
    func answerOrSuspend() -> Step {
        let (step, task) = locked { state -> (Step, Task<Void, Never>?) in
            if state.isGone { return (.close, nil) }
            if let error = state.upload.error, state.answer != nil { return (.answer(error.response), nil) }
            if let answer = state.answer { return (answer.isDropped ? .close : .answer(answer), nil) }
            guard suspend(&state) else { return (.close, state.task) }
            return (.wait, nil)
        }
        task?.cancel()
        return step
    }

    /// Suspends the connection, and returns true; false if the client has left. Nobody would resume the connection of a
    /// client that has left, and stopping the daemon with a suspended connection aborts the process. The caller holds
    /// the lock.
    func suspend(_ state: inout State) -> Bool {
        guard !connection.isHungUp else {
            state.isGone = true
            return false
        }
        state.isSuspended = true
        MHD_suspend_connection(mhd)
        return true
    }

    /// The daemon has ended the request, with or without a complete answer.
    ///
    /// It is as planned for libmicrohttpd as well if a 500 was sent in place of the answer, or a 400 amid the body. A handler that has
    /// not given all of its answer by then is told that nobody reads it.
    func completed(asPlanned: Bool) {
        let (waiters, task, hasEnded, remains) = locked { state in
            state.isCompleted = true
            let isOver = asPlanned && state.isWholeAnswerThere
            if !isOver { state.isGone = true }
            // Nobody takes them any more. Request and answer may hold the body, which holds this exchange.
            state.stream.dropChunks()
            let remains = (state.request.take(), state.answer.take())
            return (state.takeWaiters(), isOver ? nil : state.task, !state.isTaskRunning, remains)
        }
        // Released outside of the lock: an answer may hold what ends a transfer with it.
        withExtendedLifetime(remains) {}
        waiters.forEach { $0.resume() }
        task?.cancel()
        if hasEnded { core.exchangeEnded() }
    }

    // MARK: Any thread

    /// Resumes the connection if it is suspended. The caller holds the lock.
    func resume(_ state: inout State) {
        guard state.isSuspended else { return }
        state.isSuspended = false
        state.upload.pace.letGo(at: .now)
        MHD_resume_connection(mhd)
    }

    /// Ends the exchange after the client has left: cancels the task and resumes the connection.
    func hangUp() {
        let (waiters, task) = locked { state in
            state.isGone = true
            resume(&state)
            return (state.takeWaiters(), state.task)
        }
        waiters.forEach { $0.resume() }
        task?.cancel()
    }

    /// Suspends the calling task until something changes, while `hasNothing`, and not once it is cancelled.
    func waitForChange(while hasNothing: @escaping @Sendable (borrowing State) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = locked { state in
                    guard !Task.isCancelled, !state.isGone, hasNothing(state) else { return true }
                    state.waiters.append(continuation)
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            locked { $0.takeWaiters() }.forEach { $0.resume() }
        }
    }

    // MARK: The handler's task

    private func handle(_ request: ServerRequest) async {
        let response = await core.handler(request)
        let waiters = locked { state in
            state.answer = response
            if case .stream(let length, _) = response.body, hasBody(response) {
                state.stream.begin(length: length, length == nil ? response.encoder : nil)
            } else {
                // Nobody reads it any more.
                state.upload.waiting = Data()
            }
            resume(&state)
            return state.takeWaiters()
        }
        waiters.forEach { $0.resume() }
        if case .stream(_, let produce) = response.body, hasBody(response) { await stream(produce) }
        let (hasEnded, remains) = locked { state -> (Bool, ServerResponse?) in
            state.isTaskRunning = false
            // As above: this answer came after the exchange was completed.
            return state.isCompleted ? (true, state.answer.take()) : (false, nil)
        }
        withExtendedLifetime(remains) {}
        if hasEnded { core.exchangeEnded() }
    }

    /// True if a body is sent with this answer.
    func hasBody(_ response: ServerResponse) -> Bool {
        !isHead && !response.isDropped && response.status != 204 && response.status != 304
    }

    private static func run(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            Task.immediate(operation: operation)
        } else {
            Task(operation: operation)
        }
    }
}

extension Exchange.State {
    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
        guard !waiters.isEmpty else { return [] }
        defer { waiters = [] }
        return waiters
    }
}
