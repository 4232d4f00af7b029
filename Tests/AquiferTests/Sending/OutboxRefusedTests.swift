import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("What the server refuses", .timeLimit(.minutes(10)))
struct OutboxRefusedTests {
    private let world = OutboxWorld()

    @Test(
        "another 4xx is set aside with the server's words, and holds back its group",
        arguments: [400, 403, 404, 409, 422])
    func refused(status: Int) async throws {
        let outbox = world.outbox()
        for text in ["bad", "next"] { try await outbox.enqueue(world.note(text), group: "g") }
        try await outbox.enqueue(world.note("other"))
        world.server.rule { text, _ in text == "bad" ? .status(status, [:], "no title") : nil }
        #expect(try await outbox.drain() == Outbox.Report(sent: 1, refused: 1))
        let refusal = Outbox.Refusal.server(status: status, words: "no title")
        #expect(try await world.outbox().standing() == [.refused(refusal), .waiting])
        #expect("\(refusal)" == "status \(status): no title")
        world.pass(86_400)
        #expect(try await outbox.drain() == Outbox.Report())
        #expect(world.server.taken == ["other"])
    }

    @Test("the group of what was refused goes on if it is told to")
    func skipsRefused() async throws {
        let outbox = world.outbox(skipsRefused: true)
        for text in ["bad", "next"] { try await outbox.enqueue(world.note(text), group: "g") }
        world.server.rule { text, _ in text == "bad" ? .status(400) : nil }
        #expect(try await outbox.drain() == Outbox.Report(sent: 1, refused: 1))
    }

    @Test("of the server's words 4 KiB are kept")
    func wordsAreBounded() async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("bad"))
        world.server.rule { _, _ in
            .stream(status: 400, chunks: Array(repeating: Data(repeating: 0x61, count: 500_000), count: 5))
        }
        try await outbox.drain()
        #expect(
            try await outbox.standing() == [.refused(.server(status: 400, words: String(repeating: "a", count: 4096)))])
    }

    @Test("what was refused is tried again with the same key when told to, in its place")
    func retryRefused() async throws {
        let outbox = world.outbox()
        for text in ["bad", "next"] { try await outbox.enqueue(world.note(text), group: "g") }
        world.server.rule { _, _ in .status(403) }
        try await outbox.drain()
        world.server.heal()
        let item = try #require(try await outbox.items().first)
        try await outbox.retry(item.id)
        #expect(try await outbox.items().first?.attempts == 0)
        #expect(try await outbox.drain().sent == 2)
        #expect(world.server.client.requests.map { $0.headers["Idempotency-Key"] } == ["key-1", "key-1", "key-2"])
        #expect(world.server.taken == ["bad", "next"])
    }

    @Test("what was refused is sent edited, in its place, with a key of its own")
    func editRefused() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("bad"), group: "g")
        try await outbox.enqueue(world.note("next"), group: "g")
        world.server.rule { text, _ in text == "bad" ? .status(422) : nil }
        try await outbox.drain()
        var request = try await outbox.request(of: item.id)
        #expect(request == world.note("bad"))
        request.body = .bytes(Data("better".utf8))
        try await outbox.edit(item.id, to: request)
        #expect(try await outbox.drain().sent == 2)
        #expect(world.server.taken == ["better", "next"])
        #expect(world.server.client.requests.map { $0.headers["Idempotency-Key"] } == ["key-1", "key-3", "key-2"])
    }

    @Test("only what was refused can be edited")
    func editOthers() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        await #expect(throws: OutboxError.notNow(item.id, reason: "was not refused")) {
            try await outbox.edit(item.id, to: world.note("two"))
        }
        let nobody = Outbox.ID(number: 77)
        let missing = OutboxError.noSuchItem(nobody, .never)
        await #expect(throws: missing) { try await outbox.edit(nobody, to: world.note("two")) }
        await #expect(throws: missing) { try await outbox.retry(nobody) }
        await #expect(throws: missing) { _ = try await outbox.request(of: nobody) }
    }

    @Test("what was refused is discarded when told to, and its group goes on")
    func discardRefused() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("bad"), group: "g")
        try await outbox.enqueue(world.note("next"), group: "g")
        world.server.rule { text, _ in text == "bad" ? .status(400) : nil }
        try await outbox.drain()
        try await outbox.discard(item.id)
        try await outbox.drain()
        #expect(world.server.taken == ["next"])
        #expect(try await outbox.items() == [])
        try await outbox.discard(item.id)
    }
}
