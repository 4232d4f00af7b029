import Aquifer
import AquiferImageFeed
import AquiferTesting
import AquiferWording
import Foundation
import Testing

// Document 001, from its beginning to its end: a suite for each section, a test for each scenario and course, in the
// document's order and under its titles.
//
// "Feed Store implementation Inbox" follows in FeedStoreInboxTests. "UX goals" are tested in FeedModelTests and
// PictureModelTests, whose titles are the goals', and on the page in Tests/Browser/test_feed.py.

@Suite("Image feed, narrative #1: as an online customer", .timeLimit(.minutes(10)))
struct ImageFeedOnlineStory {
    @Test("Given the customer has connectivity, the app displays the latest feed from remote and replaces the cache")
    func online() async throws {
        let world = FeedWorld(.page(items(11)), .page(items(1)))
        _ = try await world.service.feed.load()
        world.date.advance(by: 60)
        let loaded = try await world.service.feed.load()
        #expect(loaded == Loaded(items(1), source: .remote, savedAt: world.date.now))
        #expect(try await world.service.loadFeedFromCache() == items(1))
    }
}

@Suite("Image feed, narrative #2: as an offline customer", .timeLimit(.minutes(10)))
struct ImageFeedOfflineStory {
    private let world = FeedWorld(.offline)
    private let week = Duration.days(7).timeInterval

    @Test("Given the cache is less than seven days old, the app displays the latest feed saved")
    func fresh() async throws {
        let savedAt = try await world.service.cacheFeed(items(1))
        world.date.advance(by: week - 1)
        let loaded = try await world.service.feed.load()
        #expect(
            loaded
                == Loaded(
                    items(1), source: .cache(savedAt: savedAt, because: .connectivity(TransportError(.offline))),
                    savedAt: savedAt))
    }

    @Test("Given the cache is seven days old or more, the app displays the error message", arguments: [0.0, 1, 86_400])
    func expired(more: TimeInterval) async throws {
        try await world.service.cacheFeed(items(1))
        world.date.advance(by: week + more)
        let error = await failure { () async throws(LoadError) in try await world.service.feed.load() }
        #expect(error == .connectivity(TransportError(.offline)))
        #expect(error?.message(in: .english).contains("offline") == true)
    }

    @Test("Given the cache is empty, the app displays an error message")
    func empty() async {
        let error = await failure { () async throws(LoadError) in try await world.service.feed.load() }
        #expect(error == .connectivity(TransportError(.offline)))
        #expect(error?.message(in: .english).contains("offline") == true)
    }
}

@Suite("Load Feed From Remote Use Case", .timeLimit(.minutes(10)))
struct LoadFeedFromRemoteUseCase {
    @Test("Primary course: downloads the data from the URL, validates it, and delivers the image feed")
    func primary() async throws {
        let world = FeedWorld(.page(items(1)))
        #expect(try await world.service.loadFeedFromRemote() == items(1))
        #expect(world.client.requests.map(\.url.path) == ["/api/v1/feed"])
        #expect(world.store.calls.isEmpty, "saving is another use case")
    }

