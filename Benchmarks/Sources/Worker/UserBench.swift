import Aquifer
import AquiferPostgres
import Foundation

/// A user's scope among those of others, who were put there by SQL.
final class UserBench {
    private let store: PostgresStore
    private var users = 0

    init(_ address: String, schema: String) async throws {
        store = try await PostgresStore(address, schema: schema)
    }

    /// `fill` saves one entry, from which the driver makes the others. `user` logs a user in and returns the seconds of one insert, of one
    /// retrieval, and of the log-out.
    func run(_ work: String, _ entries: Int) async throws -> [Double] {
        if work == "fill" {
            try await store.insert(Self.entry(0), for: "filler")
            return [0]
        }
        users += 1
        // Somewhere among the others.
        let scope = Scope("user/\(users * 37 % 99)+", in: store)
        try await scope.open()
        var number = 0
        let insert = try await secondsEach(entries) {
            number += 1
            try await scope.store.insert(Self.entry(number), for: "contact/\(number)")
        }
        number = 0
        let retrieve = try await secondsEach(entries) {
            number += 1
            guard try await scope.store.retrieve("contact/\(number)") != nil else {
                throw Bench.Unknown(words: ["contact is not there"])
            }
        }
        let start = ContinuousClock.now
        try await scope.end()
        return [insert, retrieve, (ContinuousClock.now - start) / .seconds(1)]
    }

    private static func entry(_ number: Int) -> StoredEntry {
        StoredEntry(bytes: Data(repeating: UInt8(truncatingIfNeeded: number), count: 100), savedAt: Date())
    }
}
