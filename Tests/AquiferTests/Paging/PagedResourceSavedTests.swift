import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("The saved copy of a list in pages", .timeLimit(.minutes(10)))
struct PagedResourceSavedTests {
    @Test("is delivered whole without connectivity, with its age and the error")
    func offline() async throws {
        let world = PagedWorld(.cursor, down(20, 1))
        _ = try await world.loaded(pages: 3)
        let first = Date(timeIntervalSince1970: 1_780_000_001)
        world.server.goOffline()
        world.server.date.advance(by: Duration.days(1).timeInterval)
        let list = try await world.resource().load()
        #expect(list.source == .cache(savedAt: first, because: .connectivity(TransportError(.offline))))
        #expect(list.value.shape == down(20, 6))
        #expect(list.value.pages.map(\.savedAt) == [first, first + 1, first + 2], "each page has its own age")
    }

    @Test("delivers a next page that is saved when no answer comes, and the error when none is")
    func nextPageOffline() async throws {
        let world = PagedWorld(.cursor, down(20, 1))
        let early = try await world.loaded(pages: 1)
        _ = try await world.loaded(pages: 2)
        world.server.goOffline()
        let list = try await early.loadMore()
        #expect(list.value.shape == down(20, 11))
        guard case .cache(_, .connectivity?) = list.source else { Issue.record("is \(list.source)"); return }
        let error = await failure { () async throws(LoadError) in try await early.loadMore() }
        #expect(error == .connectivity(TransportError(.offline)))
    }

