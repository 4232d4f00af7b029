import Aquifer
import Foundation
import Testing

@testable import AquiferSQLite

@Suite("The store in SQLite, damaged or foreign", .timeLimit(.minutes(10)))
struct SQLiteStoreTests {
    static let entry = StoredEntry(
        bytes: Data("sixteen bytes ok".utf8), savedAt: Date(timeIntervalSinceReferenceDate: 12.5),
        validators: Validators(etag: "\"e\"", lastModified: "yesterday"), kind: .data)

    @Test(
        "takes no changed column for a value",
        arguments: [
            "bytes = x'00'", "bytes = x''", "bytes = CAST(bytes AS TEXT)", "bytes = 5", "kind = 0", "kind = 2",
            "kind = 256", "kind = -1", "etag = NULL", "etag = 'f'", "etag = ''", "last_modified = NULL",
            "last_modified = 'x'", "saved_at = saved_at + 1", "saved_at = 0", "header_checksum = header_checksum + 1",
            "bytes_checksum = bytes_checksum + 1", "bytes_checksum = 0", "key = 'other'", "sent_at = 0",
            "answered_at = 0",
        ])
    func changedColumn(change: String) async throws {
        try await withStore { store in
            try Connection.patient(store.file.path, .readWrite).execute("UPDATE entry SET \(change)")
            await #expect(throws: StoreError.self) {
                try await store.retrieve(change.hasPrefix("key") ? "other" : "key")
            }
            let isListed = try await store.entries().contains { $0.key == "other" }
            #expect(!isListed)
        }
    }

    @Test(
        "takes no changed word about when a load asks for the one that was stored",
        arguments: [
            "ask_at = NULL", "ask_at = 0", "ask_at = ask_at + 1", "ask_at = 'soon'", "ask_at = x'00'",
            "stale_until = NULL",
            "stale_until = ask_at", "is_immutable = NULL", "ask_at = NULL, stale_until = NULL, is_immutable = NULL",
        ])
    func changedAsking(change: String) async throws {
        try await withStore { store in
            var entry = Self.entry
            entry.asking = .init(askAt: entry.savedAt + 60, staleUntil: entry.savedAt + 90, isImmutable: true)
            try await store.insert(entry, for: "key")
            try Connection.patient(store.file.path, .readWrite).execute("UPDATE entry SET \(change)")
            await #expect(throws: StoreError.self) { try await store.retrieve("key") }
            #expect(try await store.contents().damaged.map(\.key) == ["key"])
            try await store.update("key") { [entry] _ in .replace(entry) }
            #expect(try await store.retrieve("key") == entry)
        }
    }

    @Test("takes no flipped bit of the bytes for a value, whichever it is")
    func everyFlippedBit() async throws {
        try await withStore { store in
            let connection = try Connection.patient(store.file.path, .readWrite)
            for bit in 0..<(Self.entry.bytes.count * 8) {
                var damaged = Self.entry.bytes
                damaged[bit / 8] ^= 1 << (bit % 8)
                let hex = damaged.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
                try connection.execute("UPDATE entry SET bytes = x'\(hex)'")
                await #expect(throws: StoreError.self, "bit \(bit)") { try await store.retrieve("key") }
            }
        }
    }

    @Test(
        "tells large bytes that are longer or shorter than they were as damage of their entry",
        arguments: ["substr(bytes, 1, 20000)", "CAST(bytes || 'a' AS BLOB)"])
    func otherLength(bytes: String) async throws {
        try await TemporaryFolder.with { folder in
            let store = try SQLiteStore(file: folder.appendingPathComponent("store.db"))
            let large = StoredEntry(bytes: Data(repeating: 0x61, count: 40_000), savedAt: Self.entry.savedAt)
            try await store.insert(large, for: "key")
            try Connection.patient(store.file.path, .readWrite).execute("UPDATE entry SET bytes = \(bytes)")
            let error = await #expect(throws: StoreError.self) { try await store.retrieve("key") }
            guard case .unreadable(key: "key", _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("takes no file with a flipped byte or cut short for a value")
    func damagedFile() async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("store.db")
            try await {
                let store = try SQLiteStore(file: file)
                for number in 0..<40 { try await store.insert(Self.entry, for: "key \(number)") }
            }()
            let whole = try Data(contentsOf: file)
            var changes: [(String, Data)] = []
            for at in stride(from: 0, to: whole.count, by: 97) {
                var flipped = whole
                flipped[at] ^= 0x40
                changes.append(("byte \(at)", flipped))
            }
            for length in [0, 1, 99, 100, 4096, 8192, 12_000, whole.count - 1] {
                changes.append(("\(length) bytes", whole.prefix(length)))
            }
            var errors = 0
            for (name, damaged) in changes {
                let place = folder.fresh()
                try damaged.write(to: place)
                do {
                    let store = try SQLiteStore(file: place)
                    for number in 0..<40 {
                        guard let found = try await store.retrieve("key \(number)") else { continue }
                        #expect(found == Self.entry, "\(name)")
                    }
                } catch is StoreError {
                    errors += 1
                }
            }
            #expect(errors > 10)
        }
    }

    @Test("says that a file of another kind is not a store, and leaves every byte", arguments: [3, 99, 100, 5000])
    func notADatabase(size: Int) async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("letter.txt")
            let content = Data((0..<size).map { UInt8(truncatingIfNeeded: $0) })
            try content.write(to: file)
            #expect(throws: StoreError.notAStore(path: file.path)) { try SQLiteStore(file: file) }
            #expect(try Data(contentsOf: file) == content)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["letter.txt"])
        }
    }

    @Test("says that another program's database is not a store, and leaves every byte", arguments: ["DELETE", "WAL"])
    func foreignDatabase(mode: String) async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("contacts.db")
            try {
                let connection = try Connection.patient(file.path, .create)
                _ = try connection.prepare("PRAGMA journal_mode = \(mode)").step()
                try connection.execute("CREATE TABLE person (name TEXT); INSERT INTO person VALUES ('Ada')")
            }()
            let content = try Data(contentsOf: file)
            #expect(throws: StoreError.notAStore(path: file.path)) { try SQLiteStore(file: file) }
            #expect(try Data(contentsOf: file) == content)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["contacts.db"])
        }
    }

    @Test("begins again where a loss of power has interrupted its creation", arguments: [0, 7, 50, 100, 4096])
    func interruptedCreation(written: Int) async throws {
        try await TemporaryFolder.with { folder in
            let (model, file) = (folder.appendingPathComponent("model.db"), folder.appendingPathComponent("store.db"))
            // The journal of a transaction that creates a database, and a part of what it has written.
            let journal = try Self.interruptedCreation(model, "PRAGMA application_id = \(Schema.applicationID)")
            try journal.write(to: URL(fileURLWithPath: file.path + "-journal"))
            try Data(contentsOf: model).prefix(written).write(to: file)
            let store = try SQLiteStore(file: file)
            try await store.insert(Self.entry, for: "key")
            #expect(try await store.retrieve("key") == Self.entry)
        }
    }

    /// Makes a database, and returns the journal that a loss of power would have left.
    private static func interruptedCreation(_ file: URL, _ sql: String) throws -> Data {
        let connection = try Connection.patient(file.path, .create)
        try connection.execute("PRAGMA page_size = 8192; BEGIN EXCLUSIVE; CREATE TABLE entry (key TEXT); \(sql)")
        var journal = try Data(contentsOf: URL(fileURLWithPath: file.path + "-journal"))
        // SQLite writes this once the journal is flushed, before it writes the first page.
        journal.replaceSubrange(0..<8, with: [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
        try connection.execute("COMMIT")
        return journal
    }

    @Test(
        "leaves a foreign file with its journal: a letter, a database that was being made or changed",
        arguments: ["letter beside letter", "letter", "made", "changed"])
    func foreignJournal(kind: String) async throws {
        try await TemporaryFolder.with { folder in
            let (file, journal) = (folder.appendingPathComponent("a"), folder.appendingPathComponent("a-journal"))
            let letter = Data(repeating: 0x41, count: 5000)
            try Self.interruptedCreation(file, "PRAGMA application_id = 7").write(to: journal)
            switch kind {
            case "letter beside letter":
                try letter.write(to: file)
                try letter.write(to: journal)
            case "letter": try letter.write(to: file)
            case "changed":
                // Before the change it had a page.
                var bytes = try Data(contentsOf: journal)
                bytes[19] = 1
                try bytes.write(to: journal)
            default: break
            }
            let before = try [file, journal].map { try Data(contentsOf: $0) }
            #expect(throws: StoreError.notAStore(path: file.path)) { try SQLiteStore(file: file) }
            #expect(try [file, journal].map { try Data(contentsOf: $0) } == before)
        }
    }

    @Test("says that a folder, or a place below a file, is not a store")
    func folderInPlaceOfAFile() async throws {
        try await TemporaryFolder.with { folder in
            #expect(throws: StoreError.notAStore(path: folder.path)) { try SQLiteStore(file: folder) }
            let file = folder.appendingPathComponent("file")
            try Data("mine".utf8).write(to: file)
            let below = file.appendingPathComponent("store.db")
            #expect(throws: StoreError.notAStore(path: below.path)) { try SQLiteStore(file: below) }
        }
    }

    @Test(
        "says that another version wrote the store, newer or before the first release, and leaves it",
        arguments: [1, 2, 3, 4, 9])
    func otherVersion(version: Int) async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("store.db")
            try await { try await SQLiteStore(file: file).insert(Self.entry, for: "key") }()
            try { try Connection.patient(file.path, .readWrite).execute("PRAGMA user_version = \(version)") }()
            let before = try Data(contentsOf: file)
            let error = #expect(throws: StoreError.otherVersion(path: file.path, found: version, supported: 8)) {
                try SQLiteStore(file: file)
            }
            let words =
                version < 8 ? "an earlier version of Aquifer, before its first release" : "a newer version of Aquifer"
            #expect(error?.description.contains("was written by \(words)") == true)
            #expect(try Data(contentsOf: file) == before)
        }
    }

    @Test("can be read by this user only, with its folder and its log")
    func permissions() async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("a/store.db")
            let store = try SQLiteStore(file: file)
            try await store.insert(Self.entry, for: "key")
            for (path, mode) in [(folder.path + "/a", 0o700), (file.path, 0o600), (file.path + "-wal", 0o600)] {
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(path)")
            }
        }
    }

    @Test("is made once when many open it at the same moment")
    func openedAtOnce() async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("store.db")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask { try await SQLiteStore(file: file).insert(Self.entry, for: "\(number)") }
                }
                try await group.waitForAll()
            }
            #expect(try await SQLiteStore(file: file).entries().count == 8)
        }
    }

    @Test("lists pages in the order of the keys' bytes, within a prefix, and none before it")
    func pages() async throws {
        try await withStore { store in
            for key in ["a/3", "a/1", "a", "b", "a/\u{e9}", "a/2", "A"] { try await store.insert(Self.entry, for: key) }
            func list(_ prefix: String, _ limit: Int, after first: String? = nil) async throws -> [[String]] {
                var (pages, after) = ([[String]](), first)
                repeat {
                    let page = try await store.page(prefix: prefix, after: after, limit: limit)
                    pages.append(page.contents.entries.map(\.key))
                    after = page.next
                } while after != nil
                return pages
            }
            #expect(try await list("a/", 3) == [["a/1", "a/2", "a/3"], ["a/\u{e9}"]])
            #expect(try await list("", 3) == [["A", "a", "a/1"], ["a/2", "a/3", "a/\u{e9}"], ["b", "key"]])
            #expect(try await list("a/", 2, after: "A") == [["a/1", "a/2"], ["a/3", "a/\u{e9}"], []])
            #expect(try await list("a/", 9, after: "a/2") == [["a/3", "a/\u{e9}"]])
            #expect(try await list("a/", 0) == [["a/1"], ["a/2"], ["a/3"], ["a/\u{e9}"], []])
            #expect(try await list("a/", 9, after: "b") == [[]])
        }
    }

    @Test("tells a row that the table has lost on the page of its key, with the rest of the list")
    func damagedPage() async throws {
        try await withStore { store in
            for number in 1...9 { try await store.insert(Self.entry, for: "\(number)") }
            // SQLite would take the row out of the indexes too.
            let connection = try Connection.patient(store.file.path, .readWrite)
            connection.allowSchemaChanges()
            try connection.execute(
                """
                PRAGMA writable_schema = ON;
                CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE type = 'index';
                DELETE FROM sqlite_schema WHERE type = 'index' AND name LIKE 'entry_key%'; PRAGMA writable_schema = RESET
                """)
            try connection.execute("DELETE FROM entry WHERE key = '5'")
            try connection.execute(
                """
                PRAGMA writable_schema = ON;
                INSERT INTO sqlite_schema SELECT * FROM kept WHERE name LIKE 'entry_key%'; PRAGMA writable_schema = RESET;
                DROP TABLE kept
                """)
            let first = try await store.page(prefix: "", after: nil, limit: 3)
            #expect(first.contents.entries.map(\.key) == ["1", "2", "3"] && first.contents.damaged.isEmpty)
            let second = try await store.page(prefix: "", after: first.next, limit: 3)
            #expect(Set(second.contents.entries.map(\.key)) == ["4", "6", "7", "8", "9", "key"])
            #expect(second.contents.damaged.map(\.key) == ["5"])
            #expect(second.next == nil)
        }
    }

    @Test("says how many bytes it has at most, and more after an insert")
    func mostBytes() async throws {
        try await withStore { store in
            let before = try #require(try await store.mostBytes())
            try await store.insert(
                StoredEntry(bytes: Data(count: 1_000_000), savedAt: .distantPast, kind: .data), for: "large")
            let after = try #require(try await store.mostBytes())
            #expect(after >= 1_000_000 + Self.entry.bytes.count && after <= before + 1_200_000)
        }
    }

    @Test("flushes the log of the database that a symbolic link leads to")
    func linked() async throws {
        try await TemporaryFolder.with { folder in
            let (real, link) = (folder.appendingPathComponent("real"), folder.appendingPathComponent("link.db"))
            try FileManager.default.createDirectory(at: real, withIntermediateDirectories: false)
            let file = real.appendingPathComponent("store.db")
            let first = try SQLiteStore(file: file)
            try await first.insert(Self.entry, for: "key")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            let store = try SQLiteStore(file: link)
            try await store.insert(Self.entry, for: "linked")
            #expect(store.journal == first.journal)
            #expect(POSIX.exists(store.journal) && !POSIX.exists(link.path + "-wal"))
            try await store.persist()
            #expect(try await first.retrieve("linked") == Self.entry)
        }
    }

    private func withStore(_ use: (SQLiteStore) async throws -> Void) async throws {
        try await TemporaryFolder.with { folder in
            let store = try SQLiteStore(file: folder.appendingPathComponent("store.db"))
            try await store.insert(Self.entry, for: "key")
            try await use(store)
        }
    }
}
