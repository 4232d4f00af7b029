import Aquifer
import AquiferImageFeed
import AquiferSQLite
import Foundation

/// The paths that users walk most often: each screen, each load and each post passes some of them.
enum HotPath: String, CaseIterable {
    case memoryRetrieve = "retrieve 1 KB, MemoryStore"
    case retrieve = "retrieve 1 KB, SQLiteStore"
    case retrieveLarge = "retrieve 64 KB, SQLiteStore"
    case replace = "insert 1 KB over another, SQLiteStore"
    case savedShort = "saved feed of 20 items"
    case savedLong = "saved feed of 1 000 items"
    case load = "load of a feed of 20 items"
    case unchanged = "load of an unchanged feed of 20 items"
    case post = "post through an outbox"
    case updates = "update to 100 followers"
    /// Not ours: its count tells whether this system counts as the one does whose counts are recorded.
    case calibration

    /// Walks the path `count` times. The caller walks it twice, with two counts: the difference has no preparations in it.
    func walk(_ count: Int, in folder: URL) async throws {
        switch self {
        case .memoryRetrieve: try await Self.retrieve(count, 1 << 10, from: MemoryStore())
        case .retrieve: try await Self.retrieve(count, 1 << 10, from: try Self.store(folder))
        case .retrieveLarge: try await Self.retrieve(count, 64 << 10, from: try Self.store(folder))
        case .replace: try await Self.replace(count, in: try Self.store(folder))
        case .savedShort: try await Self.saved(count, items: 20, in: try Self.store(folder))
        case .savedLong: try await Self.saved(count, items: 1_000, in: try Self.store(folder))
        case .load: try await Self.load(count, AnsweringClient(try Feed.body(items: 20)), in: try Self.store(folder))
        case .unchanged:
            let client = AnsweringClient(try Feed.body(items: 20), etag: "\"1\"")
            try await Self.load(count, client, in: try Self.store(folder))
        case .post: try await Self.post(count, in: try Self.store(folder))
        case .updates: try await Self.updates(count, followers: 100)
        case .calibration: try Self.foreign(count)
        }
    }

    struct Wrong: Error {
        let what: String
    }

    private static func store(_ folder: URL) throws -> SQLiteStore {
        try SQLiteStore(file: folder.appending(path: "hot.sqlite"))
    }

    // MARK: Stores

    private static func retrieve(_ count: Int, _ size: Int, from store: some CacheStore) async throws {
        for key in 0..<16 { try await store.insert(entry(size, key), for: "k\(key)") }
        for turn in 0..<count {
            guard try await store.retrieve("k\(turn % 16)")?.bytes.count == size else { throw Wrong(what: "an entry") }
        }
    }

    private static func replace(_ count: Int, in store: some CacheStore) async throws {
        let entries = (0..<7).map { entry(1 << 10, $0) }
        for turn in 0..<count { try await store.insert(entries[turn % 7], for: "k\(turn % 16)") }
    }

    private static func entry(_ size: Int, _ number: Int) -> StoredEntry {
        let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: ($0 &+ number) &* 31 &+ ($0 >> 8)) })
        return StoredEntry(bytes: bytes, savedAt: Date(timeIntervalSince1970: 1_800_000_000))
    }

    // MARK: Loads

    private static func saved(_ count: Int, items: Int, in store: some CacheStore) async throws {
        let cache = Cache<[FeedItem]>(key: "feed", in: store, codec: .binary)
        try await cache.save(Feed.items(items))
        let feed = Resource(
            remote: RemoteLoader(Feed.request, client: AnsweringClient(Data()), map: FeedMapper.map), cache: cache)
        for _ in 0..<count {
            guard try await feed.saved()?.value.count == items else { throw Wrong(what: "a saved feed") }
        }
    }

    private static func load(_ count: Int, _ client: AnsweringClient, in store: some CacheStore) async throws {
        let feed = Resource(
            remote: RemoteLoader(Feed.request, client: client, map: FeedMapper.map),
            cache: Cache(key: "feed", in: store, codec: .binary))
        for _ in 0..<count {
            let loaded = try await feed.load()
            guard loaded.value.count == 20, loaded.saveError == nil else { throw Wrong(what: "a load") }
        }
    }

    /// A follower tells when it has the newest value; the next is saved when all have it.
    private static func updates(_ count: Int, followers: Int) async throws {
        let cache = Cache<Int>(key: "tick", in: MemoryStore(), codec: .json)
        try await cache.save(0)
        let client = AnsweringClient(Data())
        let resource = Resource(remote: RemoteLoader(Feed.request, client: client, map: { _, _ in 0 }), cache: cache)
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<followers {
                group.addTask {
                    for await case let tick? in resource.updates {
                        arrival.yield()
                        if tick.value == count { break }
                    }
                }
            }
            var waiting = arrivals.makeAsyncIterator()
            for number in 1...count + 1 {
                for _ in 0..<followers { await waiting.next() }
                if number <= count { try await cache.save(number) }
            }
        }
    }

    // MARK: Nothing of Aquifer

    /// Foundation decodes JSON; the C library copies, compares and searches bytes, and allocates them.
    private static func foreign(_ count: Int) throws {
        struct Answer: Decodable {
            let items: [[String: String]]
        }
        let body = try Feed.body(items: 20)
        let decoder = JSONDecoder()
        for turn in 0..<count {
            guard try decoder.decode(Answer.self, from: body).items.count == 20 else { throw Wrong(what: "JSON") }
            var copy = [UInt8](body)
            copy[0] = UInt8(truncatingIfNeeded: turn | 1)
            guard copy.withUnsafeBytes({ one in body.withUnsafeBytes { areEqual(one, $0) } }) else {
                throw Wrong(what: "bytes")
            }
        }
    }

    /// Equal but for the first byte.
    private static func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard let first = one.baseAddress, let second = other.baseAddress else { return false }
        return memcmp(first + 1, second + 1, one.count - 1) == 0 && memchr(second, 0xFF, other.count) == nil
    }

    // MARK: Sending

    private static func post(_ count: Int, in store: some CacheStore) async throws {
        let outbox = Outbox(in: store, client: AnsweringClient(Data(), status: 201))
        let body = Data(repeating: 0x61, count: 1 << 10)
        for _ in 0..<count {
            try await outbox.enqueue(HTTPRequest(.post, Feed.request.url, body: .bytes(body)), group: "notes")
            guard try await outbox.drainToEnd().sent == 1 else { throw Wrong(what: "a post") }
        }
    }
}
