import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferSQLite

@Suite("Several entries that are read in one step", .timeLimit(.minutes(1)))
struct SeveralReadsTests {
    private static let keys = ["saved", "missing", "damaged", "", "damaged", "saved"]

    @Test("are for each what one read returns or throws, from SQLite and from a store that reads one after the other")
    func sameAsOne() async throws {
        try await TemporaryFolder.with { folder in
            let store = try SQLiteStore(file: folder.appending(path: "store.sqlite"))
            try await store.insert(SQLiteStoreTests.entry, for: "saved")
            try await store.insert(SQLiteStoreTests.entry, for: "damaged")
            try Connection.patient(store.file.path, .readWrite).execute(
                "UPDATE entry SET bytes = x'00' WHERE key = 'damaged'")
            var single: [Result<StoredEntry?, StoreError>] = []
            for key in Self.keys {
                do throws(StoreError) { single.append(.success(try await store.retrieve(key))) } catch {
                    single.append(.failure(error))
                }
            }
            #expect(try single[0].get() == SQLiteStoreTests.entry)
            #expect(try single[1].get() == nil)
            #expect(throws: StoreError.self) { try single[2].get() }
            #expect(throws: StoreError.invalidKey("")) { try single[3].get() }
            #expect(await store.entries(under: Self.keys) == single)
            #expect(await FaultyStore(store).entries(under: Self.keys) == single)
            // A transaction that was left open would keep the next one from beginning, and see the old bytes.
            try await store.insert(SQLiteStoreTests.entry, for: "damaged")
            #expect(try await store.entries(under: ["damaged"])[0].get() == SQLiteStoreTests.entry)
        }
    }

    @Test("are missing in a store that nobody has written to, and in none of its keys is the empty one")
    func nothing() async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appending(path: "store.sqlite")
            let store = try SQLiteStore(file: file)
            try FileManager.default.removeItem(at: file)
            let found = await store.entries(under: ["a", ""])
            #expect(found == [.success(nil), .failure(.invalidKey(""))])
            #expect(await store.entries(under: []).isEmpty)
        }
    }
}
