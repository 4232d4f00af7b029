import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("UserDefaultsStore", .timeLimit(.minutes(2)))
struct UserDefaultsStoreTests {
    /// Kept for the instance's life, and emptied at its end.
    private final class Place: Sendable {
        let name = "aquifer-store-\(UUID().uuidString)"
        deinit { UserDefaults.standard.removePersistentDomain(forName: name) }
    }

    /// Checks need a store of their own each; the places are cleared with the suite.
    private static let places = Places()

    private final class Places: @unchecked Sendable {
        private let lock = NSLock()
        private var all: [ObjectIdentifier: Place] = [:]

        func make() throws -> UserDefaultsStore {
            let place = Place()
            let store = UserDefaultsStore(try #require(UserDefaults(suiteName: place.name)))
            lock.withLock { all[ObjectIdentifier(store)] = place }
            return store
        }

        func name(of store: any CacheStore) throws -> String {
            try #require(lock.withLock { all[ObjectIdentifier(store as AnyObject)] }).name
        }
    }

    /// Not `makeFailing`: `UserDefaults` cannot be made to refuse a write, and say of none that it failed.
    private static let subject = CacheStoreContract.Subject(
        make: { try places.make() },
        reopen: { UserDefaultsStore(try #require(UserDefaults(suiteName: try places.name(of: $0)))) },
        corrupt: { key, store in
            let defaults = try #require(UserDefaults(suiteName: try places.name(of: store)))
            var data = try #require(defaults.data(forKey: key))
            data[data.count - 1] ^= 1
            defaults.set(data, forKey: key)
        })

    @Test(
        "keeps the contract of stores, but for what needs a write that fails",
        arguments: CacheStoreContract.checks.filter { $0.applies(to: subject) })
    func contract(check: CacheStoreContract.Check) async throws {
        try await check.run(Self.subject)
    }

    @Test("Of the contract only the checks of failing writes are passed over")
    func passedOver() {
        let left = CacheStoreContract.checks.filter { !$0.applies(to: Self.subject) }.map(\.name)
        #expect(!left.isEmpty && left.allSatisfy { $0.contains("fail") }, "\(left)")
    }

    @Test("What others keep under its keys or beside them is no entry, and is left alone")
    func foreign() async throws {
        let place = Place()
        let defaults = try #require(UserDefaults(suiteName: place.name))
        defaults.set("theirs", forKey: "key")
        defaults.set(Data("theirs".utf8), forKey: "other")
        let store = UserDefaultsStore(try #require(UserDefaults(suiteName: place.name)))
        for key in ["key", "other"] {
            await #expect(throws: StoreError.self) { try await store.retrieve(key) }
        }
        #expect(try await store.entries().isEmpty)
        #expect(defaults.string(forKey: "key") == "theirs")
    }

    @Test("A prefix tells entries from other settings")
    func prefix() async throws {
        let place = Place()
        let defaults = try #require(UserDefaults(suiteName: place.name))
        let store = UserDefaultsStore(try #require(UserDefaults(suiteName: place.name)), prefix: "cache.")
        try await store.insert(StoredEntry(bytes: Data([1]), savedAt: Date(timeIntervalSince1970: 0)), for: "a")
        #expect(defaults.data(forKey: "cache.a") != nil && defaults.object(forKey: "a") == nil)
        #expect(try await store.entries().map(\.key) == ["a"])
    }
}
