import Aquifer
import AquiferTesting
import Foundation
import Testing

/// Keeps entries in a dictionary, sealed as they would be on a disk.
actor DictionaryStore: CacheStore {
    // Two Swift strings are equal when they are canonically equivalent; two keys only when their bytes are.
    private var kept: [Data: SealedEntry] = [:]
    nonisolated let changes = StoreChanges()

    func retrieve(_ key: String) throws(StoreError) -> StoredEntry? {
        guard !key.isEmpty else { throw .invalidKey(key) }
        return try kept[Data(key.utf8)]?.entry(for: key)
    }

    func insert(_ entry: StoredEntry, for key: String) throws(StoreError) {
        kept[Data(key.utf8)] = try SealedEntry(entry, key: key)
        changes.post(.entry(key))
    }

    func delete(_ key: String) throws(StoreError) {
        guard !key.isEmpty else { throw .invalidKey(key) }
        kept[Data(key.utf8)] = nil
        changes.post(.entry(key))
    }

    // The actor does one thing at a time and never waits in here: looking and changing are one step.
    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) throws(StoreError) {
        guard !key.isEmpty else { throw .invalidKey(key) }
        switch try decide(Result { () throws(StoreError) in try retrieve(key) }) {
        case .keep: break
        case .replace(let entry): try insert(entry, for: key)
        case .delete: try delete(key)
        }
    }

    func contents() -> StoreContents {
        var contents = StoreContents()
        for (place, sealed) in kept {
            do {
                contents.entries.append(try sealed.summary())
            } catch {
                let key = String(decoding: place, as: UTF8.self)
                contents.damaged.append(DamagedEntry(key: key, place: key, reason: error.reason))
            }
        }
        return contents
    }

    func contents(prefix: String) -> StoreContents { contents().beginning(with: prefix) }

    func deleteAll(prefix: String) {
        kept = kept.filter { !$0.key.starts(with: Data(prefix.utf8)) }
        changes.post(.prefix(prefix))
    }

    func remove(_ damaged: DamagedEntry) {
        let place = Data(damaged.place.utf8)
        do { _ = try kept[place]?.summary() } catch {
            kept[place] = nil
            changes.post(.entry(damaged.place))
        }
    }

    /// Changes the bytes of an entry, as a disk might.
    func damage(_ key: String, _ change: @Sendable (inout Data) -> Void) {
        guard var data = kept[Data(key.utf8)]?.data else { return }
        change(&data)
        kept[Data(key.utf8)] = SealedEntry(data: data)
    }
}

let dictionaries = CacheStoreContract.Subject(
    make: { DictionaryStore() },
    corrupt: { key, store in await (store as? DictionaryStore)?.damage(key) { $0[$0.count - 1] ^= 1 } },
    damages: [.init("the header") { key, store in await (store as? DictionaryStore)?.damage(key) { $0[30] ^= 1 } }])

@Test("DictionaryStore keeps the contract", arguments: CacheStoreContract.checks(for: dictionaries))
func dictionaryStoreKeepsTheContract(_ check: CacheStoreContract.Check) async throws {
    try await check.run(dictionaries)
}

@Test("A dictionary has one instance, whose writes do not fail; everything else is checked")
func passedOver() {
    let missing = CacheStoreContract.passedOver(for: dictionaries).map(\.requirement)
    #expect(Set(missing) == [.reopen, .makeFailing])
}
