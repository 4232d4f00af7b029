import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@Suite("A store that repeats decisions")
struct RepeatingStoreTests {
    private let store = RepeatingStore()

    private func entry(_ byte: UInt8) -> StoredEntry {
        StoredEntry(bytes: Data([byte]), savedAt: Date(timeIntervalSince1970: 0))
    }

    @Test("gives the first runs what was there before, and carries out the last one")
    func runs() async throws {
        for byte: UInt8 in [1, 2] { try await store.insert(entry(byte), for: "key") }
        let seen = Locked([StoredEntry?]())
        let new = entry(3)
        let old: [StoredEntry?] = [nil, entry(1), entry(2), entry(2)]
        try await store.update("key") { found throws(StoreError) in
            let entry = try found.get()
            seen.withLock { $0.append(entry) }
            return .replace(new)
        }
        #expect(seen.withLock { $0 } == old)
        #expect(try await store.retrieve("key") == new)
    }

    @Test("shows a decision that leaves a flag of an earlier run behind")
    func impure() async throws {
        try await store.insert(entry(1), for: "key")
        let isMissing = Locked(false)
        try await store.update("key") { found throws(StoreError) in
            if try found.get() == nil { isMissing.withLock { $0 = true } }
            return .keep
        }
        #expect(isMissing.withLock { $0 })
        let value = try await store.decide("key") { found throws(StoreError) -> (EntryChange, Bool) in
            (.keep, try found.get() == nil)
        }
        #expect(!value)
    }
}
