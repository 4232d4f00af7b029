import Aquifer
import AquiferConcurrency
import AquiferImageFeed
import AquiferTesting
import Foundation
import HTTPServer
import ReferenceAPIs
import Testing

@Suite("The reference feed keeps its contract", .timeLimit(.minutes(10)))
struct ReferenceFeedTests {
    private let now = Date(timeIntervalSince1970: 1_780_000_000)

    private func feed(_ way: Way, _ test: (any HTTPClient, URL) async throws -> Void) async throws {
        try await way.run(try ReferenceAPIs(now: { [now] in now })) { client, base in
            try await test(client, base.appending(path: "feed"))
        }
    }

    private func page(_ client: any HTTPClient, _ base: URL, after last: UUID? = nil) async throws -> [FeedItem] {
        try await RemoteLoader(.feed(base, after: last), client: client, map: FeedMapper.map).load()
    }

    private func get(_ client: any HTTPClient, _ url: URL, _ headers: HTTPHeaders = [:]) async throws -> (
        HTTPResponseHead, Data
    ) {
        let response = try await client.send(HTTPRequest(.get, url, headers: headers))
        return (response.head, try await response.data(upTo: 1 << 20))
    }

    @Test("Pages of ten lead through at least forty items, each once, to an empty page", arguments: Way.allCases)
    func paging(way: Way) async throws {
        try await feed(way) { client, base in
            var all = try await page(client, base)
            #expect(all.count == 10)
            while true {
                let next = try await page(client, base, after: all.last?.id)
                if next.isEmpty { break }
                #expect(next.count <= 10)
                all += next
            }
            #expect(all.count >= 40)
            #expect(Set(all.map(\.id)).count == all.count)
        }
    }

    @Test("Every picture is there in two forms, is a picture, and is small", arguments: Way.allCases)
    func pictures(way: Way) async throws {
        try await feed(way) { client, base in
            let items = try await RemoteLoader(.feed(base, limit: 1000), client: client, map: FeedMapper.map).load()
            #expect(items.count >= 40)
            for item in items {
                let (head, bytes) = try await get(client, item.image)
                try PictureCheck.check(head, bytes)
                #expect(bytes.count < 100_000)
                #expect(item.variants.map(\.width) == [400])
                for variant in item.variants {
                    let (head, smaller) = try await get(client, variant.url)
                    try PictureCheck.check(head, smaller)
                    #expect(smaller.count < bytes.count)
                }
            }
        }
    }

    @Test("Comments come with dates in all the contract's forms, for every picture", arguments: Way.allCases)
    func comments(way: Way) async throws {
        try await feed(way) { client, base in
            let items = try await RemoteLoader(.feed(base, limit: 1000), client: client, map: FeedMapper.map).load()
            var counts: Set<Int> = []
            for item in items {
                let comments = try await RemoteLoader(
                    .comments(base, image: item.id), client: client, map: CommentsMapper.map
                ).load()
                counts.insert(comments.count)
                #expect(comments.allSatisfy { $0.createdAt <= now && !$0.message.isEmpty && !$0.author.isEmpty })
            }
            #expect(counts.contains(0) && counts.count > 3)
        }
    }

    @Test(
        "Items have author, date, number of comments and the size of their picture; the newest come first",
        arguments: Way.allCases)
    func extensionFields(way: Way) async throws {
        try await feed(way) { client, base in
            let items = try await RemoteLoader(.feed(base, limit: 1000), client: client, map: FeedMapper.map).load()
            for item in items {
                let comments = try await RemoteLoader(
                    .comments(base, image: item.id), client: client, map: CommentsMapper.map
                ).load()
                #expect(item.commentCount == comments.count)
                let date = try #require(item.createdAt)
                #expect(date <= now && comments.allSatisfy { $0.createdAt >= date })
                #expect(item.author?.isEmpty == false)
                let (_, picture) = try await get(client, item.image)
                #expect(item.size == Self.size(ofJPEG: picture))
            }
            let dates = items.compactMap(\.createdAt)
            #expect(dates == dates.sorted(by: >) && Set(dates).count == items.count)
        }
    }

