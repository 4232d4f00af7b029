import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("UserDefaultsStore", .timeLimit(.minutes(2)))
struct UserDefaultsStoreTests {
    /// The domain of each store that a check has made, until the check has ended.
    private final class Domains: @unchecked Sendable {
        private let lock = NSLock()
        private var all: [ObjectIdentifier: TemporaryDefaults] = [:]

        func make() -> UserDefaultsStore {
            let domain = TemporaryDefaults()
            let store = UserDefaultsStore(domain.open())
            lock.withLock { all[ObjectIdentifier(store)] = domain }
            return store
        }

        func open(_ store: any CacheStore) throws -> UserDefaults {
            try #require(lock.withLock { all[ObjectIdentifier(store as AnyObject)] }).open()
        }
    }

    /// Not `makeFailing`: `UserDefaults` cannot be made to refuse a write, and say of none that it failed.
    private static func subject(_ domains: Domains) -> CacheStoreContract.Subject {
        CacheStoreContract.Subject(
            make: { domains.make() },
            reopen: { UserDefaultsStore(try domains.open($0)) },
            corrupt: { key, store in
                let defaults = try domains.open(store)
                var data = try #require(defaults.data(forKey: key))
                data[data.count - 1] ^= 1
                defaults.set(data, forKey: key)
            })
    }

    @Test(
        "keeps the contract of stores, but for what needs a write that fails",
        arguments: CacheStoreContract.checks.filter { $0.applies(to: subject(Domains())) })
    func contract(check: CacheStoreContract.Check) async throws {
        try await check.run(Self.subject(Domains()))
    }

    @Test("Of the contract only the checks of failing writes are passed over")
    func passedOver() {
        let left = CacheStoreContract.checks.filter { !$0.applies(to: Self.subject(Domains())) }.map(\.name)
        #expect(!left.isEmpty && left.allSatisfy { $0.contains("fail") }, "\(left)")
    }

    @Test("What others keep under its keys or beside them is no entry, and is left alone")
    func foreign() async throws {
        let domain = TemporaryDefaults()
        let defaults = domain.open()
        defaults.set("theirs", forKey: "key")
        defaults.set(Data("theirs".utf8), forKey: "other")
        let store = UserDefaultsStore(domain.open())
        for key in ["key", "other"] {
            await #expect(throws: StoreError.self) { try await store.retrieve(key) }
        }
        #expect(try await store.entries().isEmpty)
        #expect(defaults.string(forKey: "key") == "theirs")
    }

    @Test("A prefix tells entries from other settings")
    func prefix() async throws {
        let domain = TemporaryDefaults()
        let defaults = domain.open()
        let store = UserDefaultsStore(domain.open(), prefix: "cache.")
        try await store.insert(StoredEntry(bytes: Data([1]), savedAt: Date(timeIntervalSince1970: 0)), for: "a")
        #expect(defaults.data(forKey: "cache.a") != nil && defaults.object(forKey: "a") == nil)
        #expect(try await store.entries().map(\.key) == ["a"])
    }
}
