import Aquifer
import AquiferPostgres
import AquiferTesting
import Foundation
import Testing

@Suite("The store in PostgreSQL", .timeLimit(.minutes(10)))
struct PostgresStoreContractTests {
    @Test("keeps the contract", arguments: CacheStoreContract.checks(for: .postgres))
    func contract(check: CacheStoreContract.Check) async throws {
        try await check.run(.postgres)
    }

    @Test("keeps the contract of transactions", arguments: CacheStoreContract.transactions)
    func transactions(check: CacheStoreContract.Check) async throws { try await check.run(.transactions()) }

    @Test("keeps the contract with one connection", arguments: CacheStoreContract.checks(for: .justMade))
    func oneConnection(check: CacheStoreContract.Check) async throws {
        try await check.run(CacheStoreContract.Subject(make: { try await PlacedStore(connections: 1) }, isShared: true))
    }

    @Test("keeps the contract in a scope", arguments: CacheStoreContract.checks(for: .justMade))
    func scoped(check: CacheStoreContract.Check) async throws {
        try await check.run(
            CacheStoreContract.Subject(
                make: { Scope("user/4", in: try await PlacedStore()).store }, isShared: true))
    }

    @Test("one promise is not checked over a shared store: that calls for different keys never overlap")
    func all() {
        #expect(CacheStoreContract.passedOver(for: .postgres).map(\.requirement) == [.embedded])
    }
}

/// A store that knows the schema it was opened with, so that another one can be opened there, or harm it.
struct PlacedStore: ForwardingStore {
    let base: any CacheStore
    let schema: String

    init(
        schema: String = "test_\(UUID().uuidString.prefix(13))", connections: Int = 4, patience: Duration = .seconds(30)
    ) async throws {
        self.schema = schema
        base = try await PostgresStore(
            PostgresServer.shared.get().address, schema: schema, connections: connections, patience: patience)
    }

    func run(_ sql: String) throws {
        try PostgresServer.shared.get().run(
            sql: sql.replacing("entry", with: "\"\(schema)\".entry").replacing("piece ", with: "\"\(schema)\".piece "))
    }
}

extension CacheStoreContract.Subject {
    static var justMade: Self { Self(make: { MemoryStore() }, isShared: true) }

    /// A store by itself, in a schema of this subject.
    static func transactions() -> Self {
        let schema = "test_\(UUID().uuidString.prefix(13))"
        let open = { @Sendable in try await PostgresStore(PostgresServer.shared.get().address, schema: schema) }
        return Self(
            make: open, reopen: { _ in try await open() },
            corrupt: { key, _ in
                try PostgresServer.shared.get().run(
                    sql: """
                        UPDATE "\(schema)".entry SET bytes = set_byte(bytes, 9, get_byte(bytes, 9) # 255) WHERE \(name(key))
                        """)
            }, isShared: true, isDurable: true)
    }

    static var postgres: Self {
        Self(
            make: { try await PlacedStore() },
            reopen: { try await PlacedStore(schema: (try #require($0 as? PlacedStore)).schema) },
            makeFailing: { entries in
                let store = try await PlacedStore()
                for (key, entry) in entries { try await store.insert(entry, for: key) }
                try PostgresServer.shared.get().run(
                    sql: """
                        CREATE FUNCTION "\(store.schema)".refuse() RETURNS trigger LANGUAGE plpgsql
                            AS $$ BEGIN RAISE 'no'; END $$;
                        CREATE TRIGGER refuse BEFORE INSERT OR UPDATE OR DELETE ON "\(store.schema)".entry
                            EXECUTE FUNCTION "\(store.schema)".refuse()
                        """)
                return store
            },
            corrupt: { key, store in
                try (try #require(store as? PlacedStore)).run(
                    "UPDATE entry SET bytes = set_byte(bytes, 9, get_byte(bytes, 9) # 255) WHERE \(name(key))")
            },
            damages: [
                change("the date in the header", "head = set_byte(head, 24, get_byte(head, 24) # 1)"),
                change("the checksum of the header", "head = set_byte(head, 40, get_byte(head, 40) # 1)"),
                change("the key in the header", "head = set_byte(head, 56, get_byte(head, 56) # 1)"),
                change("the header, which is empty", "head = ''"),
                change("the bytes, which are shorter", "bytes = substring(bytes FROM 1 FOR 9)"),
                change("the bytes, which are missing", "bytes = NULL"),
                change("the number of pieces", "pieces = 3"),
                change("the number of pieces, which is negative", "pieces = -1"),
                .init("the row, which holds another entry") { key, store in
                    try (try #require(store as? PlacedStore)).run(
                        """
                        UPDATE entry SET head = other.head, bytes = other.bytes
                        FROM entry other WHERE convert_from(other.id, 'UTF8') = 'other' AND \(name(key))
                        """.replacing("UPDATE entry", with: "UPDATE entry AS mine").replacing(
                            name(key), with: "convert_from(mine.id, 'UTF8') = '\(key)'"))
                },
            ],
            isShared: true)
    }

    private static func name(_ key: String) -> String { "convert_from(id, 'UTF8') = '\(key)'" }

    private static func change(_ name: String, _ change: String) -> Damage {
        Damage(name) { key, store in
            try (try #require(store as? PlacedStore)).run("UPDATE entry SET \(change) WHERE \(Self.name(key))")
        }
    }
}
