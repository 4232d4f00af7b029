import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("The map of JSON answers")
struct JSONMapperTests {
    private struct Note: Codable, Equatable { let dueAt: Date }

    private let world = World()

    private func map<Value: Decodable>(
        _ mapper: JSONMapper<Value>, _ status: Int, _ body: String, type: String? = nil
    ) throws -> Value {
        var head = HTTPResponseHead(status: status, url: world.url)
        head.headers["Content-Type"] = type
        return try mapper.map(head, Data(body.utf8))
    }

    @Test("gives the value of a document, whatever media type its server gives it")
    func value() throws {
        for type in ["application/json", "application/problem+json", "text/plain", nil] {
            #expect(try map(JSONMapper<[String]>(), 200, #"["a"]"#, type: type) == ["a"])
        }
    }

    @Test("refuses every status that was not named", arguments: [199, 201, 204, 206, 304, 404, 500])
    func status(_ status: Int) {
        #expect(throws: InvalidData.status(status)) { try map(JSONMapper<[String]>(), status, "[]") }
    }

    @Test("takes all successes if it is told so")
    func successes() throws {
        #expect(try map(JSONMapper<[String]>(statuses: 200...299), 201, "[]") == [])
        #expect(throws: InvalidData.status(300)) { try map(JSONMapper<[String]>(statuses: 200...299), 300, "[]") }
    }

    @Test("refuses what is not the JSON of a value", arguments: ["", "<html>", "{}", "[1]", "[\"a\"", "null"])
    func body(_ body: String) {
        #expect(throws: DecodingError.self) { try map(JSONMapper<[String]>(), 200, body, type: "text/html") }
    }

    @Test("decodes with the app's strategies")
    func decoder() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        let note = try map(JSONMapper<Note>(decoder: decoder), 200, #"{"due_at":"1970-01-01T00:01:00Z"}"#)
        #expect(note == Note(dueAt: Date(timeIntervalSince1970: 60)))
    }

    @Test("is the map of loaders and savers, whose errors repeat nothing of the body")
    func loads() async throws {
        let world = World(
            .texts(["a"]), .answer(body: Data(#"["secret",7]"#.utf8)), .answer(status: 201, body: Data("3".utf8)))
        let loader = RemoteLoader<[String]>(HTTPRequest(.get, world.url), client: world.client, map: JSONMapper().map)
        #expect(try await loader.load() == ["a"])
        let error = await failure { () async throws(LoadError) in try await loader.load() }
        #expect(error == .invalidData(.body("[1] is not a string")))

        let saver = RemoteSaver<String, Int>(
            client: world.client,
            request: { [url = world.url] in HTTPRequest(.post, url, body: .bytes(Data($0.utf8))) },
            map: JSONMapper(statuses: 200...299).map)
        #expect(try await saver.save("a") == 3)
    }
}
