import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import ServerPrograms
import Testing

@testable import AquiferRedis

@Suite("The store in Redis, its scopes, its server and its changes", .timeLimit(.minutes(5)))
struct RedisStoreTests {
    @Test("The server knows each script by the name that is sent")
    func names() async throws {
        let store = try PlacedStore()
        for script in Script.allCases {
            #expect(try await store.run("SCRIPT", "LOAD", script.rawValue).text == script.name, "\(script)")
        }
    }

    @Test("A call may wait for ever")
    func forEver() async throws {
        let store = try PlacedStore(patience: .seconds(Int64.max))
        try await store.insert(entry("a"), for: "a")
        #expect(try await store.retrieve("a") == entry("a"))
    }

    @Test("A server that has forgotten the scripts is told again")
    func forgotten() async throws {
        let store = try PlacedStore(server: try RedisServer.make())
        try await store.insert(entry("a"), for: "a")
        try await store.run("SCRIPT", "FLUSH")
        try await store.insert(entry("b"), for: "a")
        #expect(try await store.retrieve("a") == entry("b"))
    }

    @Test("A large entry on a slow network takes longer than a call waits for a server that is away, and no call fails")
    func slowNetwork() async throws {
        let server = try RedisServer.shared.get()
        // 8 MB take more than two seconds each way. Without signs of life, the connection would be given up after 1.3 s.
        let network = try SlowNetwork(to: server.port, piece: 32 * 1024, pause: 10_000)
        let (address, prefix) = ("redis://127.0.0.1:\(network.port)", "slow-\(UUID().uuidString.prefix(13))")
        let store = try RedisStore(address, prefix: prefix, patience: .milliseconds(300))
        let large = entry(String(repeating: "x", count: 8 << 20))
        try await store.insert(entry("small"), for: "small")
        async let insert: Void = store.insert(large, for: "large")
        // These are behind it.
        for _ in 0..<20 { #expect(try await store.retrieve("small") == entry("small")) }
        try await insert
        async let found = store.retrieve("large")
        for _ in 0..<20 { #expect(try await store.retrieve("small") == entry("small")) }
        #expect(try await found == large)
        // One for requests, one that hears of changes.
        #expect(network.connections == 2)
    }

    @Test("The end of a scope is one command, after which no entry of it is read or listed, and a sweep deletes them")
    func scopes() async throws {
        let store = try PlacedStore()
        let (ana, bo) = (Scope("ana", in: store), Scope("bo", in: store))
        for number in 0..<50 {
            try await ana.store.insert(entry("\(number)"), for: "mine/\(number)")
            try await bo.store.insert(entry("\(number)"), for: "mine/\(number)")
        }
        let old = try #require(try await store.entries().map(\.key).first { $0.hasPrefix("scope/ana/") })
        try await ana.end()
        #expect(try await store.retrieve(old) == nil)
        #expect(try await store.entries().allSatisfy { !$0.key.hasPrefix("scope/ana/") })
        #expect(try await bo.store.entries().count == 50)
        // They are on the server until they are swept.
        #expect(try await store.run([Data("EXISTS".utf8), store.redis.names.entry(old)]) == .integer(1))
        #expect(try await store.redis.sweep() == 50)
        #expect(try await store.run([Data("EXISTS".utf8), store.redis.names.entry(old)]) == .integer(0))
        #expect(try await store.redis.sweep() == 0)
        #expect(try await bo.store.retrieve("mine/7") == entry("7"))
    }

    @Test("A machine that has missed the end of a generation does not bring its entries back")
    func endedElsewhere() async throws {
        let store = try PlacedStore()
        let other = try PlacedStore(prefix: store.prefix)
        let part = "scope/ana/1/"
        try await other.insert(entry("old"), for: part + "old")
        try await store.insert(entry("a"), for: part + "a")
        try await store.deleteAll(prefix: part)
        try await other.insert(entry("new"), for: part + "new")
        #expect(try await store.retrieve(part + "old") == nil)
        #expect(try await store.retrieve(part + "a") == nil)
        #expect(try await store.contents(prefix: part).entries.map(\.key) == [part + "new"])
        try await store.update(part + "a") { found throws(StoreError) in
            #expect(try found.get() == nil)
            return .replace(entry("again"))
        }
        #expect(try await other.retrieve(part + "a") == entry("again"))
    }

    @Test("Keys with the characters of patterns are listed and deleted by their bytes")
    func patterns() async throws {
        let store = try PlacedStore()
        let keys = ["a*b", "a?b", "a[b]", "a\\b", "a^b", "a-b", "axb", "ab", "é", "e\u{301}", "a\u{0}b", "a\nb"]
        for key in keys { try await store.insert(entry(key), for: key) }
        for key in keys {
            let found = try await store.contents(prefix: key).entries.map(\.key)
            #expect(found.count == 1 && found[0].utf8.elementsEqual(key.utf8), "\(key): \(found)")
        }
        try await store.deleteAll(prefix: "a*")
        #expect(try await store.entries().count == keys.count - 1)
    }

    @Test("Long keys and validators, and lists longer than a page, are listed")
    func long() async throws {
        let store = try PlacedStore()
        let key = String(repeating: "🦊", count: 700)
        var large = entry(String(repeating: "x", count: 200_000))
        large.validators = Validators(etag: "\"\(String(repeating: "e", count: 2_000))\"")
        try await store.insert(large, for: key)
        #expect(try await store.entries() == [StoredEntry.Summary(large, key: key)])
        #expect(try await store.retrieve(key) == large)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<2_500 { group.addTask { try await store.insert(entry("\(number)"), for: "k\(number)") } }
            try await group.waitForAll()
        }
        #expect(Set(try await store.entries().map(\.key)).count == 2_501)
        try await store.deleteAll(prefix: "k1")
        #expect(try await store.entries().count == 2_501 - 1 - 10 - 100 - 1_000)
    }

    @Test("Changes of one machine are told on another, by key and by prefix")
    func changes() async throws {
        let store = try PlacedStore()
        let other = try PlacedStore(prefix: store.prefix)
        let (told, continuation) = AsyncStream<StoreChange>.makeStream()
        let observation = other.changes.observe { continuation.yield($0) }
        var iterator = told.makeAsyncIterator()
        // It hears from now on.
        #expect(await iterator.next() == .everything)
        try await store.insert(entry("a"), for: "user/4/a")
        try await store.update("user/4/b\u{0}") { _ in .replace(entry("b")) }
        try await store.update("user/4/b\u{0}") { _ in .keep }
        try await store.delete("user/4/a")
        try await store.delete("user/4/none")
        try await store.deleteAll(prefix: "user/4/")
        try await store.deleteAll(prefix: "user/4/")
        try await store.insert(entry("end"), for: "end")
        let expected: [StoreChange] = [
            .entry("user/4/a"), .entry("user/4/b\u{0}"), .entry("user/4/a"), .prefix("user/4/"), .entry("end"),
        ]
        for change in expected { #expect(await iterator.next() == change) }
        observation.cancel()
    }

    @Test("A server that was killed and has come back empty has no entry, takes new ones, and observers look again")
    func restart() async throws {
        let server = try RedisServer.make()
        let store = try PlacedStore(server: server)
        let (told, continuation) = AsyncStream<StoreChange>.makeStream()
        let observation = store.changes.observe { if $0 == .everything { continuation.yield($0) } }
        var iterator = told.makeAsyncIterator()
        _ = await iterator.next()
        try await store.insert(entry("a"), for: "a")
        try server.kill()
        async let waiting = store.retrieve("a")
        try server.start()
        #expect(try await waiting == nil)
        _ = await iterator.next()
        try await store.insert(entry("b"), for: "a")
        #expect(try await store.retrieve("a") == entry("b"))
        observation.cancel()
    }

    @Test("A flushed server is an empty store, also for a machine that knows the generation")
    func flushed() async throws {
        let store = try PlacedStore(server: try RedisServer.make())
        try await store.insert(entry("a"), for: "a")
        try await store.run("FLUSHALL")
        #expect(try await store.retrieve("a") == nil)
        #expect(try await store.contents().entries.isEmpty)
        try await store.insert(entry("b"), for: "b")
        #expect(try await store.entries().map(\.key) == ["b"])
    }

    @Test("A server that is away fails calls in time, and those after them at once")
    func away() async throws {
        let server = try RedisServer.make()
        let patient = try PlacedStore(server: server)
        let store = try PlacedStore(prefix: patient.prefix, patience: .milliseconds(300), server: server)
        try await patient.insert(entry("a"), for: "a")
        try server.kill()
        for _ in 0..<3 {
            let error = await thrown { () async throws(StoreError) in _ = try await store.retrieve("a") }
            guard case .failed(_, let reason) = error, reason.contains("127.0.0.1") else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        try server.start()
        let isBack = await eventually {
            await thrown { () async throws(StoreError) in try await store.insert(entry("b"), for: "b") } == nil
        }
        #expect(isBack)
        #expect(try await patient.retrieve("b") == entry("b"))
    }

    @Test("A full server refuses to save, and what is there can be read")
    func full() async throws {
        let store = try PlacedStore(server: try RedisServer.make(["--maxmemory-policy", "noeviction"]))
        try await store.insert(entry("a"), for: "a")
        try await store.run("CONFIG", "SET", "maxmemory", "1")
        let error = await thrown { () async throws(StoreError) in try await store.insert(entry("b"), for: "a") }
        #expect(error == .full(path: store.redis.place))
        #expect(try await store.retrieve("a") == entry("a"))
    }

    @Test(
        "A large entry is written under the same conditions as a small one, expires as one, and leaves nothing beside it"
    )
    func large() async throws {
        let store = try PlacedStore(server: try RedisServer.make())
        func large(_ letter: String) -> StoredEntry { entry(String(repeating: letter, count: 100_000)) }
        try await store.insert(large("a"), for: "a")
        try await store.run("SCRIPT", "FLUSH")
        let other = try PlacedStore(prefix: store.prefix, server: store.server)
        let (next, last) = (large("b"), large("c"))
        try await other.insert(next, for: "a")
        let seen = Locked<[StoredEntry?]>([])
        try await store.update("a") { found throws(StoreError) in
            let entry = try found.get()
            seen.withLock { $0.append(entry) }
            return .replace(last)
        }
        #expect(seen.withLock { $0 } == [next])
        #expect(try await other.retrieve("a") == last)
        #expect(try await store.run([Data("PTTL".utf8), store.redis.names.entry("a")]) == .integer(-1))
        let passing = try PlacedStore(prefix: store.prefix, expireAfter: .seconds(100), server: store.server)
        try await passing.insert(next, for: "a")
        let left = try #require(await store.run([Data("PTTL".utf8), store.redis.names.entry("a")]).integer)
        #expect((60_001...100_000).contains(left))
        #expect(try await store.run("KEYS", "*:t:*").list.isEmpty)
        #expect(try await store.entries().map(\.size) == [100_000])
    }

    @Test("Entries expire")
    func expiry() async throws {
        let store = try PlacedStore(expireAfter: .seconds(100))
        try await store.insert(entry("a"), for: "a")
        let left = try #require(await store.run([Data("PTTL".utf8), store.redis.names.entry("a")]).integer)
        #expect((1...100_000).contains(left))
        let forever = try PlacedStore()
        try await forever.insert(entry("a"), for: "a")
        #expect(try await forever.run([Data("PTTL".utf8), forever.redis.names.entry("a")]) == .integer(-1))
    }

    @Test("The settings tell what a change survives, and what a full server does")
    func settings() async throws {
        let plain = try PlacedStore()
        #expect(try await plain.redis.settings() == RedisSettings(durability: .nothing, forgetsWhenFull: false))
        let options = [
            "--appendonly", "yes", "--appendfsync", "always", "--maxmemory", "64mb", "--maxmemory-policy",
            "allkeys-lru",
        ]
        let kept = try PlacedStore(server: try RedisServer.make(options))
        let expected = RedisSettings(durability: .power, memoryLimit: 64 << 20, forgetsWhenFull: true)
        #expect(try await kept.redis.settings() == expected)
    }

    @Test("A user and a password are sent; a wrong one is told at once, without it")
    func password() async throws {
        let server = try RedisServer.make()
        let plain = try PlacedStore(server: server)
        try await plain.run("ACL", "SETUSER", "ana", "on", ">secret word", "~*", "&*", "+@all")
        let address = "redis://ana:secret%20word@127.0.0.1:\(server.port)/2"
        let store = try RedisStore(address)
        try await store.insert(entry("a"), for: "a")
        #expect(try await store.retrieve("a") == entry("a"))
        let wrong = try RedisStore(address.replacing("secret", with: "other"))
        let error = await thrown { () async throws(StoreError) in _ = try await wrong.retrieve("a") }
        guard case .failed(_, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("WRONGPASS") && !reason.contains("secret") && !reason.contains("other word"))
    }

    @Test("A server that refuses a password or a database is told from one that is away or starting")
    func refusals() async throws {
        let server = try RedisServer.make()
        try await PlacedStore(server: server).run("CONFIG", "SET", "requirepass", "secret")
        let (good, port) = ("redis://:secret@127.0.0.1:\(server.port)", server.port)
        for refused in [
            "redis://127.0.0.1:\(port)", "redis://:other@127.0.0.1:\(port)", "\(good)/99", "redis://127.0.0.1:70000",
            "rediss://:other@127.0.0.1:\(port)",
        ] {
            #expect(await RedisStore.isRefused(refused), "\(refused)")
        }
        for other in [good, "redis://:other@127.0.0.1:1"] {
            #expect(await !RedisStore.isRefused(other, patience: .milliseconds(500)), "\(other)")
        }
        try server.kill()
        #expect(await !RedisStore.isRefused("redis://:other@127.0.0.1:\(port)"))
    }
}
