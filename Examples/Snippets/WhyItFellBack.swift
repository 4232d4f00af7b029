import Aquifer
import AquiferTesting
import Foundation
import Testing

func reason(for loaded: Loaded<[Contact]>) -> String? {
    guard case .cache(_, because: let error?) = loaded.source else { return nil }
    return switch error {
    case .connectivity(let transport): "no answer: \(transport.kind)"
    case .invalidData(.status(let status)): "the server answered \(status)"
    case .invalidData(let reason): "the answer is not valid: \(reason)"
    case .store, .cancelled: nil  // no copy is delivered after these
    }
}

func prices(from remote: RemoteLoader<[Contact]>, in cache: Cache<[Contact]>) -> Resource<[Contact]> {
    Resource(
        remote: remote, cache: cache,
        fallback: FallbackPolicy { error in error.reason == .connectivity })
}

func article(_ head: HTTPResponseHead, _ body: Data) throws -> Contact {
    if head.status == 410, head.headers["Content-Type"] == "application/problem+json" {
        throw InvalidData.gone(status: head.status)
    }
    return try JSONMapper<Contact>().map(head, body)
}

@Suite("The snippets of Why it fell back")
struct WhyItFellBackTests {
    @Test("A reason for each error that a copy stands in for; none for the latest")
    func reasons() async throws {
        let server = try #require(URL(string: "https://example.org"))
        let client = ScriptedHTTPClient([
            .answer(body: Data("[]".utf8)), .failure(TransportError(.timedOut)), .answer(status: 503),
            .answer(body: Data("{}".utf8)), .answer(status: 404),
        ])
        let resource = contacts(from: server, client: client, store: MemoryStore())
        #expect(reason(for: try await resource.load()) == nil)
        #expect(reason(for: try await resource.load()) == "no answer: timedOut")
        #expect(reason(for: try await resource.load()) == "the server answered 503")
        #expect(
            reason(for: try await resource.load()) == "the answer is not valid: the document is not an array")
        await #expect(throws: LoadError.invalidData(.status(404))) { try await resource.load() }
    }

    @Test("Old prices stand in without a connection, and not after a failed server")
    func ownRule() async throws {
        let server = try #require(URL(string: "https://example.org"))
        let client = ScriptedHTTPClient([.answer(status: 503), .failure(TransportError(.offline))])
        let cache = Cache<[Contact]>(key: "prices", in: MemoryStore())
        try await cache.save([])
        let remote = RemoteLoader(HTTPRequest(.get, server), client: client, map: JSONMapper<[Contact]>().map)
        let resource = prices(from: remote, in: cache)
        await #expect(throws: LoadError.invalidData(.status(503))) { try await resource.load() }
        #expect(try await resource.load().value == [])
    }

    @Test("A server that says so deletes the copy, and a portal with the same status does not")
    func gone() async throws {
        let server = try #require(URL(string: "https://example.org"))
        let client = ScriptedHTTPClient([
            .answer(status: 410), .answer(status: 410, headers: ["Content-Type": "application/problem+json"]),
        ])
        let cache = Cache<Contact>(key: "contact", in: MemoryStore())
        try await cache.save(Contact(id: 1, name: "Marcia"))
        let resource = Resource(
            remote: RemoteLoader(HTTPRequest(.get, server), client: client, map: article), cache: cache)
        await #expect(throws: LoadError.invalidData(.status(410))) { try await resource.load() }
        #expect(try await cache.load() != nil)
        await #expect(throws: LoadError.invalidData(.gone(status: 410))) { try await resource.load() }
        #expect(try await cache.load() == nil)
    }
}
