import Aquifer
import AquiferImageFeed
import AquiferTesting
import Foundation
import Testing

@Suite("The image feed", .timeLimit(.minutes(10)))
struct FeedServiceTests {
    private let first = items(1)
    private let second = items(11)

    @Test("What one server gave is not shown as another's")
    func serversApart() async throws {
        let world = FeedWorld(.page(first, headers: ["ETag": "\"1\""]), .refused)
        _ = try await world.service.feed.load()
        let other = FeedService(
            base: try #require(URL(string: "http://other.example")), client: world.client, store: world.store,
            pictureStore: world.pictureStore, now: world.date.read)
        let error = await failure { () async throws(LoadError) in try await other.feed.load() }
        #expect(error?.reason == .connectivity)
        #expect(world.client.requests[1].headers["If-None-Match"] == nil)
    }

    // MARK: Pages

    @Test("The next page is asked for after the last item, and appended to the saved copy")
    func nextPage() async throws {
        let world = FeedWorld(.page(first), .page(second))
        _ = try await world.service.feed.load()
        #expect(try await world.service.page(after: first).value == second)
        #expect(world.client.requests[1].url.query()?.contains("after_id=\(first[9].id.uuidString)") == true)
        #expect(try await world.service.feed.saved()?.value == first + second)
    }

    @Test("A page loaded later does not make older items look fresher")
    func keepsStamp() async throws {
        let world = FeedWorld(.page(first), .page(second), .refused)
        let savedAt = world.date.now
        _ = try await world.service.feed.load()
        world.date.advance(by: Duration.days(6).timeInterval)
        _ = try await world.service.page(after: first)
        #expect(try await world.service.feed.saved()?.savedAt == savedAt)
        world.date.advance(by: Duration.days(1).timeInterval)
        #expect(try await world.service.feed.saved() == nil)
    }

    @Test("The first page's validators do not vouch for the pages after it: a 304 renews the first page alone")
    func validators() async throws {
        let world = FeedWorld(.page(first, headers: ["ETag": "\"1\""]), .page(second), .answer(status: 304))
        _ = try await world.service.feed.load()
        let savedAt = world.date.now
        _ = try await world.service.page(after: first)
        world.date.advance(by: 60)
        _ = try await world.service.feed.load()
        #expect(world.client.requests[1].headers["If-None-Match"] == nil)
        #expect(world.client.requests[2].headers["If-None-Match"] == "\"1\"")
        #expect(try await world.service.pages.saved()?.value.pages.map(\.savedAt) == [savedAt + 60, savedAt])
    }

    @Test("A refresh keeps the pages that were loaded before: 48 pictures stay 48 without a connection")
    func keepsPages() async throws {
        let replies: [ScriptedHTTPClient.Reply] = [
            .page(items(1)), .page(items(11)), .page(items(21)), .page(items(31)), .page(items(41, count: 8)),
            .page(items(1)), .offline,
        ]
        let world = FeedWorld(client: ScriptedHTTPClient(replies))
        _ = try await world.service.pages.load()
        let service = world.service
        for _ in 0..<4 { _ = try await service.pages.loadMore() }
        #expect(try await world.service.feed.load().value == items(1), "the newest page alone is what the remote gave")
        let offline = try await world.service.feed.load()
        #expect(offline.value == items(1, count: 48))
        #expect(offline.source == .cache(savedAt: world.date.now, because: .connectivity(TransportError(.offline))))
    }

    @Test("Author, date, number of comments and size are saved, and shown without a connection")
    func extensionIsSaved() async throws {
        let item = FeedItem(
            id: first[0].id, description: nil, location: nil, image: first[0].image, author: "Ana Prado",
            createdAt: Date(timeIntervalSince1970: 1_598_627_222), commentCount: 3,
            size: FeedItem.Size(width: 800, height: 600))
        let body =
            #"{"items":[{"id":"\#(item.id.uuidString)","image":"\#(item.image.absoluteString)","author":{"username":"Ana Prado"},"created_at":"2020-08-28T15:07:02Z","comment_count":3,"width":800,"height":600}]}"#
        let world = FeedWorld(.answer(body: Data(body.utf8)), .offline)
        #expect(try await world.service.feed.load().value == [item])
        let offline = try await world.service.feed.load()
        #expect(offline.value == [item] && offline.source != .remote)
    }

