import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("The faulty store", .timeLimit(.minutes(10)))
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

    @Test("fails to save, whichever call saves, and goes on with what saves nothing")
    func failsToSave() async throws {
        let store = FaultyStore()
        let entry = StoredEntry(bytes: Data([1]), savedAt: Date(timeIntervalSinceReferenceDate: 1))
        try await store.insert(entry, for: "key")
        store.forgetCalls()
        let other = StoredEntry(bytes: Data([2]), savedAt: Date(timeIntervalSinceReferenceDate: 2))
        store.fail(.save, with: .full(path: "/disk"))
        await #expect(throws: StoreError.full(path: "/disk")) { try await store.insert(other, for: "key") }
        await #expect(throws: StoreError.full(path: "/disk")) {
            try await store.update("key") { _ in .replace(other) }
        }
        try await store.update("key") { _ in .keep }
        #expect(try await store.retrieve("key") == entry)
        try await store.update("key") { _ in .delete }
        #expect(try await store.retrieve("key") == nil)
        #expect(
            store.calls == [
                .insert(other, for: "key"), .update("key", nil), .update("key", .keep), .retrieve("key"),
                .update("key", .delete), .retrieve("key"),
            ])
    }
}
