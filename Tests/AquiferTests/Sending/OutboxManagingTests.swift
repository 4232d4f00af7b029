import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("An item in the outbox", .timeLimit(.minutes(10)))
struct OutboxManagingTests {
    private let world = OutboxWorld()

    @Test("is not sent while it is paused, holds back its group, and is sent when resumed")
    func pauseAndResume() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"), group: "g")
        try await outbox.enqueue(world.note("two"), group: "g")
        try await outbox.pause(item.id)
        #expect(try await outbox.drain() == Outbox.Report())
        #expect(try await world.outbox().standing() == [.paused, .waiting])
        try await outbox.resume(item.id)
        try await outbox.drain()
        #expect(world.server.taken == ["one", "two"])
    }

    @Test("that is paused while it is sent ends its transfer, and begins anew with the same key")
    func pauseWhileSending() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .held }
        let draining = Task { try await outbox.drain() }
        let exchange = await world.server.client.exchange(0)
        try await outbox.pause(item.id)
        await exchange.waitForCancellation()
        #expect(try await draining.value == Outbox.Report())
        #expect(try await outbox.standing() == [.paused])
        world.server.heal()
        try await outbox.resume(item.id)
        #expect(try await outbox.drain().sent == 1)
        #expect(world.server.client.requests.map { $0.headers["Idempotency-Key"] } == ["key-1", "key-1"])
    }

    @Test("that is discarded while it is sent ends its transfer, is gone, and lets its group go on")
    func discardWhileSending() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"), group: "g")
        try await outbox.enqueue(world.note("two"), group: "g")
        world.server.rule { text, _ in text == "one" ? .held : nil }
        let draining = Task { try await outbox.drain() }
        let exchange = await world.server.client.exchange(0)
        try await outbox.discard(item.id)
        await exchange.waitForCancellation()
        #expect(try await draining.value.sent == 1)
        #expect(world.server.taken == ["two"])
        #expect(try await outbox.items() == [])
    }

    @Test("that waits is tried at once when told to")
    func retryWaiting() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .failure(TransportError(.cannotConnect)) }
        try await outbox.drain()
        world.server.heal()
        try await outbox.retry(item.id)
        #expect(try await outbox.drain().sent == 1)
    }

    @Test("tells how many bytes of it have gone out")
    func progress() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("0123456789"))
        world.server.rule { _, _ in .held }
        var states = outbox.states(of: item.id).makeAsyncIterator()
        #expect(await states.next() == .waiting)
        let draining = Task { try await outbox.drain() }
        #expect(await states.next() == .sending(sent: 0))
        let exchange = await world.server.client.exchange(0)
        exchange.takeBody(3)
        #expect(await states.next() == .sending(sent: 3))
        exchange.takeBody()
        #expect(await states.next() == .sending(sent: 10))
        exchange.respond(status: 201, body: Data("done".utf8))
        let answer = Outbox.Answer(
            head: HTTPResponseHead(status: 201, url: world.url), body: Data("done".utf8))
        #expect(await states.next() == .sent(answer))
        #expect(await states.next() == nil)
        _ = try await draining.value
    }

    @Test("tells of its failures and of its end")
    func statesOfOne() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .status(500) }
        var states = outbox.states(of: item.id).makeAsyncIterator()
        #expect(await states.next() == .waiting)
        try await outbox.drain()
        #expect(await states.next() == .retrying(after: .status(500), at: world.date.now + 10))
        try await outbox.discard(item.id)
        #expect(await states.next() == .gone)
        #expect(await states.next() == nil)
        var late = outbox.states(of: item.id).makeAsyncIterator()
        #expect(await late.next() == .gone)
        #expect(await late.next() == nil)
    }

    @Test("is never told as gone because the store fails")
    func statesOfAFailingStore() async throws {
        let item = try await world.outbox().enqueue(world.note("one"))
        // An outbox that has not read the item yet has to ask the store.
        let outbox = world.outbox()
        world.store.fail(.retrieve, with: .busy(path: "/s"))
        world.store.forgetCalls()
        let told = Task { () -> Outbox.State? in
            var states = outbox.states(of: item.id).makeAsyncIterator()
            return await states.next()
        }
        #expect(await eventually { world.store.calls.contains { if case .retrieve = $0 { true } else { false } } })
        world.store.heal(.retrieve)
        _ = try await outbox.items()
        #expect(await told.value == .waiting)
    }

    @Test("is in the list that is told after each change")
    func states() async throws {
        let outbox = world.outbox()
        var states = outbox.states().makeAsyncIterator()
        #expect(await states.next() == [])
        try await outbox.enqueue(world.note("one"))
        try await outbox.enqueue(world.note("two"))
        world.server.rule { text, _ in text == "one" ? .status(400) : .status(500) }
        try await outbox.drain()
        let refused = Outbox.State.refused(.server(status: 400, words: ""))
        let waiting = Outbox.State.retrying(after: .status(500), at: world.date.now + 10)
        #expect(await states.next()?.map(\.state) == [refused, waiting])
        try await outbox.discard(Outbox.ID(number: 1))
        #expect(await states.next()?.map(\.state) == [waiting])
    }

    @Test("is in the list before anything sends, also when an earlier process queued it")
    func statesWithoutSending() async throws {
        try await world.outbox().enqueue(world.note("earlier"), label: "earlier")
        let outbox = world.outbox()
        var states = outbox.states().makeAsyncIterator()
        #expect(await states.next()?.map(\.label) == ["earlier"])
        try await outbox.enqueue(world.note("now"), label: "now")
        // The first look may have changed the queue, and is then reported as well.
        var labels = await states.next()?.map(\.label)
        if labels?.count == 1 { labels = await states.next()?.map(\.label) }
        #expect(labels == ["earlier", "now"])
    }

    @Test("is told no second time while nothing changes")
    func quietStates() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        var states = outbox.states().makeAsyncIterator()
        #expect(await states.next()?.map(\.state) == [.waiting])
        let rings = outbox.changes.rings
        for _ in 0..<3 { #expect(try await outbox.items().count == 1) }
        #expect(outbox.changes.rings == rings, "a look that finds nothing new tells nobody")
        try await outbox.pause(item.id)
        // The first look has changed the queue, and may be told as well.
        var told = 1
        while await states.next()?.map(\.state) != [.paused] { told += 1 }
        #expect(told <= 2)
    }

    @Test("that is paused while nothing is sent is in the list as paused at once")
    func pausedInList() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        _ = try await outbox.items()
        world.store.forgetCalls()
        try await outbox.pause(item.id)
        var states = outbox.states().makeAsyncIterator()
        #expect(await states.next()?.map(\.state) == [.paused])
        #expect(!world.store.calls.contains(.contents), "nobody looked again")
    }

    @Test("whose watcher leaves is watched no longer")
    func watcherLeaves() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        let watching = Task {
            var count = 0
            for await _ in outbox.states(of: item.id) { count += 1 }
            for await _ in outbox.states() { count += 1 }
            return count
        }
        watching.cancel()
        #expect(await watching.value <= 2)
    }

    // MARK: Why it waits

    @Test(
        "keeps telling why it was not sent until there is a new outcome: after its wait, elsewhere, when all are retried"
    )
    func reasonIsKept() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .status(302) }
        try await outbox.drain()
        let failed = world.date.now
        world.pass(86_400)
        let due = Outbox.State.retrying(after: .foreign(status: 302), at: failed + 10)
        #expect(try await outbox.standing() == [due])
        #expect(try await world.outbox().standing() == [due])

        try await outbox.retry(item.id)
        #expect(try await outbox.standing() == [.retrying(after: .foreign(status: 302), at: world.date.now)])
        world.server.rule { _, _ in .status(500) }
        try await outbox.drain()
        #expect(try await outbox.standing() == [.retrying(after: .status(500), at: world.date.now + 10)])
        await outbox.retryAll()
        #expect(try await outbox.standing() == [.retrying(after: .status(500), at: world.date.now)])
        world.server.rule { _, _ in .status(400) }
        try await outbox.drain()
        #expect(try await outbox.standing() == [.refused(.server(status: 400, words: ""))])
        try await outbox.retry(item.id)
        #expect(try await outbox.standing() == [.waiting])
    }

    // MARK: Discarded

    @Test("that is discarded says whether it may have arrived all the same")
    func discardedAndArrived() async throws {
        let (one, two) = (world.outbox(), world.outbox())
        world.server.rule { text, _ in
            switch text {
            case "held": .held
            case "refused": .status(400)
            case "conflict": .status(409)
            case "unsent": .failure(TransportError(.cannotConnect))
            default: .failure(TransportError(.timedOut))
            }
        }
        var ids: [String: Outbox.ID] = [:]
        for text in ["unsent", "lost", "refused", "conflict", "held"] {
            // Each to a host of its own: none holds back another.
            var note = world.note(text)
            note.url = try #require(URL(string: "http://\(text).example/"))
            ids[text] = try await one.enqueue(note).id
        }
        let new = try await two.enqueue(world.note("new")).id
        try await two.pause(new)
        let draining = Task { try await one.drain() }
        #expect(await eventually { world.server.asked.count == 5 })
        #expect(
            try await eventually {
                let states = try await two.items().map(\.state)
                let elsewhere = Outbox.State.sendingElsewhere(until: world.date.now + 30)
                return states.count { $0 == elsewhere } == 1 && !states.contains(.waiting)
            })
        for (text, mayHaveArrived) in [
            ("held", true), ("lost", true), ("conflict", true), ("unsent", false), ("refused", false),
        ] {
            let id = try #require(ids[text])
            #expect(try await two.discard(id)?.mayHaveArrived == mayHaveArrived, "\(text)")
            #expect(try await two.discard(id) == nil)
        }
        #expect(try await two.discard(new)?.mayHaveArrived == false)
        draining.cancel()
        _ = try await draining.value
    }

    @Test("that had no answer, and was refused when it was tried again, may have arrived when it is discarded")
    func discardedAfterDoubt() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .failure(TransportError(.timedOut)) }
        try await outbox.drain()
        world.server.rule { _, _ in .status(403) }
        await outbox.retryAll()
        #expect(try await outbox.drain().refused == 1)
        #expect(try await outbox.discard(item.id)?.mayHaveArrived == true)
    }

    @Test("that may have arrived cannot be edited: under another key it would arrive twice")
    func editAfterConflict() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        world.server.rule { _, _ in .status(409) }
        try await outbox.drain()
        let error = await failure { () async throws(OutboxError) in
            try await outbox.edit(item.id, to: world.note("two"))
        }
        guard case .notNow(item.id, _)? = error else {
            Issue.record("is \(String(describing: error))")
            return
        }
        world.server.heal()
        try await outbox.retry(item.id)
        #expect(try await outbox.drain().sent == 1)
        #expect(world.server.taken == ["one"])
    }

    @Test("that was paused while it was sent, or whose sender was killed, may have arrived when it is discarded")
    func discardedAfterPause() async throws {
        for isPaused in [true, false] {
            let outbox = world.outbox()
            let item = try await outbox.enqueue(world.note("one"))
            world.server.rule { _, _ in .held }
            let draining = Task { try await outbox.drain() }
            #expect(await eventually { world.server.asked.count == (isPaused ? 1 : 2) })
            if isPaused { try await outbox.pause(item.id) } else { world.pass(30) }
            #expect(try await world.outbox().discard(item.id)?.mayHaveArrived == true)
            draining.cancel()
            _ = try await draining.value
        }
    }

    @Test("that was refused after an attempt that may have arrived is not edited: both would be carried out")
    func editedAfterALostAnswer() async throws {
        let outbox = world.outbox()
        let item = try await outbox.enqueue(world.note("one"))
        world.server.rule { [server = world.server] _, request in
            server.take(request)
            return .failure(TransportError(.interrupted))
        }
        try await outbox.drain()
        world.server.rule { _, _ in .status(403) }
        world.pass(1000)
        #expect(try await outbox.drain().refused == 1)
        #expect(try await outbox.items().first?.mayHaveArrived == true)
        world.server.heal()
        do throws(OutboxError) {
            try await outbox.edit(item.id, to: world.note("two"))
            Issue.record("was edited")
        } catch {
            guard case .notNow = error else {
                Issue.record("is \(error)")
                return
            }
        }
        #expect(try await outbox.drain().sent == 0)
        #expect(world.server.taken == ["one"])
    }

    @Test("has a number that can be written and read")
    func identity() {
        let id = Outbox.ID(number: 12)
        #expect("\(id)" == "12" && Outbox.ID("12") == id && Outbox.ID("x") == nil && id < Outbox.ID(number: 13))
    }
}