    @Test(
        "Invalid data: delivers invalid data error",
        arguments: [
            .answer(body: Data("{".utf8)), .answer(body: Data()), .answer(status: 500), .answer(status: 304),
            .answer(body: Data(#"{"items":[{"id":"1"}]}"#.utf8)),
        ] as [ScriptedHTTPClient.Reply])
    func invalidData(reply: ScriptedHTTPClient.Reply) async {
        let world = FeedWorld(reply)
        let error = await failure { () async throws(LoadError) in try await world.service.loadFeedFromRemote() }
        #expect(error?.reason == .invalidData)
    }

    @Test("No connectivity: delivers connectivity error, also when a feed is saved")
    func noConnectivity() async throws {
        let world = FeedWorld(.offline)
        try await world.service.cacheFeed(items(1))
        let error = await failure { () async throws(LoadError) in try await world.service.loadFeedFromRemote() }
        #expect(error == .connectivity(TransportError(.offline)))
    }
}

@Suite("Load Feed From Cache Use Case", .timeLimit(.minutes(10)))
struct LoadFeedFromCacheUseCase {
    private let world = FeedWorld()
    private let week = Duration.days(7).timeInterval

    @Test("Primary course: retrieves the data, validates that it is less than seven days old, and delivers the feed")
    func primary() async throws {
        try await world.service.cacheFeed(items(1))
        world.date.advance(by: week - 1)
        world.store.forgetCalls()
        #expect(try await world.service.loadFeedFromCache() == items(1))
        #expect(try await world.service.loadFeedFromCache() == items(1), "loading has no side effects")
        #expect(world.store.calls.allSatisfy { if case .retrieve = $0 { true } else { false } })
        #expect(world.client.requests.isEmpty)
    }

    @Test("Retrieval error course: delivers error, of the store and of data that cannot be read")
    func retrievalError() async throws {
        try await world.service.cacheFeed(items(1))
        world.store.fail(.retrieve, with: .notAStore(path: "/s"))
        let failed = await failure { () async throws(StoreError) in try await world.service.loadFeedFromCache() }
        #expect(failed == .notAStore(path: "/s"))
        world.store.heal()
        let key = try await world.damage()
        let unreadable = await failure { () async throws(StoreError) in try await world.service.loadFeedFromCache() }
        guard case .unreadable(key, _)? = unreadable else {
            Issue.record("is \(String(describing: unreadable))")
            return
        }
    }

    @Test("Expired cache course: delivers no feed images", arguments: [0.0, 1, 86_400])
    func expired(more: TimeInterval) async throws {
        try await world.service.cacheFeed(items(1))
        world.date.advance(by: week + more)
        #expect(try await world.service.loadFeedFromCache() == nil)
        #expect(try await world.store.entries().count == 1, "deleting is another use case")
    }

    @Test("No cache course: delivers no feed images")
    func noCache() async throws {
        #expect(try await world.service.loadFeedFromCache() == nil)
    }
}

@Suite("Validate Feed Cache Use Case", .timeLimit(.minutes(10)))
struct ValidateFeedCacheUseCase {
    private let world = FeedWorld()
    private let week = Duration.days(7).timeInterval

    @Test("Primary course: what is less than seven days old stays")
    func primary() async throws {
        try await world.service.cacheFeed(items(1))
        world.date.advance(by: week - 1)
        #expect(try await world.service.validateFeedCache() == false)
        #expect(try await world.service.loadFeedFromCache() == items(1))
    }

    @Test("Retrieval error course: deletes old cache")
    func retrievalError() async throws {
        try await world.service.cacheFeed(items(1))
        _ = try await world.damage()
        #expect(try await world.service.validateFeedCache())
        #expect(try await world.store.entries().isEmpty)
    }

    @Test("Expired cache course: deletes old cache", arguments: [0.0, 1, 86_400])
    func expired(more: TimeInterval) async throws {
        try await world.service.cacheFeed(items(1))
        world.date.advance(by: week + more)
        #expect(try await world.service.validateFeedCache())
        #expect(try await world.store.entries().isEmpty)
    }

    @Test("An empty cache is valid, and a cache that cannot be deleted is an error")
    func nothingAndFailure() async throws {
        #expect(try await world.service.validateFeedCache() == false)
        world.store.fail(.update, with: .full(path: "/s"))
        let error = await failure { () async throws(StoreError) in try await world.service.validateFeedCache() }
        #expect(error == .full(path: "/s"))
    }
}

@Suite("Cache Feed Use Case", .timeLimit(.minutes(10)))
struct CacheFeedUseCase {
    private let world = FeedWorld()

    @Test("Primary course: deletes the old data, encodes and timestamps the new, saves it, and delivers success")
    func primary() async throws {
        try await world.service.cacheFeed(items(11))
        world.date.advance(by: 60)
        #expect(try await world.service.cacheFeed(items(1)) == world.date.now)
        #expect(try await world.service.loadFeedFromCache() == items(1))
        #expect(try await world.store.entries().map(\.savedAt) == [world.date.now])
    }

    /// Deleting and saving are one step, so that each way of failing is met by each kind of write.
    @Test(
        "Cache deletion failure and saving error courses: deliver the error, and the old data is still there",
        arguments: [StoreError.full(path: "/s"), .failed(operation: "delete", reason: "read-only")])
    func failures(error: StoreError) async throws {
        try await world.service.cacheFeed(items(11))
        world.store.fail(.insert, .update, .delete, with: error)
        #expect(await failure { () async throws(StoreError) in try await world.service.cacheFeed(items(1)) } == error)
        world.store.heal()
        #expect(try await world.service.loadFeedFromCache() == items(11))
    }
}

extension FeedWorld {
    /// Makes the saved entry unreadable, and returns its key.
    func damage() async throws -> String {
        let entry = try #require(try await store.entries().first)
        try await store.insert(StoredEntry(bytes: Data("x".utf8), savedAt: entry.savedAt), for: entry.key)
        return entry.key
    }
}
