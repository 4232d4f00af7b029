import Aquifer
import AquiferConcurrency
import Foundation
import Testing

@testable import AquiferSQLite

@Suite("A store in SQLite that cannot be made again", .timeLimit(.minutes(10)))
struct LostStoreTests {
    private static let entry = StoredEntry(
        bytes: Data("a payment".utf8), savedAt: Date(timeIntervalSinceReferenceDate: 1))

    /// The ways to lose a database.
    enum Loss: String, CaseIterable {
        case removed, removedWithLog, emptied, cut

        func happen(to file: URL) throws {
            switch self {
            case .removed: try FileManager.default.removeItem(at: file)
            case .removedWithLog:
                for part in ["", "-wal", "-shm"] { _ = unlink(file.path + part) }
            case .emptied: #expect(truncate(file.path, 0) == 0)
            case .cut: #expect(truncate(file.path, 1) == 0)
            }
        }
    }

    private func open(_ file: URL) throws -> SQLiteStore { try SQLiteStore(file: file, isIrreplaceable: true) }

    private func mark(_ file: URL) -> String { file.path + "-made" }

    private func with(_ use: (URL) async throws -> Void) async throws {
        try await TemporaryFolder.with { try await use($0.appendingPathComponent("payments.sqlite")) }
    }

    @Test("is marked when it is made, for this user only, and works like any other")
    func marked() async throws {
        try await with { file in
            try await open(file).insert(Self.entry, for: "key")
            #expect(POSIX.isPrivate(mark(file)))
            #expect(try await open(file).retrieve("key") == Self.entry)
        }
    }

    @Test("and was made without a mark, or killed before it had one, is marked at its next opening")
    func older() async throws {
        try await with { file in
            try await SQLiteStore(file: file).insert(Self.entry, for: "key")
            #expect(!POSIX.exists(mark(file)))
            #expect(try await open(file).retrieve("key") == Self.entry)
            #expect(POSIX.exists(mark(file)))
        }
        // Killed after the file was made, before its tables were: nothing had been acknowledged.
        try await with { file in
            try POSIX.makeEmpty(file.path)
            try await open(file).insert(Self.entry, for: "key")
            #expect(POSIX.exists(mark(file)))
        }
    }

    @Test("is an error when it is opened and gone or empty, and nothing is made in its place", arguments: Loss.allCases)
    func opened(_ loss: Loss) async throws {
        try await with { file in
            try await { try await open(file).insert(Self.entry, for: "key") }()
            try loss.happen(to: file)
            let folder = file.deletingLastPathComponent().path
            let before = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            for _ in 0..<2 {
                #expect(throws: StoreError.lost(path: file.path)) { try open(file) }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == before)
            #expect(POSIX.isMissing(file.path, orShorterThan: 100))
        }
    }

    @Test("is an error for whatever is done with it while it is open", arguments: Loss.allCases)
    func noticed(_ loss: Loss) async throws {
        try await with { file in
            let store = try open(file)
            try await store.insert(Self.entry, for: "key")
            _ = try await store.retrieve("key")
            try loss.happen(to: file)
            let lost = StoreError.lost(path: file.path)
            await #expect(throws: lost) { try await store.retrieve("key") }
            await #expect(throws: lost) { try await store.contents() }
            await #expect(throws: lost) { try await store.insert(Self.entry, for: "other") }
            await #expect(throws: lost) { try await store.delete("key") }
            let hasDecided = Locked(false)
            await #expect(throws: lost) {
                try await store.update("key") { _ in
                    hasDecided.withLock { $0 = true }
                    return .replace(Self.entry)
                }
            }
            #expect(!hasDecided.withLock { $0 })
            #expect(POSIX.isMissing(file.path, orShorterThan: 100))
        }
    }

    @Test("is not used while its file has another name, as in a folder that was copied by links")
    func linked() async throws {
        try await with { file in
            let store = try open(file)
            try await store.insert(Self.entry, for: "key")
            try FileManager.default.linkItem(atPath: file.path, toPath: file.path + ".copy")
            await #expect(throws: StoreError.self) { try await store.insert(Self.entry, for: "other") }
            await #expect(throws: StoreError.self) { try await store.retrieve("key") }
            let error = #expect(throws: StoreError.self) { try open(file) }
            #expect(error?.description.contains("hard link") == true)
            try FileManager.default.removeItem(atPath: file.path + ".copy")
            try await store.insert(Self.entry, for: "other")
            #expect(try await store.retrieve("key") == Self.entry)
        }
    }

    @Test("is no error any more once its file is put back, or its mark is deleted")
    func mended() async throws {
        try await with { file in
            let store = try open(file)
            try await store.insert(Self.entry, for: "key")
            try FileManager.default.moveItem(atPath: file.path, toPath: file.path + ".aside")
            await #expect(throws: StoreError.lost(path: file.path)) { try await store.retrieve("key") }
            try FileManager.default.moveItem(atPath: file.path + ".aside", toPath: file.path)
            #expect(try await store.retrieve("key") == Self.entry)
            for part in ["", "-wal", "-shm", "-made"] { _ = unlink(file.path + part) }
            try await store.insert(Self.entry, for: "new")
            #expect(try await store.contents().entries.map(\.key) == ["new"])
            #expect(POSIX.exists(mark(file)))
        }
    }

    @Test("says what to do about its loss, and about damage")
    func advice() {
        let lost = StoreError.lost(path: "/data/payments.sqlite").description
        for words in ["gone or empty", "backup", "/data/payments.sqlite-made"] { #expect(lost.contains(words)) }
        let damaged = StoreError.damaged(path: "/data/values.sqlite", reason: "malformed").description
        for words in ["damaged (malformed)", "backup", "move it away"] { #expect(damaged.contains(words)) }
    }

    @Test("is an error when an older copy lacks its only acknowledged change")
    func olderCopy() async throws {
        try await with { file in
            func use(_ work: (SQLiteStore) async throws -> Void) async throws {
                try await work(try SQLiteStore(file: file, durability: .power, isIrreplaceable: true))
            }
            try await use { _ = try await $0.retrieve("key") }
            let older = try Data(contentsOf: file)
            try await use { try await $0.insert(Self.entry, for: "key") }
            for part in ["-wal", "-shm"] { _ = unlink(file.path + part) }
            try older.write(to: file)
            await #expect(throws: StoreError.lost(path: file.path)) {
                try await use { _ = try await $0.retrieve("key") }
            }
        }
    }

    @Test("records no commit that a loss of power may take away, although a later call that changes nothing ends well")
    func unflushed() async throws {
        try await with { file in
            let store = try SQLiteStore(file: file, durability: .power, isIrreplaceable: true)
            let mark = BirthMark(of: file.path)
            try await store.insert(Self.entry, for: "key")
            let flushed = mark.acknowledged()
            #expect(flushed > 0)
            try await store.updateUnflushed("key") { _ in .replace(Self.entry) }
            try await store.update("key") { _ in .keep }
            #expect(mark.acknowledged() == flushed)
            // The deletion of nothing is counted, and flushes what was before.
            try await store.delete("none")
            #expect(mark.acknowledged() == flushed + 2)
        }
    }

    @Test("has statements that can be used again after a parameter could not be bound")
    func unbound() async throws {
        try await with { file in
            let connection = try Connection.patient(file.path, .create)
            let statement = try Statement(connection, "SELECT ?1", "look")
            statement.bind(2, Int64(1))
            #expect(throws: StoreError.self) { try statement.step() }
            statement.bind(1, Int64(1))
            #expect(try statement.step())
        }
    }
}
