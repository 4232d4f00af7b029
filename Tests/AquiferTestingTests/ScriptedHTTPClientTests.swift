import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ScriptedHTTPClientTests {
    private func request(_ path: String = "/") throws -> HTTPRequest {
        HTTPRequest(.get, try #require(URL(string: "http://test.invalid\(path)")))
    }

    @Test("Each request is answered by the script and remembered")
    func script() async throws {
        let client = ScriptedHTTPClient { request in
            request.url.path == "/good"
                ? .answer(status: 201, headers: ["ETag": "x"], body: Data("ok".utf8))
                : .failure(TransportError(.cannotConnect))
        }
        let response = try await client.send(request("/good"))
        #expect(response.head.status == 201)
        #expect(response.head.headers["etag"] == "x")
        #expect(try await response.data(upTo: 2) == Data("ok".utf8))
        await #expect(throws: TransportError(.cannotConnect)) { try await client.send(request("/bad")) }
        #expect(client.requests.map(\.url.path) == ["/good", "/bad"])
    }

    @Test("Replies in a list are given in their order")
    func list() async throws {
        let client = ScriptedHTTPClient([
            .answer(status: 204),
            .stream(chunks: [Data("a".utf8), Data("b".utf8)], error: TransportError(.interrupted)),
        ])
        #expect(try await client.send(request()).head.status == 204)
        let body = try await client.send(request()).body
        #expect(try await body.next() == Data("a".utf8))
        #expect(try await body.next() == Data("b".utf8))
        await #expect(throws: TransportError(.interrupted)) { try await body.next() }
        await #expect(throws: TransportError.self) { try await client.send(request()) }
    }

    @Test("A held exchange goes step by step, as the test says")
    func held() async throws {
        let client = ScriptedHTTPClient()
        let request = try request()
        let loading = Task { try await client.send(request).data(upTo: 10) }
        let exchange = await client.exchange(0)
        exchange.start(status: 200)
        exchange.send(Data("one".utf8))
        await exchange.waitUntilRead()
        exchange.send(Data("two".utf8))
        exchange.finish()
        #expect(try await loading.value == Data("onetwo".utf8))
        #expect(!exchange.wasCancelled)
    }

    @Test("Cancelling is seen while waiting for the head, while reading, and when the body is dropped")
    func cancellation() async throws {
        let client = ScriptedHTTPClient()
        let request = try request()
        let waiting = Task { try await client.send(request) }
        let first = await client.exchange(0)
        waiting.cancel()
        await first.waitForCancellation()
        await #expect(throws: TransportError.cancelled) { try await waiting.value }

        let reading = Task { try await client.send(request).body.next() }
        let second = await client.exchange(1)
        second.start()
        reading.cancel()
        await second.waitForCancellation()
        await #expect(throws: TransportError.cancelled) { try await reading.value }

        let dropping = Task { _ = try await client.send(request) }
        let third = await client.exchange(2)
        third.start()
        try await dropping.value
        await third.waitForCancellation()
        #expect(third.wasCancelled)
    }
}
