import Aquifer
import Foundation
import Testing

@testable import Aquifer

@Suite("What an outbox keeps of a request")
struct OutboxRecordTests {
    private let url = URL(string: "http://server.example/v1/notes")

    private func request(_ method: String, _ message: OutboxRecord.Message) throws -> HTTPRequest {
        let head = OutboxRecord.Head(
            label: "", key: "key-1", queuedAt: Date(), method: method, url: try #require(url), length: 0)
        return HTTPRequest(OutboxRecord(head: head, message: message), body: nil)
    }

    @Test("Whether a request follows redirects is kept with it", arguments: [true, false])
    func kept(_ follows: Bool) throws {
        let original = HTTPRequest(.post, try #require(url), followsRedirects: follows)
        let bytes = try JSONEncoder().encode(OutboxRecord.Message(original, parts: nil))
        let read = try JSONDecoder().decode(OutboxRecord.Message.self, from: bytes)
        #expect(try request("POST", read) == original)
    }
}
