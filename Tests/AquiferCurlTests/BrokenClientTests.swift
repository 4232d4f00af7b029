import Aquifer
import AquiferCurl
import AquiferTesting
import Foundation
import Testing

/// A contract that nobody can break promises nothing.
@Suite(.timeLimit(.minutes(10)))
struct BrokenClientTests {
    @Test("A client that takes a cut body for a whole one breaks the contract")
    func hidesCuts() async throws {
        try await expectViolation(of: "A body that is cut is an interruption, never a whole body") {
            request throws(TransportError) in
            let response = try await CurlHTTPClient().send(request)
            return HTTPResponse(head: response.head, source: Lenient(response.body))
        }
    }

    @Test("A client that gives no status breaks the contract")
    func hidesStatus() async throws {
        try await expectViolation(of: "The status, the fields and the body arrive as they were sent") {
            request throws(TransportError) in
            let response = try await CurlHTTPClient().send(request)
            var head = response.head
            head.status = 200
            return HTTPResponse(head: head, source: Lenient(response.body))
        }
    }

    @Test("A client that knows no limits breaks the contract")
    func ignoresLimits() async throws {
        try await expectViolation(of: "More header bytes than allowed are refused, in one field or in many") {
            request throws(TransportError) in
            var request = request
            request.limits = .init(headerBytes: .max)
            return try await CurlHTTPClient().send(request)
        }
    }

    @Test("A client that follows the redirect of a request that changes something breaks the contract")
    func followsChanges() async throws {
        try await expectViolation(
            of: "A request that changes something follows no redirect: the answer is delivered as it is"
        ) { request throws(TransportError) in
            var request = request
            request.followsRedirects = true
            return try await CurlHTTPClient().send(request)
        }
    }

    @Test("A client that follows every redirect of a GET breaks the contract")
    func followsWhatIsNotToBeFollowed() async throws {
        try await expectViolation(of: "A request that is not to be redirected is not, whatever its method") {
            request throws(TransportError) in
            var request = request
            if request.method == .get { request.followsRedirects = true }
            return try await CurlHTTPClient().send(request)
        }
    }

    @Test("A client that takes a body to another origin breaks the contract")
    func carriesBodiesAway() async throws {
        try await expectViolation(of: "A body never goes to another origin") { request throws(TransportError) in
            let response = try await CurlHTTPClient().send(request)
            guard let target = response.head.headers["Location"].flatMap(URL.init) else { return response }
            var next = request
            next.url = target
            return try await CurlHTTPClient().send(next)
        }
    }

    @Test("A client that does not ask whether it may still send breaks the contract")
    func asksNobody() async throws {
        try await expectViolation(
            of: "What may not be sent any more is not sent, and is asked about when there is a connection"
        ) { request throws(TransportError) in
            var request = request
            request.maySend = nil
            return try await CurlHTTPClient().send(request)
        }
    }

    private func expectViolation(
        of promise: String,
        _ send: @escaping @Sendable (HTTPRequest) async throws(TransportError) -> HTTPResponse
    ) async throws {
        let check = try #require(HTTPClientContract.checks.first { $0.name == promise })
        let violation = await #expect(throws: ContractViolation.self) {
            try await check.run { Broken(broken: send) }
        }
        #expect(violation?.promise == promise)
    }
}

private struct Broken: HTTPClient {
    let broken: @Sendable (HTTPRequest) async throws(TransportError) -> HTTPResponse
    var asksBeforeSending: Bool { true }
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse { try await broken(request) }
}

private final class Lenient: HTTPBodySource {
    private let body: HTTPResponseBody
    init(_ body: HTTPResponseBody) { self.body = body }
    func next() async throws(TransportError) -> Data? {
        do { return try await body.next() } catch { return nil }
    }
    func cancel() {}
}
