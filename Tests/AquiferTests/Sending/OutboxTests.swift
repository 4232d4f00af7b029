import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@Suite("An outbox", .timeLimit(.minutes(10)))
struct OutboxTests {
    private let world = OutboxWorld()

    // MARK: Kept

    @Test("whenSent may queue and send", arguments: [1, 4], [nil, "group"])
    func sendingInWhenSent(width: Int, group: String?) async throws {
        let world = OutboxWorld()
        let own = Locked<Outbox?>(nil)
        let outbox = Outbox(
            in: world.store, client: world.server.client, policy: world.policy(width: width),
            whenSent: { item, _ in
                guard item.label == "first", let outbox = own.withLock({ $0 }) else { return }
                // What fails is missing at the server.
                _ = try? await outbox.enqueue(world.note("two"), group: group)
                _ = try? await outbox.drainToEnd()
            })
        own.withLock { $0 = outbox }
        defer { own.withLock { $0 = nil } }
        try await outbox.enqueue(world.note("one"), group: group, label: "first")
        try await outbox.drain()
        #expect(world.server.taken == ["one", "two"])
        #expect(try await outbox.items().isEmpty)
    }

    @Test("A key that cannot be sent is refused before anything is queued", arguments: ["", "a\nb", "schlüssel", " a"])
    func unsendableKey(key: String) async throws {
        let outbox = world.outbox()
        let unsendable = OutboxError.unsendable(
            "an idempotency key is printable ASCII, and at least one character of it")
        await #expect(throws: unsendable) { try await outbox.enqueue(world.note("one"), key: key) }
        await #expect(throws: unsendable) { _ = try await outbox.post(world.note("one"), key: key) }
        #expect(try await outbox.items().isEmpty && world.server.asked.isEmpty)
    }

