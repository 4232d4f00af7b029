import Aquifer
import AquiferTesting
import Foundation
import ServerPrograms
import Testing

@testable import AquiferRedis

/// The server of all tests that leave it alone. Each test has a prefix of its own.
enum RedisServer {
    static let shared = Result { try make() }

    static func make(_ options: [String] = []) throws -> ServerProgram {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Scripts/redis")
        return try ServerProgram(script.standardizedFileURL.path, options)
    }
}

extension ServerProgram {
    var address: String { "redis://127.0.0.1:\(port)" }
}

/// A store that knows its server and its prefix, so that another one can be opened there, or harm it.
struct PlacedStore: ForwardingStore {
    let base: any CacheStore
    let redis: RedisStore
    let prefix: String
    let server: ServerProgram

    init(
        prefix: String = "test-\(UUID().uuidString.prefix(13))", expireAfter: Duration? = nil,
        patience: Duration = .seconds(20), server: ServerProgram? = nil
    ) throws {
        self.prefix = prefix
        self.server = try server ?? RedisServer.shared.get()
        redis = try RedisStore(self.server.address, prefix: prefix, expireAfter: expireAfter, patience: patience)
        base = redis
    }

    /// Runs a command as another program would.
    @discardableResult
    func run(_ words: [Data]) async throws -> Reply {
        let reply = try await redis.answers([Command(words)], "run a command").0[0]
        if case .error(let reason) = reply { Issue.record("\(reason)") }
        return reply
    }

    @discardableResult
    func run(_ words: String...) async throws -> Reply { try await run(words.map { Data($0.utf8) }) }

    /// Changes the value of an entry behind the store's back.
    func change(_ key: String, _ change: (inout Data) throws -> Void) async throws {
        let name = redis.names.entry(key)
        var value = try #require(await run([Data("GET".utf8), name]).data)
        try change(&value)
        try await run([Data("SET".utf8), name, value])
    }
}

func entry(_ text: String) -> StoredEntry {
    StoredEntry(bytes: Data(text.utf8), savedAt: Date(timeIntervalSinceReferenceDate: 1))
}

/// The error that a call throws.
func thrown(_ body: () async throws(StoreError) -> Void) async -> StoreError? {
    do throws(StoreError) { try await body() } catch { return error }
    return nil
}

extension Value {
    /// A whole value.
    static func make(_ entry: StoredEntry, _ key: String, generation: Data, mark: Data) throws(StoreError) -> Data {
        try head(of: entry, key, generation: generation, mark: mark) + entry.bytes
    }
}
