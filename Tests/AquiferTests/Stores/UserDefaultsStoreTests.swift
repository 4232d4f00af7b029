import Aquifer
import AquiferConcurrency
import AquiferTesting
import AquiferUserDefaults
import Foundation
import Testing

@Suite("UserDefaultsStore", .timeLimit(.minutes(10)))
struct UserDefaultsStoreTests {
    /// The domain of each store that a check has made, until the check has ended.
    private final class Domains: @unchecked Sendable {
        private let lock = Lock()
        private var all: [ObjectIdentifier: TemporaryDefaults] = [:]

        func make(_ entries: [String: StoredEntry] = [:], isFailing: Bool = false) throws -> UserDefaultsStore {
            let domain = TemporaryDefaults()
            let store = UserDefaultsStore(domain.open())
            lock.withLock { all[ObjectIdentifier(store)] = domain }
            for (key, entry) in entries { try store.set(entry, for: key) }
            #if os(Linux)
                if isFailing { try domain.breakFile() }
            #endif
            return store
        }

        func open(_ store: any CacheStore) throws -> UserDefaults {
            try #require(lock.withLock { all[ObjectIdentifier(store as AnyObject)] }).open()
        }
    }

    /// On Apple systems `UserDefaults` cannot be made to refuse a write: the checks that need one are passed over there.
    private static func subject(_ domains: Domains) -> CacheStoreContract.Subject {
        var makeFailing: (@Sendable ([String: StoredEntry]) async throws -> any CacheStore)?
        #if os(Linux)
            makeFailing = { try domains.make($0, isFailing: true) }
        #endif
        return CacheStoreContract.Subject(
            make: { try domains.make() },
            reopen: { UserDefaultsStore(try domains.open($0)) },
            makeFailing: makeFailing,
            corrupt: { key, store in
                let defaults = try domains.open(store)
                var data = try #require(defaults.data(forKey: key))
                data[data.count - 1] ^= 1
                defaults.set(data, forKey: key)
            },
            damages: [("the date in the header", 24), ("the form", 4), ("the key", 56)].map { name, place in
                .init(name) { key, store in
                    let defaults = try domains.open(store)
                    var data = try #require(defaults.data(forKey: key))
                    data[place] ^= 0x10
                    defaults.set(data, forKey: key)
                }
            })
    }

    @Test(
        "keeps the contract of stores within one process",
        arguments: CacheStoreContract.checks.filter { $0.applies(to: subject(Domains())) })
    func contract(check: CacheStoreContract.Check) async throws {
        try await check.run(Self.subject(Domains()))
    }

    /// The store does not keep the promises that the suite leaves to programs that are killed: several processes, and
    /// `kill -9`.
    @Test("Of the contract at most the checks of failing writes are passed over, and on Linux none")
    func passedOver() {
        let left = CacheStoreContract.checks.filter { !$0.applies(to: Self.subject(Domains())) }.map(\.name)
        #if os(Linux)
            #expect(left.isEmpty, "\(left)")
        #else
            #expect(left.allSatisfy { $0.contains("fail") }, "\(left)")
        #endif
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
