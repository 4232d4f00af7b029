import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferSQLite

@Suite("The store in SQLite", .timeLimit(.minutes(10)))
struct SQLiteStoreContractTests {
    @Test("keeps the contract", arguments: CacheStoreContract.checks)
    func process(check: CacheStoreContract.Check) async throws {
        try await TemporaryFolder.with { folder in try await check.run(.sqlite(in: folder)) }
    }

    @Test("keeps the contract when each write waits for the device", arguments: CacheStoreContract.checks)
    func power(check: CacheStoreContract.Check) async throws {
        try await TemporaryFolder.with { folder in try await check.run(.sqlite(in: folder, durability: .power)) }
    }

    @Test(
        "keeps the contract of transactions, whether each commit waits for the device or not",
        arguments: CacheStoreContract.transactions, SQLiteStore.Durability.allCases)
    func transactions(check: CacheStoreContract.Check, durability: SQLiteStore.Durability) async throws {
        try await TemporaryFolder.with { folder in
            try await check.run(.sqlite(in: folder, durability: durability))
        }
    }

    @Test(
        "keeps the contract with one reader",
        arguments: CacheStoreContract.checks(for: .sqlite(in: .temporaryDirectory).onlyMade))
    func oneReader(check: CacheStoreContract.Check) async throws {
        try await TemporaryFolder.with { folder in
            try await check.run(
                CacheStoreContract.Subject(make: { try SQLiteStore(file: folder.fresh(), readers: 1) }))
        }
    }

    @Test(
        "keeps the contract behind a bound",
        arguments: CacheStoreContract.checks(for: .sqlite(in: .temporaryDirectory).onlyMade))
    func evicting(check: CacheStoreContract.Check) async throws {
        try await TemporaryFolder.with { folder in
            try await check.run(
                CacheStoreContract.Subject(make: {
                    EvictingStore(try SQLiteStore(file: folder.fresh()), bound: 10_000_000)
                }))
        }
    }

    @Test(
        "keeps the contract in a scope",
        arguments: CacheStoreContract.checks(for: .sqlite(in: .temporaryDirectory).onlyMade))
    func scoped(check: CacheStoreContract.Check) async throws {
        try await TemporaryFolder.with { folder in
            try await check.run(
                CacheStoreContract.Subject(make: {
                    Scope("user/4", in: try SQLiteStore(file: folder.fresh())).store
                }))
        }
    }

    @Test("every promise is checked over the store in SQLite: none is passed over")
    func all() {
        #expect(CacheStoreContract.passedOver(for: .sqlite(in: .temporaryDirectory)).isEmpty)
    }
}

extension CacheStoreContract.Subject {
    /// The same store, of which nothing is known but how it is made.
    fileprivate var onlyMade: Self { Self(make: make) }

    static func sqlite(in folder: URL, durability: SQLiteStore.Durability = .process) -> Self {
        Self(
            make: { try SQLiteStore(file: folder.fresh(), durability: durability) },
            reopen: { store in
                try SQLiteStore(file: try #require(store as? SQLiteStore).file, durability: durability)
            },
            makeFailing: { entries in
                let file = folder.fresh()
                let store = try SQLiteStore(file: file, durability: durability, patience: .milliseconds(1))
                for (key, entry) in entries { try await store.insert(entry, for: key) }
                return LockedOut(base: store, holder: try WriteLock(file))
            },
            corrupt: { key, store in
                let connection = try Connection.patient(try #require(store as? SQLiteStore).file.path, .readWrite)
                let statement = try connection.prepare(
                    "UPDATE entry SET bytes = CAST(substr(bytes, 1, 9) || x'00ff' || substr(bytes, 12) AS BLOB) WHERE key = ?1"
                )
                statement.bind(1, key)
                try statement.run()
            },
            damages: [
                .init("the date in the header", change("saved_at = saved_at + 1")),
                .init("the checksum of the header", change("header_checksum = header_checksum + 1")),
                .init("the kind", change("kind = 7")),
                .init("the date of its request", change("sent_at = 1")),
                .init("the date from which a load asks", change("ask_at = 1")),
                .init("the first index", imposter { try $0.forget($1, in: "entry_key") }),
                .init("the second index", imposter { try $0.forget($1, in: "entry_key_again") }),
                .init(
                    "the first index, which leads to a row that is not there",
                    imposter {
                        try $0.change("UPDATE entry SET id = 99 WHERE key = ?1", key: $1, hiding: ["entry_key"])
                    }),
                .init(
                    "the number of its row, which no index leads to",
                    imposter {
                        try $0.change(
                            "UPDATE entry SET id = 99 WHERE key = ?1", key: $1,
                            hiding: ["entry_key", "entry_key_again"])
                    }),
                .init(
                    "the key in its row",
                    imposter {
                        try $0.change(
                            "UPDATE entry SET key = 'kex' WHERE key = ?1", key: $1,
                            hiding: ["entry_key", "entry_key_again"])
                    }),
                .init(
                    "the key in its row, which is now that of another",
                    imposter {
                        try $0.change(
                            "UPDATE entry SET key = 'other' WHERE key = ?1", key: $1,
                            hiding: ["entry_key", "entry_key_again"])
                    }),
            ], isDurable: true)
    }

    private static func imposter(
        _ damage: @escaping @Sendable (Imposter, String) throws -> Void
    ) -> @Sendable (String, any CacheStore) async throws -> Void {
        { key, store in try damage(Imposter(try #require(store as? SQLiteStore).file), key) }
    }

    /// Changes columns of the row that keeps a key.
    private static func change(_ columns: String) -> @Sendable (String, any CacheStore) async throws -> Void {
        { key, store in
            let connection = try Connection.patient(try #require(store as? SQLiteStore).file.path, .readWrite)
            let statement = try connection.prepare("UPDATE entry SET \(columns) WHERE key = ?1")
            statement.bind(1, key)
            try statement.run()
        }
    }
}

/// A store whose database another connection is writing to.
private struct LockedOut: ForwardingStore {
    let base: any CacheStore
    let holder: WriteLock
}

/// Holds the right to write, as another process in the middle of a transaction does.
final class WriteLock: @unchecked Sendable {
    private let connection: Connection

    init(_ file: URL) throws {
        connection = try Connection.patient(file.path, .readWrite)
        try connection.execute("BEGIN IMMEDIATE")
    }
}