    /// The size that the frame of a JPEG file tells.
    private static func size(ofJPEG data: Data) -> FeedItem.Size? {
        let bytes = Array(data)
        var place = 2
        while place + 9 < bytes.count, bytes[place] == 0xFF {
            if (0xC0...0xC2).contains(bytes[place + 1]) {
                return FeedItem.Size(
                    width: Int(bytes[place + 7]) << 8 | Int(bytes[place + 8]),
                    height: Int(bytes[place + 5]) << 8 | Int(bytes[place + 6]))
            }
            place += 2 + (Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]))
        }
        return nil
    }

    @Test("A page has the same validator after a restart within the hour")
    func validatorAfterRestart() async throws {
        func etag(_ seconds: TimeInterval) async throws -> String? {
            let start = Date(timeIntervalSince1970: 1_779_998_400 + seconds)
            let apis = try ReferenceAPIs(now: { start })
            return await apis.handler(ServerRequest("GET", "/feed/v1/feed")).headers["ETag"]
        }
        let first = try await etag(1)
        #expect(first != nil)
        #expect(try await etag(3_599) == first)
        #expect(try await etag(3_600) != first)
    }

    @Test("An ETag is sent, and a 304 to who still has it", arguments: Way.allCases, ["v1/feed", "pictures/01.jpg"])
    func etag(way: Way, path: String) async throws {
        try await feed(way) { client, base in
            let (head, body) = try await get(client, base.appending(path: path))
            let etag = try #require(head.headers["ETag"])
            #expect(!body.isEmpty)
            let (again, nothing) = try await get(client, base.appending(path: path), ["If-None-Match": etag])
            #expect(again.status == 304 && nothing.isEmpty)
            #expect(try await get(client, base.appending(path: path), ["If-None-Match": "\"other\""]).0.status == 200)
        }
    }

    @Test("A range of a picture is that range", arguments: Way.allCases)
    func range(way: Way) async throws {
        try await feed(way) { client, base in
            let url = base.appending(path: "pictures/01.jpg")
            let whole = try await get(client, url).1
            let (head, part) = try await get(client, url, ["Range": "bytes=100-199"])
            #expect(head.status == 206)
            #expect(head.headers["Content-Range"] == "bytes 100-199/\(whole.count)")
            #expect(part == whole[100..<200])
            #expect(try await get(client, url, ["Range": "bytes=99999999-"]).0.status == 416)
        }
    }

    @Test(
        "What is not in the contract is refused with a word",
        arguments: [
            ("v1/feed?limit=0", 400), ("v1/feed?limit=x", 400), ("v1/feed?after_id=1", 400),
            ("v1/image/00000000-0000-0000-0000-000000000000/comments", 404), ("pictures/none.jpg", 404),
            ("v1/nothing", 404),
        ])
    func refusals(target: String, status: Int) async throws {
        try await feed(.inProcess) { client, base in
            let url = try #require(URL(string: "\(base.absoluteString)/\(target)"))
            #expect(try await get(client, url).0.status == status)
        }
    }

    @Test("A remote that is not there is 404")
    func noRemote() async throws {
        let apis = try ReferenceAPIs(now: { [now] in now })
        #expect(await apis.handler(ServerRequest("GET", "/nothing/v1/feed")).status == 404)
    }
}

@Suite("Faults on demand", .timeLimit(.minutes(10)))
struct FaultTests {
    private func outcome(_ fault: Fault, _ way: Way, clock: any Clock<Duration> = ContinuousClock()) async throws
        -> LoadError?
    {
        let apis = try ReferenceAPIs(clock: clock)
        apis.set(fault, of: .feed)
        #expect(apis.fault(of: .feed) == fault)
        let outcome = Locked<LoadError?>(nil)
        try await way.run(apis) { client, base in
            do throws(LoadError) {
                _ = try await RemoteLoader(.feed(base.appending(path: "feed")), client: client, map: FeedMapper.map)
                    .load()
            } catch { outcome.withLock { $0 = error } }
        }
        return outcome.withLock { $0 }
    }

    @Test("Offline is a lack of connectivity", arguments: Way.allCases)
    func offline(way: Way) async throws {
        #expect(try await outcome(.offline, way)?.reason == .connectivity)
    }

    @Test("A cut body is a lack of connectivity", arguments: Way.allCases)
    func cut(way: Way) async throws {
        #expect(try await outcome(.cut, way)?.reason == .connectivity)
    }

    @Test("Failing is a 503", arguments: Way.allCases)
    func failing(way: Way) async throws {
        #expect(try await outcome(.failing, way) == .invalidData(.status(503)))
    }

    @Test("Garbage is a 200 with wrong JSON", arguments: Way.allCases)
    func garbage(way: Way) async throws {
        #expect(try await outcome(.garbage, way) == .invalidData(.body(".items is not an array")))
    }

    @Test("Online is nothing wrong", arguments: Way.allCases)
    func online(way: Way) async throws {
        #expect(try await outcome(.none, way) == nil)
    }

    @Test("Slow takes its time, then answers; who leaves meanwhile is seen to leave")
    func slow() async throws {
        let clock = ManualClock()
        let apis = try ReferenceAPIs(clock: clock)
        apis.set(.slow, of: .feed)
        let request = Task { await apis.handler(ServerRequest("GET", "/feed/v1/feed")) }
        await clock.waitForSleepers(1)
        #expect(apis.transfers(of: .feed).active == 1)
        request.cancel()
        #expect(await request.value.isDropped)
        let counts = apis.transfers(of: .feed)
        #expect(counts.active == 0 && counts.cut == 1 && counts.completed == 0)
    }

    @Test("Transfers are counted: those answered whole, and those cut")
    func counts() async throws {
        let apis = try ReferenceAPIs()
        _ = await apis.handler(ServerRequest("GET", "/feed/v1/feed"))
        apis.set(.offline, of: .feed)
        _ = await apis.handler(ServerRequest("GET", "/feed/v1/feed"))
        let counts = apis.transfers(of: .feed)
        #expect(counts.active == 0 && counts.completed == 1 && counts.cut == 1)
    }
}
