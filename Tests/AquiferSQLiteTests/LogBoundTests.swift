import Aquifer
import Foundation
import Testing

@testable import AquiferSQLite

@Suite("The log of SQLite", .timeLimit(.minutes(10)))
struct LogBoundTests {
    @Test("has a bound, though three stores write to one file without a pause, as three processes do")
    func threeWriters() async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appending(path: "store.sqlite")
            // The last one that closes the file deletes its log.
            let stores = try (0..<3).map { _ in try SQLiteStore(file: file, patience: .seconds(60)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (name, store) in zip(["a", "b", "c"], stores) {
                    group.addTask {
                        // 15 pages each: 3 000 are more than 300 MB.
                        for number in 0..<1_000 {
                            let bytes = Data(repeating: UInt8(truncatingIfNeeded: number), count: 120_000)
                            try await store.insert(StoredEntry(bytes: bytes, savedAt: .distantPast), for: name)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let log = try FileManager.default.attributesOfItem(atPath: file.path + "-wal")
            let pages = try #require(log[.size] as? Int) / 8_192
            #expect(pages < 8_000, "the log has \(pages) pages")
            withExtendedLifetime(stores) {}
        }
    }
}
