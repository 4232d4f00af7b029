import Aquifer
import EveryBit
import Foundation
import Testing

@testable import AquiferSQLite

/// Every bit and every length of a database, of its log and of its mark. SQLite maps the `-shm` file itself: it is left
/// out.
@Suite("Each bit flipped and each length cut, in SQLite", .timeLimit(.minutes(120)))
struct EveryBitOfSQLiteTests {
    private static let date = Date(timeIntervalSince1970: 1_780_000_000)

    private static func entry(_ text: String) -> StoredEntry {
        StoredEntry(
            bytes: Data(text.utf8), savedAt: date, validators: Validators(etag: "\"\(text.count)\""),
            origin: .init(sentAt: date, answeredAt: date),
            asking: text.count % 2 == 0 ? .init(askAt: date + 60, staleUntil: date + 90, isImmutable: true) : .unsaid)
    }

    private static let base = [
        "one": entry("first"), "two": entry(String(repeating: "long ", count: 140)), "three": entry("third"),
        "four": entry("fourth"),
    ]
    /// The commits in the log, one after another.
    private static let commits: [(key: String, entry: StoredEntry?)] = [
        ("five", entry("fifth")), ("one", entry("first again")), ("two", nil), ("six", entry("sixth")),
    ]
    /// The entries after each number of commits.
    private static let states = commits.reduce(into: [base]) { states, commit in
        var state = states[states.count - 1]
        state[commit.key] = commit.entry
        states.append(state)
    }

    /// A database of pages of 512 bytes, so that each of its structures is there in a few kilobytes.
    private static func make(_ file: URL) async throws {
        do {
            let store = try SQLiteStore(file: file)
            for key in base.keys.sorted() { try await store.insert(base[key]!, for: key) }
        }
        let connection = try Connection.patient(file.path, .readWrite)
        // The store's own connections may just be closing.
        connection.wait(upTo: .seconds(5))
        for statement in ["journal_mode = DELETE", "page_size = 512"] { try connection.execute("PRAGMA \(statement)") }
        try connection.execute("VACUUM; PRAGMA journal_mode = WAL")
    }

    private static func isIndexOfLog(_ path: String) -> Bool { path.hasSuffix("-shm") }

    @Test("the database: each entry is what it was or its error is told, in lists too; and saving makes nothing worse")
    func database() async throws {
        try await Fixture.withFolder { folder in
            let file = folder.appendingPathComponent("store.db")
            try await Self.make(file)
            let fixture = try Fixture(folder, without: Self.isIndexOfLog)
            #expect(fixture.paths == ["store.db"])
            let sweep = try await Sweep("SQLite: database", "store.db", of: fixture, mayChange: true) { damage in
                let damaged = damage.applied(to: fixture.bytes("store.db"))
                let verdict = await Self.verdict(file, Self.base)
                // Only a store that cannot be made again tells an empty file from a new one, as is documented.
                if damage == .cut(to: 0) { return .told("empty: a new store") }
                if case .wrong = verdict { return verdict }
                // Reading changes nothing, except that it puts a header right.
                let left = try fixture.read("store.db")
                guard left == damaged || left == fixture.bytes("store.db") else {
                    return .wrong("reading has changed it")
                }
                return await Self.saving(file) ?? verdict
            }
            #expect(sweep.wrong.isEmpty, "\(sweep)")
        }
    }

    private static func verdict(
        _ file: URL, _ entries: [String: StoredEntry], isIrreplaceable: Bool = false
    ) async -> Verdict {
        do throws(StoreError) {
            return await .of(try SQLiteStore(file: file, isIrreplaceable: isIrreplaceable), holding: entries)
        } catch {
            return .told(error)
        }
    }

    /// Saves another entry. Each entry that could be read before can be read afterwards.
    private static func saving(_ file: URL) async -> Verdict? {
        do throws(StoreError) {
            let store = try SQLiteStore(file: file)
            var entries = base
            entries["new"] = entry("new")
            try await store.insert(entry("new"), for: "new")
            if case .wrong(let how) = await Verdict.of(store, holding: entries) {
                return .wrong("after a save, \(how)")
            }
        } catch { return nil }
        return nil
    }

