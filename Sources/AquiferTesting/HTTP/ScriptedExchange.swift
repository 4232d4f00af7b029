import Aquifer
import Foundation

/// One request to a ``ScriptedHTTPClient``, and the answer that the test gives.
public final class ScriptedExchange: HTTPBodySource {
    private struct State {
        var head: HTTPResponseHead?
        var chunks: [Data] = []
        var end: Result<Void, TransportError>?
        var isCancelled = false
    }

    /// The request.
    public let request: HTTPRequest
    private let state = Watched(State())

    init(_ request: HTTPRequest) {
        self.request = request
    }

    // MARK: Answering

    /// Takes so many bytes of the request's body, all of it unless told otherwise, and has the sender told so.
    ///
    /// A client that answers by itself has taken everything before it does.
    public func takeBody(_ bytes: UInt64? = nil) {
        guard let length = request.body?.length, length > 0 else { return }
        request.onSent?(min(bytes ?? length, length))
    }

    /// Answers with everything at once.
    public func respond(status: Int = 200, headers: HTTPHeaders = [:], body: Data = Data()) {
        start(status: status, headers: headers)
        send(body)
        finish()
    }

    /// Sends the head; from the request's URL unless told otherwise.
    public func start(status: Int = 200, headers: HTTPHeaders = [:], from url: URL? = nil) {
        state.update { $0.head = HTTPResponseHead(status: status, headers: headers, url: url ?? request.url) }
    }

    /// Sends a piece of the body. The reader gets it as one chunk; an empty one is no chunk.
    public func send(_ chunk: Data) {
        state.update { if !chunk.isEmpty { $0.chunks.append(chunk) } }
    }

    /// Ends the body well.
    public func finish() {
        state.update { $0.end = $0.end ?? .success(()) }
    }

    /// Ends the request, or the body, with an error; the chunks sent before are still read.
    public func fail(_ error: TransportError) {
        state.update { $0.end = $0.end ?? .failure(error) }
    }

    // MARK: Watching

    /// True if the other side has gone before it had everything: its task was cancelled, or the body dropped.
    public var wasCancelled: Bool { state.update { $0.isCancelled } }

    /// Returns once the other side has gone, or the task is cancelled.
    public func waitForCancellation() async {
        _ = await state.first { $0.isCancelled ? true : nil }
    }

    /// Returns once every chunk sent so far has been read, or the task is cancelled.
    public func waitUntilRead() async {
        _ = await state.first { $0.chunks.isEmpty ? true : nil }
    }

    // MARK: The client's side

    func head() async throws(TransportError) -> HTTPResponseHead {
        let result: Result<HTTPResponseHead, TransportError>? = await withTaskCancellationHandler {
            await state.first { state in
                if state.isCancelled { return .failure(.cancelled) }
                if let head = state.head { return .success(head) }
                guard let end = state.end else { return nil }
                return end.flatMap { .failure(TransportError(.interrupted, "the script ended before its head")) }
            }
        } onCancel: {
            cancel()
        }
        guard let result else { throw .cancelled }
        return try result.get()
    }

    /// The next chunk that the test has sent.
    public func next() async throws(TransportError) -> Data? {
        if Task.isCancelled { cancel() }
        let result: Result<Data?, TransportError>? = await withTaskCancellationHandler {
            await state.first { state in
                if state.isCancelled { return .failure(.cancelled) }
                if !state.chunks.isEmpty { return .success(state.chunks.removeFirst()) }
                guard let end = state.end else { return nil }
                return end.map { nil }
            }
        } onCancel: {
            cancel()
        }
        guard let result else { throw .cancelled }
        return try result.get()
    }

    /// The other side goes. Says nothing if it has had everything.
    public func cancel() {
        state.update { state in
            let hadEverything = state.end != nil && state.chunks.isEmpty
            if !hadEverything { state.isCancelled = true }
        }
    }
}
