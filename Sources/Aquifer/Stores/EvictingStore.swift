import AquiferConcurrency
import AquiferFoundation

/// A store around another one that keeps the entries that can be fetched again within a bound.
///
/// After each insert, the entries of kind ``StoredEntry/Kind/data`` together have at most `bound` bytes: the least
/// recently used ones are deleted. An entry of kind ``StoredEntry/Kind/value`` is never evicted and never counted.
///
/// - An entry of kind `data` larger than the whole bound is evicted at once: its key is left empty.
/// - An entry is used when it is retrieved or stored through this instance, or by a ``TieredStore`` directly over it. Entries that were not used go first, the
///   oldest `savedAt` first.
/// - Nothing is counted while the whole store has fewer bytes than the bound (``CacheStore/mostBytes()``). After that, entries are counted
///   in pages, one with each insert: the first insert into a store of a million entries is as quick as into an empty one.
///   Until a store of more than one page (1 000 entries) was counted, the total can exceed the bound by an eighth.
/// - With several instances or processes on one store, each counts its own inserts, and counts all entries again before they
///   are an eighth of the bound. The total can thus exceed the bound by an eighth for each instance; by more where the store
///   has many entries that do not count: on average, an insert lists at most 16 entries.
/// - A failed eviction does not fail the insert, which was carried out: the next insert tries again.
public final class EvictingStore: ForwardingStore {
    /// The store inside, whose bound this one keeps. What is inserted there directly is not counted at once.
    public let base: any CacheStore
    private let bound: Int
    private let ledger = Locked(EvictionLedger())
    private let events: (any AquiferEvents)?
    /// One insert at a time counts.
    private let turn = Turnstile()
    private static let pageLimit = 1_000

    /// Limits the entries of kind `data` in `base` to `bound` bytes, and tells `events` of each that is evicted.
    public init(_ base: any CacheStore, bound: Int, events: (any AquiferEvents)? = nil) {
        self.base = base
        self.bound = bound
        self.events = events
    }

    /// See ``CacheStore/retrieve(_:)``.
    public func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        let entry = try await base.retrieve(key)
        if let entry { used(entry, key) }
        return entry
    }

    /// Notes that an entry was used, which a copy of it may have been elsewhere.
    func used(_ entry: StoredEntry, _ key: String) {
        if entry.kind == .data { ledger.withLock { $0.touch(StoreKey(key), size: entry.bytes.count) } }
    }

    /// See ``CacheStore/insert(_:for:)``.
    public func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        if isTooLarge(entry) {
            try await delete(key)
            events?.note(.evicted(KeyClass(of: key), bytes: entry.bytes.count))
            return
        }
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

    /// See ``CacheStore/deleteAll(prefix:)``. It promises what the store inside promises.
    public func deleteAll(prefix: String) async throws(StoreError) {
        try await base.deleteAll(prefix: prefix)
        ledger.withLock { $0.removeAll(prefix: prefix) }
    }

    private func isTooLarge(_ entry: StoredEntry) -> Bool { entry.kind == .data && entry.bytes.count > bound }

    private func stored(_ entry: StoredEntry, _ key: String) async {
        guard entry.kind == .data else { return ledger.withLock { $0.remove(StoreKey(key)) } }
        ledger.withLock { $0.add(StoreKey(key), size: entry.bytes.count) }
        await count()
        while let victim = ledger.withLock({ [bound] in $0.nextVictim(over: bound) }) {
            if await !evict(victim.text) { break }
        }
    }

    /// Counts the entries, as far as that is due. What fails is tried again at the next insert: this one is done.
    private func count() async {
        if case .nothing = ledger.withLock({ [bound] in $0.step(bound: bound) }) { return }
        if !turn.tryEnter() { await turn.enter() }
        defer { turn.leave() }
        repeat {
            var step = ledger.withLock { [bound] in $0.step(bound: bound) }
            if case .look = step {
                // As above; a store that does not answer counts as one that does not know.
                if let most = try? await base.mostBytes(), most <= bound {
                    return ledger.withLock { [bound] in $0.isWithin(bound, most: most) }
                }
                step = ledger.withLock { $0.begin() }
            }
            guard case .page(let after) = step,
                let page = try? await base.page(prefix: "", after: after, limit: Self.pageLimit)  // as above
            else { return }
            ledger.withLock { $0.count(page) }
        } while ledger.withLock { [bound] in $0.isLate(bound: bound) }
    }

    /// Evicts an entry; false if the store failed.
    private func evict(_ key: String) async -> Bool {
        do throws(StoreError) {
            let size = try await base.decide(key) { found -> (EntryChange, Int?) in
                // Another caller may have stored a value there meanwhile, which must not be deleted.
                if case .success(let entry?) = found, entry.kind == .data {
                    (.delete, entry.bytes.count)
                } else {
                    (.keep, nil)
                }
            }
            if let events, let size { events.note(.evicted(KeyClass(of: key), bytes: size)) }
            ledger.withLock { $0.remove(StoreKey(key)) }
            return true
        } catch {
            return false
        }
    }
}