    @Test("is not put together again while its entries are the saved ones, and is once anybody has changed one")
    func readOnce() async throws {
        let world = PagedWorld(.cursor, down(20, 1))
        _ = try await world.loaded(pages: 3)
        let decoded = Locked(0)
        let reader = world.resource(decoding: { decoded.withLock { $0 += 1 } })
        let shape = try await reader.saved()?.value.shape
        #expect(shape == down(20, 6) && decoded.withLock { $0 } == 3)
        for _ in 0..<3 { #expect(try await reader.saved()?.value.shape == shape) }
        #expect(decoded.withLock { $0 } == 3)
        // Another object, as another process has it, adds a page, and then another beginning.
        let other = world.resource()
        _ = try await other.saved()
        _ = try await other.loadMore()
        #expect(try await reader.saved()?.value.shape == down(20, 1))
        world.server.add(21)
        _ = try await other.reload()
        #expect(try await reader.saved()?.value.shape == down(21, 1))
        world.server.date.advance(by: Duration.days(7).timeInterval)
        #expect(try await reader.saved() == nil)
    }

    @Test("of which a page expires or is deleted has a gap, or ends, at once")
    func readOnceChanged() async throws {
        let world = PagedWorld(.cursor, down(20, 1))
        let resource = try await world.loaded(pages: 2)
        world.server.date.advance(by: Duration.days(6).timeInterval)
        _ = try await resource.reload()
        _ = try await resource.saved()
        #expect(try await resource.saved()?.value.shape == down(20, 11))
        world.server.date.advance(by: Duration.days(1).timeInterval)
        #expect(try await resource.saved()?.value.shape == down(20, 16))
        _ = try await resource.saved()
        try await world.store.delete("notes")
        #expect(try await resource.saved() == nil)
    }

    @Test("does not show a page of seven days: it leaves a gap, or the end of what is known")
    func ages() async throws {
        let world = PagedWorld(.cursor, down(20, 1))
        let resource = try await world.loaded(pages: 2)
        world.server.date.advance(by: Duration.days(6).timeInterval)
        _ = try await resource.reload()
        _ = try await resource.loadMore()
        #expect(try await world.resource().saved()?.value.shape == down(20, 6))
        world.server.date.advance(by: Duration.days(1).timeInterval)
        let list = try #require(try await world.resource().saved()?.value)
        #expect(list.shape == down(20, 16) + [0] + down(10, 6))
        #expect(list.oldest.map { world.server.date.now.timeIntervalSince($0) < Duration.days(7).timeInterval } == true)
        let late = world.resource()
        _ = try await late.saved()
        let whole = try await late.fill(try #require(list.gaps.first)).value
        #expect(whole.shape == down(20, 6), "what has expired is loaded again")
    }

    @Test("ends before its expired pages, from where it can be loaded further")
    func expiredEnd() async throws {
        let world = PagedWorld(.cursor, down(20, 1))
        let resource = try await world.loaded(pages: 3)
        world.server.date.advance(by: Duration.days(6).timeInterval)
        _ = try await resource.reload()
        world.server.date.advance(by: Duration.days(1).timeInterval)
        let late = world.resource()
        let list = try #require(try await late.saved()?.value)
        #expect(list.shape == down(20, 16) && !list.isComplete)
        #expect(try await late.loadMore().value.shape == down(20, 11))
    }

    @Test("is none when its first page has expired")
    func expiredBeginning() async throws {
        let world = PagedWorld(.cursor, down(20, 1))
        _ = try await world.loaded(pages: 1)
        world.server.date.advance(by: Duration.days(7).timeInterval)
        #expect(try await world.resource().saved() == nil)
        #expect(try await world.resource().validateSaved())
        #expect(try await world.store.entries().isEmpty)
    }

    @Test("loses its expired pages when it is validated, and no others")
    func validated() async throws {
        let world = PagedWorld(.cursor, down(20, 1))
        let resource = try await world.loaded(pages: 3)
        world.server.date.advance(by: Duration.days(6).timeInterval)
        _ = try await resource.reload()
        #expect(try await resource.validateSaved() == false)
        world.server.date.advance(by: Duration.days(1).timeInterval)
        #expect(try await resource.validateSaved())
        #expect(try await world.store.entries().map(\.key) == ["notes"])
    }

    @Test("is validated without a list of the whole store, and with each name, also one that begins with an accent")
    func validatedNames() async throws {
        let world = PagedWorld(.cursor, down(20, 1))
        let resource = world.resource()
        let expired = StoredEntry(bytes: Data("[]".utf8), savedAt: world.server.date.now - 30 * 86_400)
        try await world.store.insert(expired, for: "notes#\u{301}1")
        try await world.store.insert(expired, for: "notes")
        try await world.store.insert(expired, for: "notes2#+1")
        world.store.forgetCalls()
        #expect(try await resource.validateSaved())
        #expect(!world.store.calls.contains(.contents))
        #expect(try await world.store.entries().map(\.key) == ["notes2#+1"])
    }

    @Test("ends before a page that cannot be read, and says so; the page is loaded again")
    func damaged() async throws {
        let world = PagedWorld(.cursor, down(20, 1))
        _ = try await world.loaded(pages: 3)
        try await world.store.insert(
            StoredEntry(bytes: Data([0xF7, 0, 9]), savedAt: world.server.date.now), for: "notes#+16")
        let resource = world.resource()
        let list = try #require(try await resource.saved()?.value)
        #expect(list.shape == down(20, 16) && !list.isComplete)
        guard case .unreadable("notes#+16", _)? = list.readError else {
            Issue.record("is \(String(describing: list.readError))"); return
        }
        #expect(try await resource.loadMore().value.shape == down(20, 6), "the page after it is still there")
    }

    @Test("is an error when its beginning cannot be read")
    func damagedBeginning() async throws {
        let world = PagedWorld(.cursor, down(20, 1))
        try await world.store.insert(StoredEntry(bytes: Data("x".utf8), savedAt: world.server.date.now), for: "notes")
        let error = await failure { () async throws(StoreError) in try await world.resource().saved() }
        guard case .unreadable("notes", _)? = error else { Issue.record("is \(String(describing: error))"); return }
    }

    @Test("stays whole when a refresh cannot be saved: the new page is delivered with it, and the error")
    func full() async throws {
        let world = PagedWorld(.cursor, down(20, 1))
        let resource = try await world.loaded(pages: 2)
        world.server.add(21)
        world.store.fail(.save, with: .full(path: "/s"))
        let list = try await resource.reload()
        #expect(list.saveError == .full(path: "/s") && list.source == .remote && list.savedAt == nil)
        #expect(list.value.shape == down(21, 11))
        world.store.heal()
        #expect(try await world.resource().saved()?.value.shape == down(20, 11))
    }

    @Test("takes a page that could not be saved for what it is, and goes on after it")
    func unsavedPage() async throws {
        let world = PagedWorld(.cursor, down(20, 1))
        let resource = try await world.loaded(pages: 1)
        world.store.fail(.save, with: .full(path: "/s"))
        let list = try await resource.loadMore()
        #expect(list.value.shape == down(20, 11) && list.saveError == .full(path: "/s"))
        world.store.heal()
        #expect(try await resource.loadMore().value.shape == down(20, 6))
    }

    @Test("costs one more write for one more page, however long the list is")
    func flat() async throws {
        let world = PagedWorld(.cursor, down(400, 1), pageSize: 2)
        let resource = try await world.loaded(pages: 10)
        world.store.forgetCalls()
        _ = try await resource.loadMore()
        let calls = world.store.calls.count
        for _ in 0..<100 { _ = try await resource.loadMore() }
        world.store.forgetCalls()
        #expect(try await resource.loadMore().value.shape.count == 224)
        #expect(world.store.calls.count == calls)
        #expect(world.store.calls.filter(\.isWrite).count == 1)
    }

    @Test("A page that has expired since it was shown is shown no more, whatever is loaded behind it")
    func expiredMeanwhile() async throws {
        let world = PagedWorld(.cursor, down(30, 1))
        let resource = try await world.loaded(pages: 2)
        world.server.date.advance(by: Duration.days(7).timeInterval)
        let list = try await resource.loadMore()
        let now = world.server.date.now
        #expect(list.value.pages.allSatisfy { now.timeIntervalSince($0.savedAt ?? now) < 60 }, "\(list.value.shape)")
        #expect(list.source == .remote)
        #expect(list.value.items.map(\.id) == down(30, 26), "\(list.value.shape)")
    }

    @Test(
        "A page that the server does not allow to be saved is delivered and not saved, if the policy follows the server"
    )
    func followsTheServer() async throws {
        let store = RepeatingStore()
        let client = ScriptedHTTPClient { _ in
            .answer(headers: ["Cache-Control": "no-store"], body: Data(#"["a"]"#.utf8))
        }
        let list = PagedResource<String>(
            key: "list", in: store, first: HTTPRequest(.get, URL(string: "https://list.example/")!), next: .link,
            client: client, codec: .json, policy: CachePolicy(follows: .server), id: { $0 },
            map: JSONMapper<[String]>().map)
        #expect(try await list.load().value.items == ["a"])
        #expect(try await store.entries().isEmpty)
    }
}

extension FaultyStore.Call {
    /// True if the call has changed the store.
    var isWrite: Bool {
        switch self {
        case .insert, .delete, .deleteAll, .remove: true
        case .update(_, let change): change != nil && change != .keep
        case .retrieve, .contents, .contentsOf, .page: false
        }
    }
}
