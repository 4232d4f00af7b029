import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@Suite("Saving to the remote", .timeLimit(.minutes(10)))
struct RemoteSaverTests {
    private let url = URL(string: "http://feed.example/v1/audio")!

    private func saver(_ client: ScriptedHTTPClient, limit: Int = 1000) -> RemoteSaver<[String], Int> {
        let url = url
        return RemoteSaver(client: client, limit: limit) { texts in
            if texts.isEmpty { throw InvalidData.body("no texts") }
            return HTTPRequest(.post, url, body: .bytes(try JSONEncoder().encode(texts)))
        } map: { head, body in
            guard head.status == 201 else { throw InvalidData.status(head.status) }
            return try JSONDecoder().decode([String: Int].self, from: body)["id"] ?? 0
        }
    }

    @Test("encodes the value, posts it, and delivers success")
    func success() async throws {
        let client = ScriptedHTTPClient([.answer(status: 201, body: Data(#"{"id":7}"#.utf8))])
        #expect(try await saver(client).save(["a"]) == 7)
        #expect(client.requests == [HTTPRequest(.post, url, body: .bytes(Data(#"["a"]"#.utf8)))])
    }

    @Test(
        "delivers the no-connectivity error when no answer comes, and sends once",
        arguments: [
            TransportError.Kind.offline, .cannotConnect, .timedOut, .interrupted,
        ])
    func noConnectivity(kind: TransportError.Kind) async throws {
        let client = ScriptedHTTPClient([.failure(TransportError(kind))])
        await #expect(throws: LoadError.connectivity(TransportError(kind))) { try await saver(client).save(["a"]) }
        #expect(client.requests.count == 1)
    }

    @Test("delivers the no-connectivity error when the answer is cut")
    func cutAnswer() async throws {
        let cut = TransportError(.interrupted)
        let client = ScriptedHTTPClient([.stream(status: 201, chunks: [Data("{".utf8)], error: cut)])
        await #expect(throws: LoadError.connectivity(cut)) { try await saver(client).save(["a"]) }
    }

    @Test("delivers invalid data when the answer is not what the contract says")
    func invalidData() async throws {
        for status in [200, 400, 500] {
            let client = ScriptedHTTPClient([.answer(status: status)])
            await #expect(throws: LoadError.invalidData(.status(status))) { try await saver(client).save(["a"]) }
        }
        let garbage = ScriptedHTTPClient([.answer(status: 201, body: Data("?".utf8))])
        await #expect(throws: LoadError.invalidData(.body("the document cannot be read"))) {
            try await saver(garbage).save(["a"])
        }
        let large = ScriptedHTTPClient([.answer(status: 201, body: Data(count: 1001))])
        await #expect(throws: LoadError.invalidData(.unusable(.bodyTooLarge(limit: 1000)))) {
            try await saver(large).save(["a"])
        }
    }

    @Test("sends nothing when the value cannot be encoded")
    func unencodable() async throws {
        let client = ScriptedHTTPClient()
        await #expect(throws: LoadError.invalidData(.body("no texts"))) { try await saver(client).save([]) }
        #expect(client.requests == [])
    }

    @Test("ends the transfer when the caller leaves, and delivers nothing")
    func cancelled() async throws {
        let client = ScriptedHTTPClient()
        let saving = Task { try await saver(client).save(["a"]) }
        let exchange = await client.exchange(0)
        saving.cancel()
        await exchange.waitForCancellation()
        await #expect(throws: LoadError.cancelled) { try await saving.value }
    }

    @Test("tells how many bytes have gone out")
    func progress() async throws {
        let client = ScriptedHTTPClient()
        let told = Locked([UInt64]())
        let saving = Task { try await saver(client).save(["a"]) { sent in told.withLock { $0.append(sent) } } }
        let exchange = await client.exchange(0)
        exchange.takeBody(2)
        exchange.takeBody()
        exchange.respond(status: 201, body: Data("{}".utf8))
        _ = try await saving.value
        #expect(told.withLock { $0 } == [2, 5])
    }
}
