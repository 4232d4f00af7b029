import Aquifer
import Foundation

/// The promises of every HTTP client, as checks to run over yours.
///
/// Each check starts a server of its own on 127.0.0.1 and asks for a client of its own. In Swift Testing:
///
/// ```swift
/// @Test(arguments: HTTPClientContract.checks)
/// func myClientKeepsTheContract(_ check: HTTPClientContract.Check) async throws {
///     try await check.run { MyClient() }
/// }
/// ```
///
/// In XCTest, loop over the checks.
public enum HTTPClientContract {
    /// The subject of a promise; to leave out what a client cannot do.
    public enum Topic: String, Sendable, CaseIterable {
        /// Heads, bodies, connections.
        case answers
        /// Bodies of requests.
        case uploads
        /// Redirects followed and refused.
        case redirects
        /// Failures, and the errors that tell them.
        case failures
        /// The limits of a request.
        case limits
        /// A slow reader slows the sender.
        case backPressure
        /// The other side sees that nobody waits any more.
        case cancellation
    }

    /// One promise, and how to see whether a client keeps it.
    public struct Check: Sendable, CustomStringConvertible {
        /// Its subject.
        public let topic: Topic
        /// The promise, as a sentence.
        public let name: String
        private let body: @Sendable (Trial) async throws -> Void

        init(_ topic: Topic, _ name: String, _ body: @escaping @Sendable (Trial) async throws -> Void) {
            self.topic = topic
            self.name = name
            self.body = body
        }

        /// The promise.
        public var description: String { name }

        /// Tries a fresh client.
        ///
        /// - Throws: ``ContractViolation`` when the promise is not kept; `POSIXError` when there is no socket.
        public func run(_ makeClient: @Sendable () -> any HTTPClient) async throws {
            let trial = Trial(client: makeClient(), promise: name)
            do {
                try await body(trial)
            } catch let error as TransportError {
                throw ContractViolation(name, "it failed: \(error)")
            }
        }
    }

    /// Every check.
    public static let checks: [Check] =
        answers + uploads + redirects + unfollowedRedirects + failures + limits + deadlines + backPressure
        + cancellation

    /// The checks about these topics.
    public static func checks(about topics: Set<Topic>) -> [Check] {
        checks.filter { topics.contains($0.topic) }
    }
}

/// A client on trial.
struct Trial: Sendable {
    let client: any HTTPClient
    let promise: String

    func expect(_ isKept: Bool, _ detail: @autoclosure () -> String) throws(ContractViolation) {
        if !isKept { throw ContractViolation(promise, detail()) }
    }

    func expect<Value: Equatable>(_ value: Value, is expected: Value, _ what: String) throws(ContractViolation) {
        try expect(value == expected, "\(what) was \(value) and not \(expected)")
    }

    /// The whole body of the answer to a request.
    func data(_ request: HTTPRequest) async throws -> Data {
        try await client.send(request).data(upTo: 64 << 20)
    }

    /// Expects a request, or the reading of its body, to fail in this way.
    func expectFailure(_ kind: TransportError.Kind, _ request: HTTPRequest) async throws {
        do {
            let data = try await data(request)
            throw ContractViolation(promise, "there was an answer of \(data.count) bytes")
        } catch let error as TransportError {
            try expect(error.kind == kind, "it failed as \(error) and not as \(kind)")
        }
    }

    /// Expects that something came to pass on the server before its patience ended.
    func expect(_ happened: Watched<Bool?>, _ detail: String) async throws {
        let value = await happened.first { $0 }
        try expect(value == true, detail)
    }
}

extension LoopbackServer {
    /// A server that answers every request of a connection by the path it asks for.
    package static func answering(
        _ answer: @escaping @Sendable (LoopbackConnection, LoopbackConnection.Request) throws -> Void
    ) throws -> LoopbackServer {
        try LoopbackServer { connection in
            while let request = try connection.readRequest() { try answer(connection, request) }
        }
    }
}