    @Test("Pictures behind a gap are saved, and no list pretends that they follow")
    func gap() async throws {
        let world = FeedWorld(.page(items(11)), .page(items(1)), .offline)
        _ = try await world.service.pages.load()
        world.date.advance(by: 60)
        let list = try await world.service.pages.load().value
        #expect(list.pages.map(\.items) == [items(1), items(11)] && list.gaps.count == 1)
        #expect(try await world.service.feed.load().value == items(1))
        #expect(try await world.service.pages.saved()?.value == list)
    }

    @Test("Each entry of the feed is one that the feature knows")
    func entriesAreKnown() async throws {
        let world = FeedWorld(.page(first), .page(second))
        _ = try await world.service.feed.load()
        _ = try await world.service.page(after: first)
        let entries = try await world.store.entries()
        #expect(entries.count == 2)
        for summary in entries {
            let entry = try #require(try await world.store.retrieve(summary.key))
            let family = try #require(FeedService.entries.first { $0.contains(summary.key) })
            #expect(family.accepts(entry.bytes))
            #expect(!family.accepts(entry.bytes.dropLast()))
        }
    }

    @Test("An empty page is the end, and so is one that brings nothing new", arguments: [true, false])
    func end(isEmpty: Bool) async throws {
        let world = FeedWorld(.page(first), .page(isEmpty ? [] : first))
        _ = try await world.service.feed.load()
        #expect(try await world.service.page(after: first).value.isEmpty)
        #expect(try await world.service.feed.saved()?.value == first)
    }

    @Test("A page that belongs to a list no longer saved is delivered and not appended")
    func outdatedPage() async throws {
        let world = FeedWorld(.page(second), .page(items(21)))
        _ = try await world.service.feed.load()
        #expect(try await world.service.page(after: first).value == items(21))
        #expect(try await world.service.feed.saved()?.value == second)
    }

    @Test("A page that fails leaves the saved copy as it is")
    func failedPage() async throws {
        let world = FeedWorld(.page(first), .refused)
        _ = try await world.service.feed.load()
        let error = await failure { () async throws(LoadError) in try await world.service.page(after: first) }
        #expect(error?.reason == .connectivity)
        #expect(try await world.service.feed.saved()?.value == first)
    }

    @Test("A page that cannot be saved is delivered, with the save error beside it")
    func unsavedPage() async throws {
        let world = FeedWorld(.page(first), .page(second))
        _ = try await world.service.feed.load()
        world.store.fail(.update, with: .full(path: "/store"))
        #expect(
            try await world.service.page(after: first)
                == Loaded(second, source: .remote, saveError: .full(path: "/store")))
    }

    // MARK: Pictures and comments

    @Test("Bytes that are no picture are refused and not saved; asked again, the picture comes and is saved")
    func noPicture() async throws {
        let picture = Data([0xFF, 0xD8, 0xFF, 0xE0])
        let world = FeedWorld(.answer(body: Data("<html>".utf8)), .answer(body: picture))
        let url = first[0].image
        let error = await failure { () async throws(LoadError) in try await world.service.pictures.data(for: url) }
        #expect(error == .invalidData(.body("the body is no picture")))
        #expect(try await world.pictureStore.entries().isEmpty)
        #expect(try await world.service.pictures.data(for: url).value == picture)
        #expect(try await world.pictureStore.entries().map(\.kind) == [.data])
    }

    @Test("Comments are loaded, saved, and shown offline for seven days")
    func comments() async throws {
        let body = Data(
            #"{"items":[{"id":"0A0A0A0A-0000-0000-0000-000000000001","message":"Oi","created_at":"2020-08-28T15:07:02Z","author":{"username":"ana"}}]}"#
                .utf8)
        let world = FeedWorld(.answer(status: 201, body: body), .refused, .refused)
        let comments = world.service.comments(on: first[0].id)
        let online = try await comments.load()
        #expect(online.source == .remote && online.value.map(\.message) == ["Oi"])
        world.date.advance(by: 60)
        #expect(try await comments.load().value == online.value)
        world.date.advance(by: Duration.days(7).timeInterval)
        #expect(await failure { () async throws(LoadError) in try await comments.load() }?.reason == .connectivity)
    }
}
