import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("The faulty store", .timeLimit(.minutes(5)))
struct FaultyStoreTests {
    @Test("fails where it is told to, until it is healed, and notes every call in order")
    func failsAndHeals() async throws {
        let store = FaultyStore()
        let entry = StoredEntry(bytes: Data([1]), savedAt: Date(timeIntervalSinceReferenceDate: 1))
        store.fail(.insert, .update, with: .full(path: "/disk"))
        await #expect(throws: StoreError.full(path: "/disk")) { try await store.insert(entry, for: "key") }
        await #expect(throws: StoreError.full(path: "/disk")) { try await store.update("key") { _ in .delete } }
        #expect(try await store.retrieve("key") == nil)
        store.heal()
        try await store.insert(entry, for: "key")
        try await store.update("key") { _ in .delete }
        #expect(
            store.calls == [
                .insert(entry, for: "key"), .update("key", nil), .retrieve("key"), .insert(entry, for: "key"),
                .update("key", .delete),
            ])
    }
}
