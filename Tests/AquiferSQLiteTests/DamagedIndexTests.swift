import Aquifer
import Foundation
import Testing

@testable import AquiferSQLite

@Suite("The store in SQLite, its indexes damaged", .timeLimit(.minutes(10)))
struct DamagedIndexTests {
    private static let entry = StoredEntry(
        bytes: Data("counter".utf8), savedAt: Date(timeIntervalSinceReferenceDate: 1))

    private func withStore(_ use: (SQLiteStore, Imposter) async throws -> Void) async throws {
        try await TemporaryFolder.with { folder in
            let store = try SQLiteStore(file: folder.appendingPathComponent("store.db"))
            for key in ["counter", "item:1", "item:2"] { try await store.insert(Self.entry, for: key) }
            try await use(store, try Imposter(store.file))
        }
    }

    @Test(
        "delivers an entry that an index has lost, and mends the index when it is changed",
        arguments: ["entry_key", "entry_key_again"])
    func lostIndexEntry(index: String) async throws {
        try await withStore { store, imposter in
            try imposter.forget("counter", in: index)
            #expect(try await store.retrieve("counter") == Self.entry)
            try await store.update("counter") { found in
                #expect(found == .success(Self.entry))
                return .keep
            }
            #expect(Set(try await store.entries().map(\.key)) == ["counter", "item:1", "item:2"])
            try await store.delete("counter")
            #expect(try await store.retrieve("counter") == nil)
            #expect(try await store.contents().entries.count == 2)
            try await store.insert(Self.entry, for: "counter")
            #expect(try await store.retrieve("counter") == Self.entry)
            #expect(try Connection.patient(store.file.path, .readOnly).integer(Self.faults) == 0)
        }
    }

    @Test("deletes what it lists, also when both indexes have lost it, and mends them")
    func lostInBoth() async throws {
        try await withStore { store, imposter in
            for index in ["entry_key", "entry_key_again"] { try imposter.forget("counter", in: index) }
            #expect(try await store.entries().count == 3)
            try await store.delete("counter")
            #expect(Set(try await store.entries().map(\.key)) == ["item:1", "item:2"])
            #expect(try Connection.patient(store.file.path, .readOnly).integer(Self.faults) == 0)
            try await store.delete("nobody")
        }
    }

    /// Zero when SQLite itself finds nothing wrong with tables and indexes.
    private static let faults = "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"

    @Test("lists a row that the table has lost as damaged, and forgets it when that is removed")
    func rowLost() async throws {
        try await withStore { store, imposter in
            try imposter.change(
                "DELETE FROM entry WHERE key = ?1", key: "counter", hiding: ["entry_key", "entry_key_again"])
            let contents = try await store.contents()
            #expect(contents.entries.count == 2 && contents.damaged.map(\.key) == ["counter"])
            await #expect(throws: StoreError.self) { try await store.retrieve("counter") }
            for damaged in contents.damaged { try await store.remove(damaged) }
            #expect(try await store.contents().damaged.isEmpty)
            #expect(try await store.retrieve("counter") == nil)
            #expect(Set(try await store.entries().map(\.key)) == ["item:1", "item:2"])
        }
    }

    @Test("never takes a row that both indexes lead past for a missing one")
    func rowMoved() async throws {
        try await withStore { store, imposter in
            try imposter.change(
                "UPDATE entry SET id = 99 WHERE key = ?1", key: "counter", hiding: ["entry_key", "entry_key_again"])
            await #expect(throws: StoreError.self) { try await store.retrieve("counter") }
            #expect(try await store.contents().entries.count == 3)
            try await store.update("counter") { found in
                #expect(throws: StoreError.self) { try found.get() }
                return .replace(Self.entry)
            }
            #expect(try await store.retrieve("counter") == Self.entry)
            #expect(try await store.contents().entries.count == 3)
        }
    }
}