    /// A database and its log, as a killed process leaves them.
    private static func killed(_ folder: URL) async throws -> Fixture {
        let (file, copy) = (folder.appendingPathComponent("made/store.db"), folder.appendingPathComponent("store.db"))
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try await make(file)
        do {
            let connection = try Connection.patient(file.path, .readWrite)
            let (table, mark) = (EntryTable(connection, countsCommits: true), BirthMark(of: file.path))
            try mark.make(connection)
            for (key, entry) in commits {
                try table.commit(true) { table throws(StoreError) in
                    if let entry { return try table.upsert(entry, key) }
                    return try table.delete(key)
                }
                mark.acknowledge(table.committed)
            }
            for part in ["", "-wal", "-made"] {
                try FileManager.default.copyItem(atPath: file.path + part, toPath: copy.path + part)
            }
        }
        try FileManager.default.removeItem(at: file.deletingLastPathComponent())
        return try Fixture(folder)
    }

    @Test("the log: what is read is a prefix of its commits, or its error is told")
    func log() async throws {
        try await Fixture.withFolder { folder in
            let fixture = try await Self.killed(folder)
            let file = folder.appendingPathComponent("store.db")
            #expect(await Self.verdict(file, Self.states[4]) == .unchanged)
            // The last process to close a store moves what is good in the log, and deletes it.
            let sweep = try await Sweep("SQLite: log", "store.db-wal", of: fixture, mayChange: true) { _ in
                var last = Verdict.unchanged
                for state in Self.states.reversed() {
                    last = await Self.verdict(file, state)
                    if case .wrong = last { continue }
                    return state == Self.states[4] ? last : .told("an earlier commit")
                }
                return last
            }
            #expect(sweep.wrong.isEmpty, "\(sweep)")
        }
    }

    @Test("the log of a store that cannot be made again: a commit that is gone is told, and the log stays as it is")
    func guardedLog() async throws {
        try await Fixture.withFolder { folder in
            let fixture = try await Self.killed(folder)
            let file = folder.appendingPathComponent("store.db")
            let sweep = try await Sweep("SQLite: log, counted", "store.db-wal", of: fixture, mayChange: true) {
                damage in
                let verdict = await Self.verdict(file, Self.states[4], isIrreplaceable: true)
                guard case .told = verdict else { return verdict }
                let isKept = try fixture.read("store.db-wal") == damage.applied(to: fixture.bytes("store.db-wal"))
                return isKept ? verdict : .wrong("the log was changed")
            }
            #expect(sweep.told["lost"] ?? 0 > 0 && sweep.wrong.isEmpty, "\(sweep)")
            // Whoever deletes the mark goes on with what is left.
            try fixture.put(Data(fixture.bytes("store.db-wal").dropLast()), at: "store.db-wal")
            #expect(throws: StoreError.lost(path: file.path)) { try SQLiteStore(file: file, isIrreplaceable: true) }
            try FileManager.default.removeItem(atPath: file.path + "-made")
            #expect(await Self.verdict(file, Self.states[3], isIrreplaceable: true) == .unchanged)
        }
    }

    @Test("the mark of a store that cannot be made again: the store is read as it was")
    func mark() async throws {
        try await Fixture.withFolder { folder in
            let file = folder.appendingPathComponent("store.db")
            try await Self.make(file)
            try await { _ = try await SQLiteStore(file: file, isIrreplaceable: true).retrieve("one") }()
            let fixture = try Fixture(folder, without: Self.isIndexOfLog)
            let sweep = try await Sweep("SQLite: mark", "store.db-made", of: fixture) { _ in
                do throws(StoreError) {
                    return await .of(try SQLiteStore(file: file, isIrreplaceable: true), holding: Self.base)
                } catch { return .told(error) }
            }
            #expect(sweep.wrong.isEmpty, "\(sweep)")
        }
    }
}
