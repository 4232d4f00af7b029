import Aquifer
import Foundation
import Testing

@testable import AquiferSQLite

@Suite("The store in SQLite, its first page damaged", .timeLimit(.minutes(10)))
struct DamagedSchemaTests {
    private static let entry = StoredEntry(
        bytes: Data("entry".utf8), savedAt: Date(timeIntervalSinceReferenceDate: 1))

    @Test("a flipped bit leaves a store that works, or one that says what is wrong with it", arguments: [0, 1, 5, 7])
    func flippedBit(_ bit: Int) async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("store.db")
            try await { try await SQLiteStore(file: file).insert(Self.entry, for: "key") }()
            let whole = try Data(contentsOf: file)
            var errors: [String: Int] = [:]
            var lost: [Int] = []
            for at in 0..<8192 where whole[at] != 0 || at < 112 {
                let place = folder.fresh()
                var flipped = whole
                flipped[at] ^= 1 << bit
                try flipped.write(to: place)
                do throws(StoreError) {
                    let store = try SQLiteStore(file: place)
                    let found = try await store.retrieve("key")
                    if found != Self.entry { lost.append(at) }
                    _ = try await store.contents()
                    try await store.insert(Self.entry, for: "key")
                    try await store.delete("key")
                } catch {
                    errors["\(error)".prefix { $0 != "(" && $0 != "/" }.description, default: 0] += 1
                    switch error {
                    case .failed, .busy, .full, .readOnly, .invalidKey, .lost, .uncertain, .ended:
                        Issue.record("byte \(at): \(error)")
                    case .damaged, .unreadable, .notAStore, .otherVersion: break
                    }
                }
                try FileManager.default.removeItem(at: place)
            }
            #expect(!errors.isEmpty)
            #expect(lost.isEmpty, "these bytes lose the entry without an error")
        }
    }
}
