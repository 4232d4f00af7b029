import Aquifer
import AquiferTesting
import Foundation
import Testing

/// Keeps entries in a dictionary.
actor DictionaryStore: CacheStore {
    // Two Swift strings are equal when they are canonically equivalent; two keys only when their bytes are.
    private var kept: [Data: (key: String, entry: StoredEntry)] = [:]

    func retrieve(_ key: String) throws(StoreError) -> StoredEntry? {
        kept[try place(of: key)]?.entry
    }

    func insert(_ entry: StoredEntry, for key: String) throws(StoreError) {
        kept[try place(of: key)] = (key, entry)
    }

    func delete(_ key: String) throws(StoreError) {
        kept[try place(of: key)] = nil
    }

    // The actor does one thing at a time and never waits in here: looking and changing are one step.
    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) throws(StoreError) {
        let place = try place(of: key)
        switch try decide(.success(kept[place]?.entry)) {
        case .keep: break
        case .replace(let entry): kept[place] = (key, entry)
        case .delete: kept[place] = nil
        }
    }

    func contents() -> StoreContents {
        StoreContents(entries: kept.values.map { key, entry in StoredEntry.Summary(entry, key: key) })
    }

    // A dictionary has nothing that could be damaged.
    func remove(_ damaged: DamagedEntry) {}

    private func place(of key: String) throws(StoreError) -> Data {
        guard !key.isEmpty else { throw .invalidKey(key) }
        return Data(key.utf8)
    }
}

let dictionaries = CacheStoreContract.Subject(make: { DictionaryStore() })

@Test("DictionaryStore keeps the contract", arguments: CacheStoreContract.checks(for: dictionaries))
func dictionaryStoreKeepsTheContract(_ check: CacheStoreContract.Check) async throws {
    try await check.run(dictionaries)
}
