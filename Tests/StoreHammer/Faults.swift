import Aquifer
import AquiferSQLite
import AquiferTesting
import Foundation
import Hammer

/// The faults of the system. Each function prints the store's answers.
enum Faults {
    /// With room for 300 KB in each file; then the store is opened with no room at all.
    static func full(_ kind: String, _ path: String) async throws {
        try await filled(kind, path)
        Straits.limitFiles(to: 0)
        await say("opened anew") { _ = try await Plan.open(kind, path).retrieve("key") }
    }

    private static func filled(_ kind: String, _ path: String) async throws {
        let store = try Plan.open(kind, path)
        let before = Plan.entry(key: "key", writer: 0, counter: 1)
        try await store.insert(before, for: "key")
        Straits.limitFiles(to: 300_000)
        let large = StoredEntry(bytes: Data(repeating: 7, count: 1_000_000), savedAt: before.savedAt)
        for attempt in ["insert", "insert again"] { await say(attempt) { try await store.insert(large, for: "key") } }
        await say("update") { try await store.update("key") { _ in .replace(large) } }
        print("before: \(try await store.retrieve("key") == before ? "still there" : "gone")")
        let small = Plan.entry(key: "key", writer: 0, counter: 5)
        try await store.insert(small, for: "small")
        print("small: \(try await store.retrieve("small") == small ? "stored" : "gone")")
    }

    /// The user may read the store and not write it.
    static func readOnly(_ kind: String, _ path: String) async throws {
        try Straits.becomeNobody()
        do {
            let store = try Plan.open(kind, path)
            await say("insert") {
                try await store.insert(Plan.entry(key: "key", writer: 0, counter: 2), for: "key")
            }
            await say("delete") { try await store.delete("key") }
            let entry = try await store.retrieve("key")
            print("before: \(entry.flatMap { Plan.counter(of: $0, key: "key") } == 1 ? "still there" : "gone")")
        } catch let error as StoreError {
            print("open: \(name(error))")
        }
    }

    /// A database is cut while it is open and being read. The store throws errors, and the process goes on.
    static func cut(_ path: String) async throws {
        let entry = StoredEntry(bytes: Data(repeating: 7, count: 200_000), savedAt: Date(timeIntervalSince1970: 0))
        let keys = (0..<40).map { "key \($0)" }
        let writer = try await filled(path, keys, entry)
        // Another store than the one that wrote, so that the entries are in the file alone, and not in the memory of a
        // connection too. The other one stays open: the log goes on saying how long the file should be.
        defer { withExtendedLifetime(writer) {} }
        let store = try Plan.open("sqlite", path)
        guard try await store.retrieve(keys[0]) == entry else { throw Trouble("it was not stored") }
        let file = path + "/store.db"
        for size in [4_000_000, 65_536, 8_192, 100, 0] {
            guard truncate(file, off_t(size)) == 0 else { throw Trouble("it cannot be cut") }
            var (told, missing) = (0, 0)
            for key in keys {
                do {
                    if try await store.retrieve(key) != entry { missing += 1 }
                } catch { told += 1 }
            }
            print("cut: \(missing > 0 ? "\(missing) missing or wrong" : told > 0 ? "told" : "all is there")")
            _ = try? await store.contents()  // whatever it says: it says it
            _ = try? await store.insert(entry, for: "new")  // as above
        }
    }

    /// A store whose entries have all been moved from its log into its file.
    static func filled(
        _ path: String, _ keys: [String], _ entry: StoredEntry
    ) async throws -> any CacheStore {
        let store = try Plan.open("sqlite", path)
        for key in keys { try await store.insert(entry, for: key) }
        // The store moves its log beside its writes. Meanwhile nobody else can move it, and a first column of 1 says
        // so.
        let connection = try Connection(path + "/store.db", .readWrite)
        let isMoved = try await eventually { try connection.integer("PRAGMA wal_checkpoint(FULL)") == 0 }
        precondition(isMoved)
        return store
    }

    private static func say(_ attempt: String, _ operation: () async throws -> Void) async {
        await Straits.say(attempt, name: { ($0 as? StoreError).map(name) ?? "\($0)" }, operation)
    }

    private static func name(_ error: StoreError) -> String {
        switch error {
        case .full: "full"
        case .readOnly: "read-only"
        default: "\(error)"
        }
    }
}
