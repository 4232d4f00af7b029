import Aquifer
import Foundation
import Hammer

/// Each prints what the store said.
enum Faults {
    /// With room for 300 KB in each file.
    static func full(_ kind: String, _ path: String) async throws {
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

    /// As a user who may read the store and not write it.
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
