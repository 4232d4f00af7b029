import Aquifer
import AquiferConcurrency
import Foundation

/// An HTTP client that answers as the test says, and remembers what it was asked.
///
/// ```swift
/// let client = ScriptedHTTPClient { request in
///     request.url.path == "/feed" ? .answer(body: feed) : .failure(TransportError(.cannotConnect))
/// }
/// ```
///
/// Or held back, to see what happens while a request is under way:
///
/// ```swift
/// let client = ScriptedHTTPClient()                  // every request waits for the test
/// let loading = Task { try await loader.load() }
/// let exchange = await client.exchange(0)            // the first request, as soon as it is there
/// exchange.start(status: 200)
/// exchange.send(half)
/// loading.cancel()
/// await exchange.waitForCancellation()
/// ```
public final class ScriptedHTTPClient: HTTPClient {
    /// The answer to a request.
    public enum Reply: Sendable {
        /// A whole answer.
        case answer(status: Int = 200, headers: HTTPHeaders = [:], body: Data = Data())
        /// No answer.
        case failure(TransportError)
        /// An answer in these chunks, which then ends well, or with an error.
        case stream(status: Int = 200, headers: HTTPHeaders = [:], chunks: [Data], error: TransportError? = nil)
        /// Nothing until the test drives the exchange: see ``ScriptedHTTPClient/exchange(_:)``.
        case held
    }

    private let script: @Sendable (HTTPRequest) -> Reply
    private let state = Watched([ScriptedExchange]())

    /// A client that asks `script` about every request, on the sender's task.
    public init(_ script: @escaping @Sendable (HTTPRequest) -> Reply) {
        self.script = script
    }

    /// A client that holds every request until the test answers it.
    public convenience init() {
        self.init { _ in .held }
    }

    /// A client that gives these replies in this order, and fails with an error of the kind `.cannotConnect` after the last.
    ///
    /// That error has the detail "the script has ended".
    public convenience init(_ replies: [Reply]) {
        let left = Locked(replies[...])
        self.init { _ in
            left.withLock { $0.popFirst() } ?? .failure(TransportError(.cannotConnect, "the script has ended"))
        }
    }

    /// Every request that the script has decided about, in this order.
    ///
    /// What a test changes once it sees a request applies to later requests only.
    public var requests: [HTTPRequest] { exchanges.map(\.request) }

    /// The same requests, each with what became of it.
    public var exchanges: [ScriptedExchange] { state.update { $0 } }

    /// Returns once `count` requests have come in all, or the task is cancelled.
    public func waitForRequests(_ count: Int) async {
        _ = await state.first { $0.count >= count ? true : nil }
    }

    /// The request of this number, counted from 0, as soon as it has come.
    ///
    /// In a cancelled task a request that has not come is given as one that nobody made.
    public func exchange(_ index: Int) async -> ScriptedExchange {
        await state.first { index < $0.count ? $0[index] : nil }
            ?? ScriptedExchange(HTTPRequest(.get, URL(filePath: "/")))
    }

    /// True: a request that may not be sent is not seen by the script.
    public var asksBeforeSending: Bool { true }

    /// See `HTTPClient.send`.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if Task.isCancelled { throw .cancelled }
        try request.expectMaySend()
        let exchange = ScriptedExchange(request)
        // A test that sees a request may change what the script says next, so the script has spoken before.
        let reply = script(request)
        state.update { $0.append(exchange) }
        switch reply {
        case .answer, .stream: exchange.takeBody()
        case .failure, .held: break
        }
        switch reply {
        case .answer(let status, let headers, let body):
            exchange.respond(status: status, headers: headers, body: body)
        case .failure(let error):
            exchange.fail(error)
        case .stream(let status, let headers, let chunks, let error):
            exchange.start(status: status, headers: headers)
            for chunk in chunks { exchange.send(chunk) }
            if let error { exchange.fail(error) } else { exchange.finish() }
        case .held:
            break
        }
        return HTTPResponse(head: try await exchange.head(), source: exchange)
    }
}
