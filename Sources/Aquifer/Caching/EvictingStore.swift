import Foundation

/// Keeps what can be fetched again within a bound: a store around another one.
///
/// After each insert, the entries of kind ``StoredEntry/Kind/data`` together have at most `bound` bytes: those used
/// least recently are deleted. An entry of kind ``StoredEntry/Kind/value`` is never evicted and never counted.
///
/// - An entry of kind `data` larger than the whole bound is evicted at once: its key is left empty.
/// - "Used" is retrieved or stored through this instance; entries it has not touched go first, oldest `savedAt` first.
/// - With several instances or processes on one store each counts what it stores, and counts again what is really
///   there after every eighth of the bound, so that the total can pass the bound by an eighth for each of them.
/// - An eviction that fails does not fail the insert, which was carried out: it is tried again at the next one.
public final class EvictingStore: CacheStore {
    let base: any CacheStore
    private let bound: Int
    private let ledger = Locked(EvictionLedger())

    /// Bounds what is kept in `base` to `bound` bytes of entries of kind `data`.
    public init(_ base: any CacheStore, bound: Int) {
        self.base = base
        self.bound = bound
    }

    /// See ``CacheStore/retrieve(_:)``.
    public func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        let entry = try await base.retrieve(key)
        if entry?.kind == .data { ledger.withLock { $0.touch(StoreKey(key)) } }
        return entry
    }

    /// See ``CacheStore/insert(_:for:)``.
    public func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        if isTooLarge(entry) { return try await delete(key) }
        try await base.insert(entry, for: key)
        await stored(entry, key)
    }

    /// See ``CacheStore/delete(_:)``.
    public func delete(_ key: String) async throws(StoreError) {
        try await base.delete(key)
        ledger.withLock { $0.remove(StoreKey(key)) }
    }

    /// See ``CacheStore/update(_:_:)``.
    public func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        let decided = Locked(EntryChange.keep)
        try await base.update(key) { found throws(StoreError) in
            var change = try decide(found)
            if case .replace(let entry) = change, isTooLarge(entry) { change = .delete }
            decided.withLock { $0 = change }
            return change
        }
        switch decided.withLock({ $0 }) {
        case .keep: break
        case .delete: ledger.withLock { $0.remove(StoreKey(key)) }
        case .replace(let entry): await stored(entry, key)
        }
    }

    /// See ``CacheStore/entries()``.
    public func entries() async throws(StoreError) -> [StoredEntry.Summary] {
        try await base.entries()
    }

    private func isTooLarge(_ entry: StoredEntry) -> Bool { entry.kind == .data && entry.bytes.count > bound }

    private func stored(_ entry: StoredEntry, _ key: String) async {
        guard entry.kind == .data else { return ledger.withLock { $0.remove(StoreKey(key)) } }
        let mustCount = ledger.withLock { [bound] ledger in
            ledger.add(StoreKey(key), size: entry.bytes.count)
            return ledger.isUncounted || ledger.addedSinceCount > bound / 8
        }
        if mustCount, let found = try? await base.entries() {  // else counted at the next insert: this one is done
            ledger.withLock { $0.count(found) }
        }
        while let victim = ledger.withLock({ [bound] in $0.nextVictim(over: bound) }) {
            if await !evict(victim.text) { break }
        }
    }

    /// False if the store could not do it.
    private func evict(_ key: String) async -> Bool {
        do throws(StoreError) {
            try await base.update(key) { found in
                // By now someone else may have stored a value there: that one is not ours to delete.
                if case .success(let entry?) = found, entry.kind == .data { .delete } else { .keep }
            }
            ledger.withLock { $0.remove(StoreKey(key)) }
            return true
        } catch {
            return false
        }
    }
}