    @Test("A request with a line break in a field is refused before it is queued")
    func lineBreakInField() async throws {
        let world = OutboxWorld()
        var note = world.note("a")
        note.headers["X-Title"] = "one\r\nX-Other: two"
        await #expect(throws: OutboxError.unsendable("a header field with a line break or no name")) {
            try await world.outbox().enqueue(note)
        }
        #expect(try await world.outbox().items().isEmpty)
    }

    @Test("has an item on disk when queueing returns, so that the next process sends it")
    func isKept() async throws {
        let item = try await world.outbox().enqueue(world.note("one"), group: "g", label: "Note one")
        #expect(world.server.asked == [])

        let next = world.outbox()
        let found = try #require(try await next.items().first)
        #expect(found == item)
        #expect(found.label == "Note one" && found.group == "g" && found.state == .waiting && found.length == 3)
        #expect(try await next.drain() == Outbox.Report(sent: 1))
        #expect(world.server.taken == ["one"])
        #expect(try await next.items() == [])
    }

    @Test("sends method, address, fields, body and limits as they were queued")
    func sendsAsQueued() async throws {
        var request = world.note("text")
        request.method = "PATCH"
        request.headers.add("X-Two", "a")
        request.headers.add("X-Two", "b")
        request.limits.total = .seconds(7)
        try await world.outbox().enqueue(request)
        try await world.outbox().drain()
        request.headers["Idempotency-Key"] = "key-1"
        #expect(world.server.client.requests == [request])
    }

    @Test("judges an answer that comes in drops by what has come two minutes after its head")
    func dripping() async throws {
        let (client, clock) = (ScriptedHTTPClient(), ManualClock())
        let outbox = Outbox(in: MemoryStore(), client: client, policy: SendPolicy(clock: clock))
        try await outbox.enqueue(world.note("one"))
        let drain = Task { try await outbox.drain() }
        let exchange = await client.exchange(0)
        exchange.start(status: 201)
        exchange.send(Data("a".utf8))
        await exchange.waitUntilRead()
        clock.advance(by: .minutes(2))
        exchange.send(Data("b".utf8))
        #expect(try await drain.value == Outbox.Report(sent: 1))
        #expect(try await outbox.items().isEmpty)
    }

    @Test("runs with the longest pause there is")
    func longestPause() async throws {
        let outbox = Outbox(
            in: MemoryStore(), client: world.server.client, policy: SendPolicy(poll: .seconds(Int64.max)))
        try await outbox.enqueue(world.note("one"))
        let running = Task { await outbox.run() }
        var states = outbox.states().makeAsyncIterator()
        while let items = await states.next(), !items.isEmpty {}
        running.cancel()
        await running.value
        #expect(try await outbox.items().isEmpty)
    }

    @Test("makes no follower pay for the whole queue at each change")
    func followed() async throws {
        let asked = Locked(0)
        let policy = SendPolicy(now: {
            asked.withLock { $0 += 1 }
            return Date()
        })
        let outbox = Outbox(in: MemoryStore(), client: ScriptedHTTPClient(), policy: policy)
        var states = outbox.states().makeAsyncIterator()
        for number in 1...200 {
            try await outbox.enqueue(world.note("one"))
            while let items = await states.next(), items.count < number {}
        }
        // The state of each item is made anew at each change: one question for the time each.
        withKnownIssue { #expect(asked.withLock(\.self) < 200 * 20) }
    }

    @Test("says that the disk is full, queues nothing then, and keeps what was queued before")
    func fullDisk() async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("before"))
        world.store.fail(.update, with: .full(path: "/disk"))
        await #expect(throws: OutboxError.store(.full(path: "/disk"))) {
            try await outbox.enqueue(world.note("too much"))
        }
        world.store.heal()
        try await outbox.enqueue(world.note("after"))
        try await outbox.drain()
        // Items without a group go side by side, in any order.
        #expect(Set(world.server.taken) == ["before", "after"])
    }

    @Test("does not queue what no client can send")
    func unsendable() async throws {
        let outbox = world.outbox()
        await #expect(throws: OutboxError.self) {
            try await outbox.enqueue(HTTPRequest(.post, URL(string: "file:///etc/passwd")!))
        }
        #expect(try await outbox.items() == [])
    }

    @Test("says that the store fails while sending, and sends everything once it works again")
    func failingStore() async throws {
        let outbox = world.outbox()
        for text in ["one", "two"] { try await outbox.enqueue(world.note(text), group: "g") }
        for operation in [FaultyStore.Operation.contents, .retrieve, .update] {
            world.store.fail(operation, with: .busy(path: "/store"))
            await #expect(throws: StoreError.busy(path: "/store")) { try await outbox.drain() }
            world.store.heal()
        }
        try await outbox.drain()
        #expect(world.server.taken == ["one", "two"])
    }

    @Test("sends again, with the same key, what was sent and could not be taken off the list")
    func sentButNotRemoved() async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        let store = world.store
        world.server.rule { _, request in
            store.fail(.update, with: .full(path: "/disk"))
            self.world.server.take(request)
            return .status(201)
        }
        var report = Outbox.Report()
        do throws(StoreError) {
            try await outbox.drain(into: &report)
            Issue.record("no error")
        } catch { #expect(error == .full(path: "/disk")) }
        #expect(report == Outbox.Report(sent: 1), "what was sent is told beside the error")
        #expect(try await outbox.items().map { outbox.hasSent($0.id) } == [true])
        store.heal()
        world.server.heal()
        try await outbox.drain()
        #expect(world.server.asked == ["one", "one"])
        #expect(world.server.taken == ["one"])
        #expect(try await outbox.items() == [])
    }

    // MARK: Once

    @Test("makes a key once for each item, and sends it with every try")
    func keyIsMadeOnce() async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        try await outbox.enqueue(world.note("two"))
        world.server.rule { _, _ in .silence }
        try await outbox.drain()
        world.pass(10)
        world.server.heal()
        try await world.outbox().drain()
        let sent = world.server.client.requests.map { [$0.text, $0.headers["Idempotency-Key"]] }
        #expect(Set(sent) == [["one", "key-1"], ["two", "key-2"]])
        #expect(sent.count == 4)
    }

    @Test("does no harm when an answer was lost after the server had saved")
    func lostAnswer() async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        world.server.rule { _, request in
            self.world.server.take(request)
            return .failure(TransportError(.interrupted))
        }
        try await outbox.drain()
        world.server.heal()
        world.pass(10)
        try await outbox.drain()
        #expect(world.server.asked == ["one", "one"])
        #expect(world.server.taken == ["one"])
    }

    // MARK: In order

    @Test("sends a group one after another in the order it was queued")
    func order() async throws {
        let outbox = world.outbox()
        let texts = (0..<20).map { "\($0)" }
        for text in texts { try await outbox.enqueue(world.note(text), group: "g") }
        try await outbox.drain()
        #expect(world.server.taken == texts)
        #expect(world.server.asked == texts)
    }

    @Test("holds back the group of an item that waits, and no other")
    func groupsAreIndependent() async throws {
        let outbox = world.outbox()
        for text in ["a1", "a2", "b1", "b2"] {
            try await outbox.enqueue(world.note(text), group: String(text.prefix(1)))
        }
        try await outbox.enqueue(world.note("c"))
        world.server.rule { text, _ in text == "a1" ? .status(500) : nil }
        let report = try await outbox.drain()
        #expect(report == Outbox.Report(sent: 3, failed: 1, nextTry: .seconds(10)))
        #expect(Set(world.server.taken) == ["b1", "b2", "c"])
        world.server.heal()
        world.pass(10)
        try await outbox.drain()
        #expect(world.server.taken.suffix(2) == ["a1", "a2"])
    }

    @Test("sends as many at once as it is told, and no more")
    func width() async throws {
        let outbox = world.outbox(width: 3)
        world.server.rule { _, _ in .held }
        for number in 0..<5 { try await outbox.enqueue(world.note("\(number)")) }
        let draining = Task { try await outbox.drain() }
        let client = world.server.client
        await client.waitForRequests(3)
        #expect(try await outbox.standing().filter { $0 == .sending(sent: 0) }.count == 3)
        #expect(client.requests.count == 3)
        await client.exchange(0).respond(status: 201)
        await client.waitForRequests(4)
        for number in 1..<5 { await client.exchange(number).respond(status: 201) }
        #expect(try await draining.value.sent == 5)
    }

    @Test("sends what is queued while it sends")
    func queuedMeanwhile() async throws {
        let outbox = world.outbox()
        world.server.rule { text, _ in text == "first" ? .held : nil }
        try await outbox.enqueue(world.note("first"))
        let draining = Task { try await outbox.drain() }
        let first = await world.server.client.exchange(0)
        try await outbox.enqueue(world.note("second"))
        #expect(await eventually { world.server.taken == ["second"] })
        first.respond(status: 201)
        #expect(try await draining.value.sent == 2)
    }

    @Test("gives back what it was sending when its task is cancelled")
    func cancelledDrain() async throws {
        let outbox = world.outbox()
        try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .held }
        let draining = Task { try await outbox.drain() }
        let exchange = await world.server.client.exchange(0)
        draining.cancel()
        await exchange.waitForCancellation()
        #expect(try await draining.value.sent == 0)
        world.server.heal()
        // Another outbox sends it at once: nothing has to run out first.
        #expect(try await world.outbox().drain().sent == 1)
    }

    @Test("of two thousand reads each item a few times and the list twice")
    func largeQueue() async throws {
        let count = 2000
        let outbox = world.outbox()
        for number in 0..<count { try await outbox.enqueue(world.note("\(number)"), group: "\(number % 100)") }
        world.store.forgetCalls()
        #expect(try await outbox.drain().sent == count)
        let calls = world.store.calls
        #expect(calls.count { $0 == .contents } == 2)
        #expect(calls.count < 3 * count + 100)
        for group in 0..<100 {
            let ours = world.server.taken.compactMap { Int($0) }.filter { $0 % 100 == group }
            #expect(ours == ours.sorted() && ours.count == count / 100)
        }
    }

    @Test("of two thousand that have no connection tries a few, and waits")
    func largeQueueOffline() async throws {
        let outbox = world.outbox()
        for number in 0..<2000 { try await outbox.enqueue(world.note("\(number)")) }
        world.server.rule { _, _ in .failure(TransportError(.cannotConnect)) }
        let report = try await outbox.drain()
        #expect(report == Outbox.Report(failed: 4, nextTry: .seconds(10)))
        #expect(world.server.asked.count == 4)
    }
}
