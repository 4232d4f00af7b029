import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("A decision of a store that returns a value")
struct DecidingTests {
    private let store = MemoryStore()
    private let entry = StoredEntry(bytes: Data([1]), savedAt: Date(timeIntervalSince1970: 0))

    @Test("returns the value of the decision that was carried out")
    func returns() async throws {
        let entry = entry
        let first = try await store.decide("key") { found throws(StoreError) -> (EntryChange, String) in
            (.replace(entry), try found.get() == nil ? "new" : "old")
        }
        let second = try await store.decide("key") { found throws(StoreError) -> (EntryChange, String) in
            (.delete, try found.get() == entry ? "old" : "new")
        }
        #expect(first == "new" && second == "old")
        #expect(try await store.retrieve("key") == nil)
    }

    @Test("changes nothing when it throws")
    func throwing() async throws {
        try await store.insert(entry, for: "key")
        let error = await failure(of: { () async throws(StoreError) in
            try await store.decide("key") { _ throws(StoreError) -> (EntryChange, Int) in
                throw .failed(operation: "decide", reason: "no")
            }
        })
        #expect(error == .failed(operation: "decide", reason: "no"))
        #expect(try await store.retrieve("key") == entry)
    }
}
