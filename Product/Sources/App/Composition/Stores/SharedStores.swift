import Aquifer
import AquiferPostgres
import AquiferRedis
import Foundation

/// Stores in servers that machines share: a schema of PostgreSQL each, and Redis before those that are caches.
public final class SharedStores: StorePlace {
    /// The connections of one store at most. One more listens.
    private static let connections = 2
    /// The bytes in memory before each cache.
    private static let memory = TieredStore.Bound.megabytes(16)
    /// The time after which Redis forgets an entry, so that a copy that nobody could delete does not stay.
    private static let expiry = Duration.hours(1)

    private let stores: [StoreKind: any CacheStore]

    private init(_ stores: [StoreKind: any CacheStore]) { self.stores = stores }

    /// Connects to the servers.
    ///
    /// - Throws: ``StoreError`` if one of them cannot be reached, refuses the user, or holds tables of a newer version. Its text has no
    ///   password.
    public static func open(_ servers: StoreServers) async throws(StoreError) -> SharedStores {
        // One is opened first: the message about a server that is away is one.
        var stores = [StoreKind.server: try await open(.server, servers)]
        let rest = await withTaskGroup(of: (StoreKind, Result<any CacheStore, StoreError>).self) { group in
            for kind in StoreKind.allCases where kind != .server {
                group.addTask {
                    do throws(StoreError) { return (kind, .success(try await open(kind, servers))) } catch {
                        return (kind, .failure(error))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for (kind, opened) in rest { stores[kind] = try opened.get() }
        return SharedStores(stores)
    }

    private static func open(_ kind: StoreKind, _ servers: StoreServers) async throws(StoreError) -> any CacheStore {
        let name = "aquifer_\(kind.rawValue)"
        let truth = try await PostgresStore(servers.store.text, schema: name, connections: connections)
        guard kind.isCache, let cache = servers.cache else { return truth }
        let redis = try RedisStore(cache.text, prefix: name, expireAfter: expiry)
        _ = try await redis.settings()  // it connects at its first use
        return TieredStore(memory: memory, over: redis, over: truth)
    }

    /// The store of a kind, which is open.
    public func store(_ kind: StoreKind) -> any CacheStore {
        guard let store = stores[kind] else { preconditionFailure("each kind was opened") }
        return store
    }
}
