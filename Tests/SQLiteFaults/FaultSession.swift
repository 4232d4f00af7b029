import Aquifer
import AquiferSQLite
import CSQLiteFaults
import Foundation

/// One session of a store: open, save, load, change, delete, list, close, open again.
///
/// A step that fails must fail with an error of the store, change nothing, and work when it is tried again.
final class FaultSession {
    private let folder: URL
    private let durability: SQLiteStore.Durability
    private var file: URL { folder.appendingPathComponent("store.db") }
    private var store: SQLiteStore?
    /// The entries that the store has acknowledged.
    private var known: [String: StoredEntry] = [:]
    private var result = Result()

    /// The outcome of a session.
    struct Result {
        var outcomes: [String] = []
        var broken: [String] = []
    }

    init(_ durability: SQLiteStore.Durability) throws {
        let memory = "/dev/shm"
        let base =
            FileManager.default.isWritableFile(atPath: memory)
            ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
        folder = base.appendingPathComponent("aquifer-faults-\(UUID().uuidString)")
        self.durability = durability
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func remove() {
        store = nil
        try? FileManager.default.removeItem(at: folder)  // what is left behind is in a folder for such things
    }

    private static func entry(_ text: String, _ count: Int = 1) -> StoredEntry {
        let date = Date(timeIntervalSince1970: 1_780_000_000)
        return StoredEntry(
            bytes: Data(String(repeating: text, count: count).utf8), savedAt: date,
            validators: Validators(etag: "\"\(text)\"", lastModified: "Sat, 21 Nov 2026 00:00:00 GMT"),
            origin: .init(sentAt: date, answeredAt: date + 1), asking: .init(askAt: date + 60))
    }

    func run() async -> Result {
        for opening in 1...2 {
            await step("open") { [self] () throws(StoreError) in store = try opened() }
            await save("a\(opening)", Self.entry("small"))
            await save("b\(opening)", Self.entry("large ", 10_000))
            await load("a\(opening)")
            await load("b\(opening)")
            await change("a\(opening)", Self.entry("changed"))
            await list()
            await delete("b\(opening)")
            await load("b\(opening)")
            await save("c\(opening)", Self.entry("one of many"))
            await deleteAll("c")
            await list()
            store = nil
        }
        return result
    }

    private func opened() throws(StoreError) -> SQLiteStore {
        try SQLiteStore(file: file, durability: durability, patience: .milliseconds(500), isIrreplaceable: true)
    }

    /// Opens the store without a fault, and compares everything with what was acknowledged.
    func judge() async -> [String] {
        result = Result()
        store = nil
        await step("judge: open") { [self] () throws(StoreError) in store = try opened() }
        for key in ["a1", "b1", "a2", "b2"] { await load(key) }
        await list()
        store = nil
        return result.broken + result.outcomes.map { "after the fault: \($0)" }
    }

    // MARK: Steps

    /// Carries out a step. One that fails is carried out once more, without the fault.
    private func step(_ name: String, _ body: () async throws(StoreError) -> Void) async {
        do throws(StoreError) { try await body() } catch {
            result.outcomes.append("\(name): \(Self.kind(error))")
            if faults_struck() == nil { result.broken.append("\(name) fails without a fault: \(error)") }
            switch error {
            case .unreadable, .damaged, .lost, .notAStore, .otherVersion, .uncertain, .invalidKey, .ended:
                result.broken.append("\(name) takes a failure of the system for damage: \(error)")
            case .failed, .busy, .full, .readOnly: break
            }
            do throws(StoreError) { try await body() } catch {
                result.broken.append("\(name) fails again, without a fault: \(error)")
            }
        }
    }

    private func save(_ key: String, _ entry: StoredEntry) async {
        await changing(key, entry) { store throws(StoreError) in try await store.insert(entry, for: key) }
    }

    private func change(_ key: String, _ entry: StoredEntry) async {
        let before = known[key]
        await changing(key, entry) { store throws(StoreError) in
            try await store.update(key) { found throws(StoreError) in
                guard try found.get() == before else { throw .failed(operation: "read", reason: "another entry") }
                return .replace(entry)
            }
        }
    }

    private func delete(_ key: String) async {
        await changing(key, nil) { store throws(StoreError) in try await store.delete(key) }
    }

    private func deleteAll(_ prefix: String) async {
        await step("delete all") { [self] () throws(StoreError) in
            guard let store else { return }
            do throws(StoreError) { try await store.deleteAll(prefix: prefix) } catch {
                for (key, entry) in known where try await store.retrieve(key) != entry {
                    result.broken.append("a deletion by prefix fails (\(error)) and takes \(key) away")
                }
                throw error
            }
            known = known.filter { !$0.key.hasPrefix(prefix) }
        }
    }

    /// A change that fails has changed nothing.
    private func changing(
        _ key: String, _ entry: StoredEntry?, _ body: (SQLiteStore) async throws(StoreError) -> Void
    ) async {
        await step(entry == nil ? "delete" : "save") { [self] () throws(StoreError) in
            guard let store else { return }
            do throws(StoreError) { try await body(store) } catch {
                let found = try await store.retrieve(key)
                if found != known[key] { result.broken.append("a change of \(key) fails (\(error)) and is made") }
                throw error
            }
            known[key] = entry
        }
    }

    private func load(_ key: String) async {
        await step("load") { [self] () throws(StoreError) in
            guard let store else { return }
            if try await store.retrieve(key) != known[key] {
                result.broken.append("\(key) is another entry, or missing")
            }
        }
    }

    private func list() async {
        await step("list") { [self] () throws(StoreError) in
            guard let store else { return }
            let contents = try await store.contents()
            let expected = Set(known.map { StoredEntry.Summary($1, key: $0) })
            if Set(contents.entries) != expected || !contents.damaged.isEmpty {
                result.broken.append("the list is \(contents.entries.map(\.key)), damaged \(contents.damaged)")
            }
            let some = try await store.contents(prefix: "b")
            if Set(some.entries) != expected.filter({ $0.key.hasPrefix("b") }) || !some.damaged.isEmpty {
                result.broken.append("the list of b is \(some.entries.map(\.key)), damaged \(some.damaged)")
            }
        }
    }

    private static func kind(_ error: StoreError) -> String {
        switch error {
        case .full: "full"
        case .busy: "busy"
        case .readOnly: "readOnly"
        case .failed: "failed"
        default: "\(error)"
        }
    }
}
