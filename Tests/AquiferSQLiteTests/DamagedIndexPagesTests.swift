import Aquifer
import Foundation
import Testing

@testable import AquiferSQLite

/// Damage of an index does nothing to entries. Reading goes by the other index, and writing mends.
@Suite("The store in SQLite, pages of its indexes damaged", .timeLimit(.minutes(10)))
struct DamagedIndexPagesTests {
    private static let indexes = ["entry_key", "entry_key_again"]
    private static let count = 400

    private static func key(_ number: Int) -> String {
        "key \(number) " + String(repeating: "x", count: 60 + number % 50)
    }

    private static func entry(_ number: Int) -> StoredEntry {
        StoredEntry(bytes: Data("entry \(number)".utf8), savedAt: Date(timeIntervalSinceReferenceDate: Double(number)))
    }

    enum Garbage: String, CaseIterable {
        case zerosInTheRoot, noiseInTheRoot, noiseInALeaf, noiseInEveryLeaf, keysOfALeaf
        case childInTheTable, childInTheOther
    }

    private func withStore(_ use: (URL) async throws -> Void) async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("store.db")
            try await {
                let store = try SQLiteStore(file: file)
                for number in 0..<Self.count { try await store.insert(Self.entry(number), for: Self.key(number)) }
            }()
            try Self.flush(file)
            try await use(file)
        }
    }

    private func expectAll(
        _ store: SQLiteStore, but gone: Set<Int> = [], changed: [Int: StoredEntry] = [:]
    ) async throws {
        for number in 0..<Self.count where !gone.contains(number) {
            let found = try await store.retrieve(Self.key(number))
            #expect(found == changed[number] ?? Self.entry(number), "\(number)")
        }
        let contents = try await store.contents()
        #expect(contents.damaged.isEmpty && contents.entries.count == Self.count - gone.count)
    }

    @Test("loses no entry, changes the right ones, and is mended by that", arguments: Garbage.allCases, indexes)
    func garbage(_ garbage: Garbage, index: String) async throws {
        try await withStore { file in
            try Self.put(garbage, in: index, file)
            do {
                let store = try SQLiteStore(file: file)
                try await expectAll(store)
                try await store.insert(Self.entry(1000), for: Self.key(7))
                try await store.delete(Self.key(8))
                try await store.update(Self.key(9)) { found in
                    #expect(found == .success(Self.entry(9)))
                    return .replace(Self.entry(1001))
                }
                for number in 10..<Self.count { try await store.insert(Self.entry(number), for: Self.key(number)) }
                try await expectAll(store, but: [8], changed: [7: Self.entry(1000), 9: Self.entry(1001)])
                #expect(try await store.retrieve(Self.key(8)) == nil)
            }
            // The mended index is as good as new: it bears the loss of the other index.
            let other = Self.indexes.first { $0 != index }!
            try Self.flush(file)
            try Self.put(.zerosInTheRoot, in: other, file)
            try await expectAll(
                SQLiteStore(file: file), but: [8], changed: [7: Self.entry(1000), 9: Self.entry(1001)])
        }
    }

    @Test("never takes the row of another key for a key's own, whichever index leads there", arguments: indexes)
    func misled(index: String) async throws {
        try await withStore { file in
            let store = try SQLiteStore(file: file)
            for number in [1, 2, 3] {
                try Imposter(file).lead(Self.key(number), toRowOf: Self.key(number + 10), in: index)
            }
            try await expectAll(store)
            try await store.delete(Self.key(1))
            #expect(try await store.retrieve(Self.key(1)) == nil)
            try await expectAll(store, but: [1])
            try Imposter(file).lead(Self.key(2), toRowOf: Self.key(12), in: index)
            try await store.insert(Self.entry(1002), for: Self.key(2))
            try await expectAll(store, but: [1], changed: [2: Self.entry(1002)])
            try Imposter(file).lead(Self.key(3), toRowOf: Self.key(13), in: index)
            try await store.update(Self.key(3)) { found in
                #expect(found == .success(Self.entry(3)))
                return .delete
            }
            try await expectAll(store, but: [1, 3], changed: [2: Self.entry(1002)])
        }
    }

    @Test("replacing an entry mends an index that has lost only its key", arguments: indexes)
    func replaced(index: String) async throws {
        try await withStore { file in
            let store = try SQLiteStore(file: file)
            try Imposter(file).forget(Self.key(5), in: index)
            try await store.insert(Self.entry(1000), for: Self.key(5))
            #expect(try Connection.patient(file.path, .readOnly).integer(Self.faults) == 0)
            try await expectAll(store, changed: [5: Self.entry(1000)])
        }
    }

    @Test("mending loses no row that has no key: each is told as damaged")
    func rowsWithoutKey() async throws {
        try await withStore { file in
            let store = try SQLiteStore(file: file)
            // Rows are numbered from 1, entries from 0.
            try Imposter(file).forgetKeys(ofRows: "21, 22, 23")
            for index in Self.indexes {
                for number in [20, 21, 22] { try Imposter(file).forget(Self.key(number), in: index) }
            }
            try Imposter(file).forget(Self.key(5), in: "entry_key")
            try await store.insert(Self.entry(5), for: Self.key(5))
            let contents = try await store.contents()
            #expect(contents.entries.count == Self.count - 3 && contents.damaged.count == 3)
        }
    }

    /// Zero when SQLite itself finds nothing wrong with tables and indexes.
    private static let faults = "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"

    // MARK: The damage

    /// Brings everything from the log into the file.
    private static func flush(_ file: URL) throws {
        let connection = try Connection.patient(file.path, .readWrite)
        // A connection that has read nothing does not know of the log; and the store may just be moving it, too.
        let isFlushed = try Waiting.until(.seconds(5)) { () throws(StoreError) in
            _ = try connection.integer("PRAGMA user_version")
            return try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0
        }
        try #require(isFlushed)
    }

    private static func put(_ garbage: Garbage, in index: String, _ file: URL) throws {
        let connection = try Connection.patient(file.path, .readOnly)
        let root = try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(index)'")
        let table = try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'entry'")
        let size = try connection.integer("PRAGMA page_size")
        var bytes = [UInt8](try Data(contentsOf: file))
        func start(_ page: Int) -> Int { (page - 1) * size }
        func number(_ at: Int) -> Int { bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) } }
        // A page of an inner node: its last child stands at 8, and each cell begins with another one.
        func children(_ page: Int) -> [Int] {
            let cells = (0..<(Int(bytes[start(page) + 3]) << 8 | Int(bytes[start(page) + 4]))).map { cell in
                let at = start(page) + 12 + 2 * cell
                return number(start(page) + (Int(bytes[at]) << 8 | Int(bytes[at + 1])))
            }
            return cells + [number(start(page) + 8)]
        }
        func fill(_ page: Int, _ byte: (Int) -> UInt8) {
            for at in 0..<size { bytes[start(page) + at] = byte(at) }
        }
        let noise: (Int) -> UInt8 = { UInt8(truncatingIfNeeded: $0 &* 167 &+ 41) }
        let leaves = children(root)
        try #require(bytes[start(root)] == 2 && leaves.count > 2)
        func redirect(to page: Int) {
            for place in 0..<4 { bytes[start(root) + 8 + place] = UInt8(truncatingIfNeeded: page >> (24 - 8 * place)) }
        }
        switch garbage {
        case .zerosInTheRoot: fill(root) { _ in 0 }
        case .noiseInTheRoot: fill(root, noise)
        case .noiseInALeaf: fill(leaves[1], noise)
        case .noiseInEveryLeaf: for leaf in leaves { fill(leaf, noise) }
        case .keysOfALeaf:
            for at in 2000..<8000 where bytes[start(leaves[1]) + at] == UInt8(ascii: "y") {
                bytes[start(leaves[1]) + at] = UInt8(ascii: "z")
            }
        case .childInTheTable: redirect(to: table == root ? 2 : children(table)[0])
        case .childInTheOther:
            let other = indexes.first { $0 != index }!
            redirect(
                to: children(try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(other)'"))[1])
        }
        try Data(bytes).write(to: file)
    }
}
