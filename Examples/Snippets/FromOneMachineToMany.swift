import Aquifer
import AquiferPostgres
import AquiferRedis
import AquiferTesting
import Foundation
import ServerPrograms
import Testing

/// The stores of a service that runs on several machines.
struct Stores {
    /// The queues and payments, which cannot be loaded again.
    let kept: any CacheStore
    /// The lists and pictures, which can be loaded again and are read all the time.
    let hot: any CacheStore

    init(postgres: String, redis: String) async throws {
        kept = try await PostgresStore(postgres)
        let lists = try await PostgresStore(postgres, schema: "lists")
        hot = TieredStore(memory: .megabytes(64), over: try RedisStore(redis, expireAfter: .days(7)), over: lists)
    }
}

/// The outbox of one machine. Each machine has one like it, over the same store.
func outbox(in stores: Stores, client: any HTTPClient) -> Outbox {
    Outbox(in: stores.kept, client: client)
}

/// A line for the log at the start: what the cache promises.
func promises(of redis: RedisStore) async throws -> String {
    let settings = try await redis.settings()
    let survives = settings.durability.map { "survives: \($0.rawValue)" } ?? "durability unknown"
    let full = settings.forgetsWhenFull.map { $0 ? "forgets when full" : "refuses when full" } ?? "unknown when full"
    return "\(survives), \(full)"
}

@Suite("From one machine to many", .timeLimit(.minutes(2)))
struct FromOneMachineToManyTests {
    private static func server(_ name: String) throws -> ServerProgram {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Scripts/\(name)")
        return try ServerProgram(script.standardizedFileURL.path)
    }

    @Test("Two machines share a list and a queue: an item that one has queued, the other sends, once")
    func twoMachines() async throws {
        let (postgres, redis) = (try Self.server("postgres"), try Self.server("redis"))
        let address = "postgresql://postgres@127.0.0.1:\(postgres.port)/postgres"
        let one = try await Stores(postgres: address, redis: "redis://127.0.0.1:\(redis.port)")
        let two = try await Stores(postgres: address, redis: "redis://127.0.0.1:\(redis.port)")

        let names = Cache<[String]>(key: "names", in: one.hot)
        try await names.save(["Ana"])
        #expect(try await Cache<[String]>(key: "names", in: two.hot).load()?.value == ["Ana"])

        let client = ScriptedHTTPClient { _ in .answer(status: 201) }
        let url = try #require(URL(string: "https://example.com/notes"))
        try await outbox(in: one, client: client).enqueue(HTTPRequest(.post, url, body: .bytes(Data("hello".utf8))))
        _ = try await outbox(in: two, client: client).drain()
        _ = try await outbox(in: one, client: client).drain()
        #expect(client.requests.count == 1)

        let words = try await promises(of: try RedisStore("redis://127.0.0.1:\(redis.port)"))
        #expect(words == "survives: nothing, refuses when full")
    }
}
