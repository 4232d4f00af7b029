import Aquifer
import Foundation
import Testing

@testable import AquiferSQLite

/// Version 3 had no word about when a load asks.
@Suite("The upgrade of a store of version 3 in SQLite", .timeLimit(.minutes(10)))
struct VersionThreeTests {
    private static let date = Date(timeIntervalSince1970: 1_780_000_000)
    private static let entries: [String: StoredEntry] = {
        var entries = [
            "é/ç": StoredEntry(
                bytes: Data("data".utf8), savedAt: date, validators: Validators(etag: "\"1\"", lastModified: "l"),
                kind: .data, origin: .init(sentAt: date - 1, answeredAt: date)),
            "empty": StoredEntry(bytes: Data(), savedAt: .distantPast, validators: Validators(etag: "")),
            "large": StoredEntry(bytes: Data(repeating: 7, count: 60_000), savedAt: date, origin: .init(sentAt: date)),
        ]
        for number in 0..<50 {
            entries["\(number)"] = StoredEntry(bytes: Data("value \(number)".utf8), savedAt: date)
        }
        return entries
    }()

    /// Writes these entries as version 3 did.
    private static func write(to file: URL) throws {
        let connection = try Connection.patient(file.path, .create)
        try connection.execute(
            """
            PRAGMA page_size = 8192;
            CREATE TABLE entry (
                id INTEGER PRIMARY KEY,
                key TEXT NOT NULL,
                saved_at INTEGER NOT NULL, -- the bits of the seconds since 2001
                etag TEXT,
                last_modified TEXT,
                kind INTEGER NOT NULL,
                header_checksum INTEGER NOT NULL,
                bytes_checksum INTEGER NOT NULL,
                sent_at INTEGER, -- of the origin, NULL without one: bits as above
                answered_at INTEGER,
                bytes BLOB NOT NULL
            );
            \(Schema.indexes); PRAGMA application_id = 0x41514652; PRAGMA user_version = 3
            """)
        _ = try connection.prepare("PRAGMA journal_mode = WAL").step()
        let insert = try connection.prepare(
            """
            INSERT INTO entry(
                key, saved_at, etag, last_modified, kind, header_checksum, bytes_checksum, sent_at, answered_at, bytes)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """)
        for (key, entry) in entries.sorted(by: { $0.key < $1.key }) {
            let seal = EntrySeal(entry, key: key)
            insert.bind(1, key)
            insert.bind(2, entry.savedAt.bits)
            insert.bind(3, entry.validators.etag)
            insert.bind(4, entry.validators.lastModified)
            insert.bind(5, Int64(entry.kind.rawValue))
            insert.bind(6, Int64(bitPattern: seal.header))
            insert.bind(7, Int64(bitPattern: seal.body))
            insert.bind(8, entry.origin?.sentAt.bits)
            insert.bind(9, entry.origin?.answeredAt?.bits)
            try insert.run(binding: entry.bytes, at: 10)
        }
    }

    private func expectAll(in store: SQLiteStore, but missing: Set<String> = []) async throws {
        for (key, entry) in Self.entries where !missing.contains(key) {
            #expect(try await store.retrieve(key) == entry, "\(key)")
        }
        #expect(try await store.contents().entries.count == Self.entries.count - missing.count)
        #expect(try Connection.patient(store.file.path, .readOnly).integer("PRAGMA user_version") == 4)
    }

    @Test("keeps every row, and each can then be given a date from which a load asks")
    func upgrade() async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("store.db")
            try Self.write(to: file)
            let store = try SQLiteStore(file: file)
            try await expectAll(in: store)
            for key in Self.entries.keys {
                try await store.update(key) { found throws(StoreError) in
                    guard var entry = try found.get() else { return .keep }
                    entry.askAt = .distantPast
                    return .replace(entry)
                }
            }
            let reopened = try SQLiteStore(file: file)
            for (key, entry) in Self.entries {
                var asked = entry
                asked.askAt = .distantPast
                #expect(try await reopened.retrieve(key) == asked, "\(key)")
            }
            #expect(try await reopened.contents().entries.count == Self.entries.count)
        }
    }

    @Test("leaves a damaged row damaged, under its key, and the others as they are")
    func damaged() async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("store.db")
            try Self.write(to: file)
            try Connection.patient(file.path, .readWrite).execute("UPDATE entry SET kind = 1 WHERE key = '7'")
            let store = try SQLiteStore(file: file)
            try await expectAll(in: store, but: ["7"])
            await #expect(throws: StoreError.self) { try await store.retrieve("7") }
            #expect(try await store.contents().damaged.map(\.key) == ["7"])
        }
    }

    @Test("that is killed in its middle is taken back, and then carried out", arguments: [false, true])
    func interrupted(isCommitted: Bool) async throws {
        try await TemporaryFolder.with { folder in
            let (made, file) = (folder.appendingPathComponent("made.db"), folder.appendingPathComponent("store.db"))
            try Self.write(to: made)
            let connection = try Connection.patient(made.path, .readWrite)
            // What is not committed reaches the log only when there is no room in memory.
            try connection.execute("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN EXCLUSIVE")
            try Schema.migrate(connection)
            if isCommitted { try connection.execute("COMMIT") }
            for part in ["", "-wal"] where FileManager.default.fileExists(atPath: made.path + part) {
                try FileManager.default.copyItem(atPath: made.path + part, toPath: file.path + part)
            }
            try await expectAll(in: SQLiteStore(file: file))
        }
    }

    @Test("is made once when many open the store at the same moment")
    func openedAtOnce() async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("store.db")
            try Self.write(to: file)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let store = try SQLiteStore(file: file)
                        #expect(try await store.retrieve("\(number)") == Self.entries["\(number)"])
                    }
                }
                try await group.waitForAll()
            }
            try await expectAll(in: SQLiteStore(file: file))
        }
    }
}
