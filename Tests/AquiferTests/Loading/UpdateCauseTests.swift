import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

/// Each state that followers are told has a cause and the age of its copy, and the listener is told both.
@Suite("Why a value changed", .timeLimit(.minutes(10)))
struct UpdateCauseTests {
    private let events = RecordedEvents()
    private let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))
    private let store = FaultyStore(RepeatingStore())
    private let request = HTTPRequest(.get, URL(string: "https://api.example/notes")!)

    private var cache: Cache<[String]> { Cache(key: "notes:ada", in: store, now: date.read, events: events) }

    private func resource(_ replies: ScriptedHTTPClient.Reply..., clock: any Clock<Duration> = ContinuousClock())
        -> Resource<[String]>
    {
        Resource(
            remote: RemoteLoader(request, client: ScriptedHTTPClient(replies), map: JSONMapper().map), cache: cache,
            clock: clock)
    }

    /// The states of `updated` that the listener was told: cause and seconds of age.
    private var told: [String] {
        events.told.compactMap {
            guard case .updated(let keyClass, let cause, let age) = $0 else { return nil }
            return "\(keyClass) \(cause) \(age.map { "\($0.components.seconds)" } ?? "-")"
        }
    }

    private let notes = ScriptedHTTPClient.Reply.answer(body: Data(#"["milk"]"#.utf8))

    @Test("Found, loaded, stood in, changed by another, deleted: each with the age of its copy")
    func causes() async throws {
        try await cache.save(["bread"])
        date.advance(by: 60)
        let resource = resource(notes, .failure(TransportError(.offline)))
        var updates = resource.updates.withCauses.makeAsyncIterator()
        let found = try #require(await updates.next())
        #expect(found.cause == .found && found.age == .seconds(60) && found.loaded?.value == ["bread"])
        _ = try await resource.load()
        let loaded = try #require(await updates.next())
        #expect(loaded.cause == .loaded && loaded.age == .zero && loaded.loaded?.value == ["milk"])
        date.advance(by: 5)
        _ = try await resource.load()
        let copy = try #require(await updates.next())
        #expect(copy.cause == .stoodIn && copy.age == .seconds(5) && copy.loaded?.source != .remote)
        try await cache.amend { $0 + ["eggs"] }
        #expect(await updates.next()?.cause == .changed)
        date.advance(by: 1)
        _ = try await self.resource(.answer(headers: ["ETag": "\"2\""], body: Data(#"["tea"]"#.utf8))).load()
        let saved = try #require(await updates.next())
        #expect(saved.cause == .saved && saved.age == .zero && saved.loaded?.value == ["tea"])
        try await cache.clear()
        let deleted = try #require(await updates.next())
        #expect(deleted.cause == .deleted && deleted.age == nil && deleted.loaded == nil)
        #expect(
            told == [
                "notes found 60", "notes loaded 0", "notes stoodIn 5", "notes changed 5", "notes saved 0",
                "notes deleted -",
            ])
    }

    @Test("Denied, and shown again by the next answer")
    func denied() async throws {
        let resource = resource(notes, .answer(status: 403), notes)
        var updates = resource.updates.withCauses.makeAsyncIterator()
        #expect(await updates.next()?.cause == .found)
        _ = try await resource.load()
        #expect(await updates.next()?.cause == .loaded)
        _ = try? await resource.load()
        #expect(await updates.next()?.cause == .denied)
        _ = try await resource.load()
        #expect(await updates.next()?.cause == .loaded)
    }

    @Test(
        "Denied before somebody followed, and shown if another one has saved a value since", arguments: [false, true])
    func deniedBefore(isSaved: Bool) async throws {
        let resource = resource(notes, .answer(status: 403))
        _ = try await resource.load()
        _ = try? await resource.load()
        if isSaved {
            date.advance(by: 1)
            try await cache.save(["newer"])
        }
        var updates = resource.updates.withCauses.makeAsyncIterator()
        let first = try #require(await updates.next())
        #expect(first.cause == (isSaved ? .found : .denied) && first.loaded?.value == (isSaved ? ["newer"] : nil))
    }

    @Test("Expired while it was shown")
    func expired() async throws {
        try await cache.save(["bread"])
        let clock = ManualClock()
        var updates = resource(clock: clock).updates.withCauses.makeAsyncIterator()
        #expect(await updates.next()?.cause == .found)
        await clock.waitForSleepers()
        date.advance(by: 7 * 86_400)
        clock.advance(by: .days(7))
        let expired = try #require(await updates.next())
        #expect(expired.cause == .expired && expired.loaded == nil)
    }

    @Test("A copy that cannot be read is told as that, not as missing")
    func unreadable() async throws {
        try await cache.save(["bread"])
        store.fail(.retrieve, with: .unreadable(key: "notes:ada", reason: "a bit has flipped"))
        var updates = resource().updates.withCauses.makeAsyncIterator()
        let found = try #require(await updates.next())
        #expect(found.cause == .unreadable && found.loaded == nil)
    }

    @Test("A state is told to the listener once, however many follow; without a follower none is")
    func once() async throws {
        let resource = resource(notes)
        _ = try await resource.load()
        #expect(told.isEmpty)
        let iterators = (0..<20).map { _ in resource.updates.makeAsyncIterator() }
        for var iterator in iterators { _ = await iterator.next() }
        #expect(told == ["notes found 0"])
    }

    @Test("A list in pages tells its causes, too")
    func pages() async throws {
        let world = PagedWorld(.cursor, down(30, 1))
        let resource = try await world.loaded(pages: 1)
        var updates = resource.updates.withCauses.makeAsyncIterator()
        #expect(await updates.next()?.cause == .found)
        _ = try await resource.loadMore()
        #expect(await updates.next()?.loaded?.value.items.count == 10)
        world.server.state.withLock { $0.isDenied = true }
        _ = try? await resource.load()
        #expect(await updates.next()?.cause == .denied)
    }

    @Test("A list whose first page expires has expired, and was not deleted")
    func expiredPages() async throws {
        let world = PagedWorld(.cursor, down(30, 1))
        var updates = try await world.loaded(pages: 1).updates.withCauses.makeAsyncIterator()
        #expect(await updates.next()?.cause == .found)
        world.server.date.advance(by: 8 * 86_400)
        world.store.changes.post(.everything)
        #expect(await updates.next()?.cause == .expired)
        _ = try await world.resource().load()
        #expect(await updates.next()?.cause == .saved)
    }
}
