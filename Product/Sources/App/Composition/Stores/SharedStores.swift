import Aquifer
import AquiferPostgres
import AquiferRedis
import Foundation

/// Stores in servers that machines share: a schema of PostgreSQL each, and Redis before those that are caches.
public final class SharedStores: StorePlace {
    /// The connections of one store at most. One more listens.
    private static let connections = 2
    /// The time that a call waits for PostgreSQL. A failover takes less, and the calls of a page end before a proxy gives it up.
    private static let patience = Duration.seconds(10)
    /// The bytes in memory before each cache.
    private static let memory = TieredStore.Bound.megabytes(16)
    /// The time after which Redis forgets an entry, so that a copy that nobody could delete does not stay.
    private static let expiry = Duration.hours(1)

    private let stores: [StoreKind: Opened]

    /// The store of a kind, and the one beneath its caches.
    private struct Opened {
        let store: any CacheStore
        let truth: PostgresStore
        var cacheFailure: StoreError?
    }

    private init(_ stores: [StoreKind: Opened]) { self.stores = stores }

    /// The reason why the cache could not be reached; `nil` if it could, or there is none. The stores do without it until it comes.
    public var cacheFailure: StoreError? { stores.values.lazy.compactMap(\.cacheFailure).first }

    /// True if a failure of ``open(_:)`` may pass by itself: a server is away, starting or full. False if the servers refuse what they
    /// were told.
    public static func mayPass(_ failure: StoreError, of servers: StoreServers) async -> Bool {
        switch failure {
        case .failed, .uncertain, .busy, .full:
            if await PostgresStore.isRefused(servers.store.text) { return false }
            guard let cache = servers.cache else { return true }
            return await !RedisStore.isRefused(cache.text)
        default: return false
        }
    }

    /// Connects to the servers.
    ///
    /// - Throws: ``StoreError`` if one of them cannot be reached, refuses the user, or holds tables of another version. Its text has no
    ///   password.
    public static func open(_ servers: StoreServers) async throws(StoreError) -> SharedStores {
        // One is opened first: the message about a server that is away is one.
        let facts = try await open(.server, servers, identity: "")
        var stores = [StoreKind.server: facts]
        let identity = servers.cache == nil ? "" : try await identity(of: facts.store)
        let rest = await withTaskGroup(of: (StoreKind, Result<Opened, StoreError>).self) { group in
            for kind in StoreKind.allCases where kind != .server {
                group.addTask {
                    do throws(StoreError) {
                        return (kind, .success(try await open(kind, servers, identity: identity)))
                    } catch {
                        return (kind, .failure(error))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for (kind, opened) in rest { stores[kind] = try opened.get() }
        return SharedStores(stores)
    }

    /// Connects to the servers, and tries again as long as they are away.
    ///
    /// - Parameter away: told of each failure that may pass by itself, if it differs from the one before.
    /// - Throws: ``StoreError`` if the servers refuse what they were told, or hold tables of another version.
    public static func awaited(
        _ servers: StoreServers, clock: any Clock<Duration> = ContinuousClock(), away: (StoreError) -> Void
    ) async throws(StoreError) -> SharedStores {
        var told: StoreError?
        while true {
            let failure: StoreError
            do throws(StoreError) { return try await open(servers) } catch { failure = error }
            guard await mayPass(failure, of: servers) else { throw failure }
            if failure != told { away(failure) }
            told = failure
            do { try await clock.sleep(for: .seconds(1)) } catch { throw failure }
        }
    }

    /// The name of the stores in a cache, which others may use, too. The first replica makes it.
    static func identity(of facts: any CacheStore) async throws(StoreError) -> String {
        let draft = AccessToken.random()
        return try await facts.decide("identity") { found throws(StoreError) -> (EntryChange, String) in
            do throws(StoreError) {
                if let entry = try found.get() { return (.keep, String(decoding: entry.bytes, as: UTF8.self)) }
            } catch { guard case .unreadable = error else { throw error } }
            return (.replace(StoredEntry(bytes: Data(draft.utf8), savedAt: Date(timeIntervalSince1970: 0))), draft)
        }
    }

    private static func open(
        _ kind: StoreKind, _ servers: StoreServers, identity: String
    ) async throws(StoreError) -> Opened {
        let name = schema(of: kind)
        let truth = try await PostgresStore(
            servers.store.text, schema: name, connections: connections, patience: patience)
        guard kind.isCache, let cache = servers.cache else { return Opened(store: truth, truth: truth) }
        let redis = try RedisStore(cache.text, prefix: "\(name):\(identity)", expireAfter: expiry)
        var opened = Opened(store: TieredStore(memory: memory, over: redis, over: truth), truth: truth)
        do throws(StoreError) { _ = try await redis.settings() } catch {
            // A cache that is away is done without. One that refuses was given a wrong password.
            if await RedisStore.isRefused(cache.text) { throw error }
            opened.cacheFailure = error
        }
        return opened
    }

    /// The store of a kind, which is open.
    public func store(_ kind: StoreKind) -> any CacheStore {
        guard let opened = stores[kind] else { preconditionFailure("each kind was opened") }
        return opened.store
    }

    /// The statements that make the tables of all stores, for those who make them by hand.
    ///
    /// - Parameter role: a user who gets the rights that the product needs then, and no others; `nil` for no grants.
    public static func definition(role: String? = nil) -> String {
        StoreKind.allCases.map { PostgresStore.definition(schema: schema(of: $0), role: role) }.joined(separator: "\n")
    }

    private static func schema(of kind: StoreKind) -> String { "aquifer_\(kind.rawValue)" }

    /// The use of each store.
    public var uses: [StoreUse] {
        StoreKind.allCases.compactMap { kind in
            stores[kind].map { opened in
                let memory = (opened.store as? TieredStore)?.memoryUse
                return StoreUse(
                    kind: kind, pool: opened.truth.use, memoryBytes: memory?.bytes, memoryEvictions: memory?.evictions)
            }
        }
    }
}
