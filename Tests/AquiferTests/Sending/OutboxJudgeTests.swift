import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("What an answer means to an outbox", .timeLimit(.minutes(10)))
struct OutboxJudgeTests {
    private let world = OutboxWorld()

    @Test(
        "a redirect is neither sent nor refused: the item stays, and is sent once the server itself answers",
        arguments: [301, 302, 303, 307, 308, 304, 407, 511])
    func redirect(status: Int) async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .status(status, ["Location": "http://portal.example/login"]) }
        #expect(try await outbox.drain() == Outbox.Report(failed: 1, nextTry: .seconds(10)))
        #expect(
            try await outbox.standing() == [.retrying(after: .foreign(status: status), at: world.date.now + 10)])
        world.server.heal()
        world.pass(10)
        #expect(try await outbox.drain().sent == 1)
        #expect(world.server.client.requests.map { $0.headers["Idempotency-Key"] } == [item.key, item.key])
    }

    @Test(
        "a page of HTML is a sign-in page of the network, whatever its status says",
        arguments: [200, 201],
        ["text/html", "text/html; charset=utf-8", "application/xhtml+xml", "text/html, text/html"])
    func page(status: Int, type: String) async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .status(status, ["Content-Type": type], "<html>Welcome to the hotel") }
        #expect(try await outbox.drain().failed == 1)
        #expect(
            try await outbox.standing() == [.retrying(after: .foreign(status: status), at: world.date.now + 10)])
    }

    @Test("what a portal answered for two items holds back the host, and its own answer lets all of them go")
    func portalHoldsTheHost() async throws {
        let outbox = world.outbox(width: 1)
        for number in 0..<10 { try await outbox.enqueue(world.note("\(number)")) }
        world.server.rule { _, _ in .status(302) }
        #expect(try await outbox.drain() == Outbox.Report(failed: 2, nextTry: .seconds(10)))
        #expect(world.server.asked.count == 2)
        world.server.heal()
        world.pass(10)
        #expect(try await outbox.drain().sent == 10)
    }

    @Test("a portal that goes on answering is asked once a wait for as many items as go at once, and no more")
    func portalStays() async throws {
        let outbox = world.outbox(width: 1)
        for number in 0..<10 { try await outbox.enqueue(world.note("\(number)")) }
        world.server.rule { _, _ in .status(302) }
        try await outbox.drain()
        for count in 3...6 {
            world.pass(100)
            try await outbox.drain()
            #expect(world.server.asked.count == count)
        }
    }

    @Test("an item that something in the way always answers for blocks no other, now or later", arguments: [1, 4])
    func oddItem(width: Int) async throws {
        let outbox = world.outbox(width: width)
        for text in ["odd", "one", "two"] { try await outbox.enqueue(world.note(text)) }
        world.server.rule { text, _ in text.hasPrefix("odd") ? .status(403, ["Content-Type": "text/html"]) : nil }
        #expect(try await outbox.drain().sent == 2)
        for text in ["three", "four"] {
            try await outbox.enqueue(world.note(text))
            #expect(try await outbox.drain().sent == 1)
        }
        let state = try #require(try await outbox.standing().first)
        guard case .retrying(after: .foreign(status: 403), _) = state else {
            Issue.record("\(state)")
            return
        }
    }

    @Test("several such items do not block the others: what was not answered for yet is asked first")
    func oddItems() async throws {
        let outbox = world.outbox(width: 1)
        for text in ["odd 1", "odd 2", "good 1", "odd 3", "good 2"] { try await outbox.enqueue(world.note(text)) }
        world.server.rule { text, _ in text.hasPrefix("odd") ? .status(302) : nil }
        #expect(try await outbox.drain().failed == 2)
        world.pass(10)
        #expect(try await outbox.drain().sent == 2)
        for number in 3...20 {
            try await outbox.enqueue(world.note("good \(number)"))
            #expect(try await outbox.drain().sent == 1)
            world.pass(100)
        }
        #expect(try await outbox.items().count == 3)
    }

    @Test("an item of a group that something in the way answers for holds back its group, and keeps the order")
    func oddGroup() async throws {
        let outbox = world.outbox(width: 1)
        for text in ["odd", "behind"] { try await outbox.enqueue(world.note(text), group: "g") }
        try await outbox.enqueue(world.note("other"), group: "h")
        world.server.rule { text, _ in text == "odd" ? .status(302) : nil }
        #expect(try await outbox.drain().sent == 1)
        #expect(world.server.taken == ["other"])
        world.server.heal()
        world.pass(100)
        #expect(try await outbox.drain().sent == 2)
        #expect(world.server.taken == ["other", "odd", "behind"])
    }

    @Test(
        "that the request is too large or not of the right kind is a refusal, whoever says it and however",
        arguments: [413, 414, 415, 431], ["text/html", "application/json"])
    func refusedByKind(status: Int, type: String) async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .status(status, ["Content-Type": type], "too much") }
        #expect(try await outbox.drain() == Outbox.Report(refused: 1))
        #expect(try await outbox.standing() == [.refused(.server(status: status, words: "too much"))])
    }

    @Test("the words of a refusal that comes as a page are its text")
    func wordsOfPage() async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        let page = "<html>\r\n<body class=x>\r\n<h1>413 Too  Large</h1><hr>nginx</body>\r\n</html>\r\n<cut"
        world.server.rule { _, _ in .status(413, ["Content-Type": "text/html"], page) }
        try await outbox.drain()
        #expect(try await outbox.standing() == [.refused(.server(status: 413, words: "413 Too Large nginx"))])
    }

    @Test(
        "a conflict about its own key, with which the server is still busy, is tried again",
        arguments: [
            #"{"error":{"code":"idempotency_key_in_use"}}"#, #"{"type":"https://e.example/idempotency-key-in-use"}"#,
        ])
    func keyInUse(words: String) async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        world.server.rule { [world] _, request in
            world.server.take(request)
            return .silence
        }
        try await outbox.drain()
        world.server.rule { _, _ in .status(409, ["Content-Type": "application/json"], words) }
        world.pass(10)
        #expect(try await outbox.drain() == Outbox.Report(failed: 1, nextTry: .seconds(20)))
        #expect(try await outbox.standing() == [.retrying(after: .status(409), at: world.date.now + 20)])
        world.server.heal()
        world.pass(20)
        #expect(try await outbox.drain().sent == 1)
        #expect(Set(world.server.client.requests.map { $0.headers["Idempotency-Key"] }) == [item.key])
    }

    @Test(
        "any other conflict is refused", arguments: ["", "the note was changed", #"{"code":"idempotency_key_reused"}"#])
    func conflict(words: String) async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .status(409, [:], words) }
        #expect(try await outbox.drain() == Outbox.Report(refused: 1))
    }

    @Test(
        "a deletion that may have arrived, and now finds nothing, was done: its group goes on", arguments: [404, 410])
    func goneAfterASilence(status: Int) async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(HTTPRequest(.delete, world.url), group: "g")
        try await outbox.enqueue(world.note("behind"), group: "g")
        world.server.rule { _, _ in .silence }
        try await outbox.drain()
        #expect(try await outbox.items().map(\.mayHaveArrived) == [true, false])
        world.server.rule { _, request in request.method == .delete ? .status(status) : nil }
        world.pass(10)
        #expect(try await outbox.drain() == Outbox.Report(sent: 2))
    }

    @Test(
        "a deletion of what was never there is refused, also after an attempt that was not sent", arguments: [404, 410])
    func neverThere(status: Int) async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(HTTPRequest(.delete, world.url))
        world.server.rule { _, _ in .failure(TransportError(.offline)) }
        try await outbox.drain()
        world.server.rule { _, _ in .status(status) }
        world.pass(10)
        #expect(try await outbox.drain() == Outbox.Report(refused: 1))
    }

    @Test("a repeated request of another method that finds nothing is refused, and a page says nothing of a deletion")
    func notFound() async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        try await outbox.enqueue(HTTPRequest(.delete, world.elsewhere("").url))
        world.server.rule { _, _ in .silence }
        try await outbox.drain()
        world.server.rule { text, _ in .status(404, text == "one" ? [:] : ["Content-Type": "text/html"]) }
        world.pass(10)
        #expect(try await outbox.drain() == Outbox.Report(refused: 1, failed: 1, nextTry: .seconds(20)))
    }

    @Test("a page of HTML is no refusal of the server's", arguments: [400, 401, 403, 404, 409, 422])
    func pageOfRefusal(status: Int) {
        for type in ["text/html; charset=utf-8", "application/xhtml+xml"] {
            #expect(verdict(status, type) == .foreign)
        }
        #expect(verdict(status, "application/json") == .refused)
    }

    @Test("a page of HTML that says to come again is that, whoever says it", arguments: [408, 425, 429, 500, 502, 503])
    func pageOfAgain(status: Int) {
        #expect(verdict(status, "text/html") == .again)
    }

    private func verdict(_ status: Int, _ type: String) -> Outbox.Verdict {
        Outbox.Verdict(HTTPResponseHead(status: status, headers: ["Content-Type": type], url: world.url))
    }

    @Test("a restored connection brings forward what a portal had answered")
    func connectionRestored() async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .status(302) }
        try await outbox.drain()
        world.server.heal()
        await outbox.connectionRestored()
        #expect(try await outbox.drain().sent == 1)
    }

    @Test("an app may judge by the body: a portal's page is no success")
    func judge() async throws {
        let outbox = world.outbox(judge: { item, head, body in
            guard head.status == 201 else { return head.status == 200 ? .again : .init(status: head.status) }
            return body == Data("took \(item.label)".utf8) ? .sent : .again
        })
        try await outbox.enqueue(world.note("one"), label: "one")
        world.server.rule { _, _ in .status(200, [:], "<html>Welcome to the hotel") }
        #expect(try await outbox.drain().failed == 1)
        world.server.heal()
        world.pass(10)
        #expect(try await outbox.drain().sent == 1)
    }

    @Test("a page's Retry-After holds up nobody who wants it sent")
    func pageAsksForADay() async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .status(503, ["Retry-After": "86400", "Content-Type": "text/html"]) }
        #expect(try await outbox.drain().failed == 1)
        world.server.heal()
        await outbox.retryAll()
        #expect(try await outbox.drain().sent == 1)
    }
}
