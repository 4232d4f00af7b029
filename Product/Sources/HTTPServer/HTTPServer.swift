/// Answers a request. Called for many at once.
///
/// The handler begins on the network's thread and stays there until it first suspends: an answer that is at hand goes
/// out without a detour, and blocking work belongs behind an `await`. Its task is cancelled when the client leaves.
public typealias ServerHandler = @Sendable (ServerRequest) async -> ServerResponse

/// A small HTTP/1.1 server over GNU libmicrohttpd.
///
/// ```swift
/// let server = try HTTPServer { request in .text("Hello, \(request.path)\n") }
/// print("http://127.0.0.1:\(server.port)")
/// await server.stop()
/// ```
///
/// A waiting request holds no thread. When its client leaves, which includes a client that closes its sending side
/// while it waits, the request's task is cancelled within milliseconds. Bodies stream both ways under back-pressure.
/// Malformed requests, and those that can be read in two ways, are answered 400 and never reach the handler. Any number of
/// servers may run in one process.
public final class HTTPServer: Sendable {
    private let core: ServerCore

    /// Starts listening. The server answers until ``stop(grace:)`` is called or the server is released.
    ///
    /// `SIGPIPE` is ignored in the whole process from the first server on, unless the program handles it.
    ///
    /// - Parameter gate: decides about a request before its body is read. Without it, everyone is known.
    /// - Throws: `ServerError` when the address cannot be had, or the system is out of resources.
    public init(
        _ configuration: Configuration = Configuration(), gate: @escaping ServerGate = { _ in .known },
        handler: @escaping ServerHandler
    ) throws(ServerError) {
        core = try ServerCore(configuration) { _ in Answers(gate: gate, handler: handler) }
    }

    /// Starts listening, with answers that depend on the port. No request is read before the answers are there.
    ///
    /// - Parameter makeAnswers: makes the gate and the handler, once the port is known.
    /// - Throws: `ServerError` when the address cannot be had, or the system is out of resources.
    public static func listening(
        _ configuration: Configuration = Configuration(), _ makeAnswers: (_ port: UInt16) -> Answers
    ) throws(ServerError) -> HTTPServer {
        HTTPServer(try ServerCore(configuration, makeAnswers))
    }

    private init(_ core: ServerCore) {
        self.core = core
    }

    /// The gate and the handler of a server.
    public struct Answers: Sendable {
        let gate: ServerGate
        let handler: ServerHandler
        let refused: ServerRefusalWatch

        /// The answers of a server.
        ///
        /// - Parameters:
        ///   - gate: decides about a request before its body is read.
        ///   - refused: hears of what the server itself refuses.
        ///   - handler: answers a request.
        public init(
            gate: @escaping ServerGate, refused: @escaping ServerRefusalWatch = { $1 },
            handler: @escaping ServerHandler
        ) {
            self.gate = gate
            self.refused = refused
            self.handler = handler
        }
    }

    deinit {
        core.stopInBackground()
    }

    /// The port that is listened on.
    public var port: UInt16 { core.listener.port }

    /// Stops: no new connections at once, no new requests (503) either; those under way get `grace` to end, then they
    /// are cut and their tasks cancelled. Returns when the port is free. Calling it again waits for the first call.
    ///
    /// A handler that ignores its cancellation for a second is left behind; its answer goes nowhere.
    public func stop(grace: Duration = .seconds(5)) async {
        await core.stop(grace: grace)
    }
}
