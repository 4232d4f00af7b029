import Aquifer
import AquiferSQLite
import Foundation

/// The end of a scope in a store that has a million entries of others.
final class ScopeBench {
    private static let size = 100

    private let store: SQLiteStore
    private var users = 0

    init(folder: URL) throws {
        store = try SQLiteStore(file: folder.appending(path: "scopes.sqlite"))
    }

    /// `fill` saves one entry, from which the driver makes the others. `end` logs a user in, saves so many entries, and
    /// returns the seconds of the logout.
    func run(_ work: String, _ entries: Int) async throws -> Double {
        if work == "fill" {
            try await store.insert(Self.entry(0), for: "filler")
            return 0
        }
        users += 1
        // Somewhere among the others, which have the numbers 1 000 … 1 098.
        let scope = Scope("user/\(1_000 + users * 37 % 99)+", in: store)
        for number in 0..<entries {
            try await scope.store.insert(Self.entry(number), for: "contact/\(number + 100_000)")
        }
        // Users log out long after their last change: SQLiteStore has moved it out of its log by then.
        try await Task.sleep(for: .milliseconds(300))
        let start = ContinuousClock.now
        try await scope.end()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        guard try await store.contents(prefix: "scope:").entries.isEmpty else {
            throw Bench.Unknown(words: ["the scope has not ended"])
        }
        return seconds
    }

    private static func entry(_ number: Int) -> StoredEntry {
        StoredEntry(bytes: Data(repeating: UInt8(truncatingIfNeeded: number), count: size), savedAt: Date())
    }
}
