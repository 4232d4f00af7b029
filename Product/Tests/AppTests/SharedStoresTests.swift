import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import HTTPServer
import Testing

@testable import App

/// Stores that replicas share, in memory.
final class MemoryStores: StorePlace {
    private let stores: [StoreKind: any CacheStore]

    /// - Parameters:
    ///   - server: the store of the facts that replicas agree on.
    ///   - values: the store of what was loaded.
    init(server: (any CacheStore)? = nil, values: (any CacheStore)? = nil) {
        var stores: [StoreKind: any CacheStore] = [:]
        for kind in StoreKind.allCases { stores[kind] = RepeatingStore(MemoryStore()) }
        if let server { stores[.server] = server }
        if let values { stores[.values] = values }
        self.stores = stores
    }

    func store(_ kind: StoreKind) -> any CacheStore { stores[kind] ?? MemoryStore() }
}

@Suite("Stores that replicas share", .timeLimit(.minutes(2)))
struct SharedStoresTests {
    @Test("Replicas that start at once have one token, which stays, and a damaged one is replaced for all")
    func token() async throws {
        let stores = MemoryStores()
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { try await stores.token() } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        let first = try #require(tokens.first)
        #expect(tokens.count == 1 && first.count == 32)
        #expect(try await stores.token() == first)
        try await stores.store(.server).insert(StoredEntry(bytes: Data("0\n".utf8), savedAt: Date()), for: "token")
        let second = try await stores.token()
        #expect(second != first && second.count == 32)
        #expect(try await stores.token() == second)
    }

    @Test("Replicas of one store have one name in a cache, and another store has another one")
    func identity() async throws {
        let store = MemoryStore()
        let (one, again) = (try await SharedStores.identity(of: store), try await SharedStores.identity(of: store))
        let other = try await SharedStores.identity(of: MemoryStore())
        #expect(one == again && one != other && one.count == 32)
    }

    @Test("A token that replicas could not agree on is an error, and no server starts")
    func noToken() async throws {
        let store = FaultyStore(MemoryStore())
        store.fail(.update, with: .failed(operation: "save", reason: "out of reach"))
        await #expect(throws: StoreError.self) { try await AccessToken.kept(in: store) }
    }

    @Test("A replica that cannot reach its store leads to another one, and one whose store is damaged does not")
    @MainActor
    func outOfReach() async {
        let store = FaultyStore(MemoryStore())
        store.fail(.retrieve, with: .failed(operation: "read", reason: "no route"))
        let world = AppWorld(token: "secret") { $0.stores = MemoryStores(values: store) }
        let saved = await world.request("GET", "/api/feed/saved", "", ["Authorization": "Bearer secret"])
        #expect(saved.status == 503 && saved.headers["Retry-After"] == "2")
        await world.services.stop()
        let away: [StoreError] = [
            .failed(operation: "read", reason: "no route"), .uncertain(operation: "save", reason: "no route"),
            .busy(path: "/"),
        ]
        let whole: [StoreError] = [.damaged(path: "/", reason: "torn"), .full(path: "/"), .readOnly(path: "/")]
        for error in away + whole {
            for answer in [
                ServerResponse.failure(of: error), .failure(.store(error, after: .connectivity), language: .english),
            ] {
                #expect(answer.status == (away.contains(error) ? 503 : 500), "\(error)")
                #expect(answer.headers["Retry-After"] == (away.contains(error) ? "2" : nil), "\(error)")
            }
        }
    }

    @Test("An address that was signed by one replica is admitted by another one, and by none with another token")
    func signedAddresses() async throws {
        let stores = MemoryStores()
        let now = Date()
        let first = SignedAddresses(token: try await stores.token()) { now }
        let second = SignedAddresses(token: try await stores.token()) { now }
        let signed = first.sign("/api/screens/audio/clips/1?tab=t")
        #expect(second.admits(ServerRequest("GET", signed)))
        #expect(!SignedAddresses(token: AccessToken.random()) { now }.admits(ServerRequest("GET", signed)))
    }

    @Test("Each kind of data of the local folder is in a file of its own")
    func files() {
        let local = LocalStores(URL(filePath: "/nowhere", directoryHint: .isDirectory))
        #expect(
            [.values, .pictures, .phrases, .payments, .outbox].map(local.name) == [
                "values.sqlite", "pictures.sqlite", "foaas.sqlite", "payments.sqlite", "outbox.sqlite",
            ])
    }
}

@Suite("The address of a server of stores")
struct StoreAddressTests {
    @Test(
        "is taken in the forms of its engine",
        arguments: [
            "postgresql://host/db", "postgres://user@host:5432/db",
            "postgresql://u:p%40@a,b:5433/db?target_session_attrs=any",
            "postgresql:///db?host=/run/postgresql", "postgresql://u:a?b@host/db",
        ])
    func good(_ text: String) throws { #expect(try StoreAddress.postgres(text).text == text) }

    @Test(
        "is refused otherwise, by words that repeat no part of it",
        arguments: [
            "secret", "host/secret", "mysql://u:secret@host/db", "postgresql:/u:secret@host", "redis://:secret@host",
            "postgresql://u:a/secret@host/db", "postgresql://u:a@secret@host/db", "postgresql://u:secret@[host/db", "",
            "postgresql://u:secret@host/db?secret=secret",
        ])
    func bad(_ text: String) {
        do throws(StoreAddress.Mistake) {
            _ = try StoreAddress.postgres(text)
            Issue.record("\(text) was taken")
        } catch { #expect(!error.description.contains("secret") && !error.description.isEmpty) }
    }

    @Test(
        "of Redis is refused without a host, with TLS, and with something else than a number as its database",
        arguments: [
            "redis://", "rediss://:secret@host", "unix:///secret", "redis://host/secret", "redis://:a/secret@host",
            "redis://host:0/0",
        ])
    func badCache(_ text: String) {
        do throws(StoreAddress.Mistake) {
            _ = try StoreAddress.redis(text)
            Issue.record("\(text) was taken")
        } catch { #expect(!error.description.contains("secret")) }
    }

    @Test("knows whether a password is in it, and never shows it")
    func password() throws {
        let address = try StoreAddress.postgres("postgresql://u:secret@host/db")
        #expect(address.hasPassword && !"\(address)".contains("secret"))
        #expect(try StoreAddress.postgres("postgresql://host/db?password=secret").hasPassword)
        #expect(try !StoreAddress.postgres("postgresql://u@host:5432/db").hasPassword)
        #expect(try StoreAddress.redis("redis://:secret@host:6379/0").hasPassword)
    }
}
