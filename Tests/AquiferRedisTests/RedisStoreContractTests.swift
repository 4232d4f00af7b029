import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import ServerPrograms
import Testing

@testable import AquiferRedis

@Suite("The store in Redis", .timeLimit(.minutes(10)))
struct RedisStoreContractTests {
    @Test("keeps the contract", arguments: CacheStoreContract.checks(for: .redis))
    func contract(check: CacheStoreContract.Check) async throws {
        try await check.run(.redis)
    }

    @Test("keeps the contract of transactions", arguments: CacheStoreContract.transactions(for: .transactions()))
    func transactions(check: CacheStoreContract.Check) async throws { try await check.run(.transactions()) }

    @Test("keeps the contract in a scope", arguments: CacheStoreContract.checks(for: .justMade))
    func scoped(check: CacheStoreContract.Check) async throws {
        try await check.run(
            CacheStoreContract.Subject(make: { Scope("user/4", in: try PlacedStore()).store }, isShared: true))
    }

    @Test("one promise is not checked over a shared store: that calls for different keys never overlap")
    func all() {
        #expect(CacheStoreContract.passedOver(for: .redis).map(\.requirement) == [.embedded])
    }
}

extension CacheStoreContract.Subject {
    static var justMade: Self { Self(make: { MemoryStore() }, isShared: true) }

    /// Stores by themselves, each under a prefix of its own.
    static func transactions() -> Self {
        let placed = Locked<[ObjectIdentifier: PlacedStore]>([:])
        let open = { @Sendable (prefix: String) in
            let store = try PlacedStore(prefix: prefix)
            placed.withLock { $0[ObjectIdentifier(store.redis)] = store }
            return store.redis
        }
        let place = { @Sendable (store: any CacheStore) in
            let redis = try #require(store as? RedisStore)
            return try #require(placed.withLock { $0[ObjectIdentifier(redis)] })
        }
        return Self(
            make: { try open("test-\(UUID().uuidString.prefix(13))") }, reopen: { try open(place($0).prefix) },
            corrupt: { key, store in try await place(store).change(key) { $0[$0.count - 1] ^= 0x10 } }, isShared: true,
            isTransactional: true)
    }

    static var redis: Self {
        Self(
            make: { try PlacedStore() },
            reopen: { try PlacedStore(prefix: (try #require($0 as? PlacedStore)).prefix) },
            makeFailing: { entries in
                // A replica refuses each write, and tells what it has.
                let server = try RedisServer.make()
                let store = try PlacedStore(server: server)
                for (key, entry) in entries { try await store.insert(entry, for: key) }
                try await store.run("REPLICAOF", "127.0.0.1", "1")
                return store
            },
            corrupt: { key, store in
                try await (try #require(store as? PlacedStore)).change(key) { $0[$0.count - 1] ^= 1 }
            },
            damages: [
                change("the generation") { $0[3] ^= 1 },
                change("the mark") { $0[20] ^= 1 },
                change("the checksum of the head") { $0[39] ^= 1 },
                change("the date in the header") { $0[Value.headLength + 24] ^= 1 },
                change("the checksum of the header") { $0[Value.headLength + 40] ^= 1 },
                change("the key in the header") { $0[Value.headLength + 56] ^= 1 },
                change("the bytes, which are shorter") { $0.removeLast() },
                change("the value, which is cut in its head") { $0 = Data($0.prefix(20)) },
                change("the value, which is cut after its head") { $0 = Data($0.prefix(Value.headLength)) },
                .init("the value, which is another entry's") { key, store in
                    try await (try #require(store as? PlacedStore)).change(key) { value in
                        let generation = Data(value.prefix(Value.generationLength))
                        value = try Value.make(entry("other"), "other", generation: generation, mark: Value.token())
                    }
                },
            ],
            isShared: true)
    }

    private static func change(_ name: String, _ change: @escaping @Sendable (inout Data) -> Void) -> Damage {
        Damage(name) { key, store in try await (try #require(store as? PlacedStore)).change(key, change) }
    }
}
