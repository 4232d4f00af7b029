import AquiferConcurrency
import AquiferFoundation

/// A store with faster ones before it: memory, and a cache that machines share.
///
/// ```swift
/// let hot = TieredStore(memory: .megabytes(64), over: try RedisStore("redis://cache"), over: postgres)
/// ```
///
/// The last store is the truth. It decides every update, lists, and promises what survives. The others hold copies: an entry is looked for
/// in memory, then in the cache, then in the truth, and is copied on the way back. A ``Scope`` belongs directly on it, or on the truth.
///
/// - A change is made in the truth. Then its copies are deleted, and then the call returns: what this instance has changed, it never
///   reads as it was before.
/// - A change that another machine makes is seen when the truth tells it (``CacheStore/changes``), which takes milliseconds for
///   PostgreSQL. Until then a reader may be given the entry before. Updates, logins and writes of a ``Scope`` are never decided by a copy.
/// - A cache that fails is passed over, and so is a damaged copy. If a copy could not be deleted, the cache is out of use until all
///   of its entries were deleted: nothing is read from it, and no later change waits for it. Give the cache an expiry (`RedisStore(expireAfter:)`): a machine that is stopped between a change and its
///   deletion, with nobody else to hear of the change, leaves an old copy for as long.
/// - The cache is this store's own: nothing else may use its prefix. Let it keep no snapshots: they would bring old copies back.
public final class TieredStore: CacheStore, CopiedReads {
    /// A number of bytes.
    public struct Bound: Sendable, Hashable {
        /// The number.
        public let bytes: Int

        /// A number of bytes; a negative one counts as none.
        public static func bytes(_ count: Int) -> Bound { Bound(bytes: max(count, 0)) }

        /// 1 000 000 bytes each.
        public static func megabytes(_ count: Int) -> Bound { .bytes(count.saturatingMultiplied(by: 1_000_000)) }
    }

    private let truth: any CacheStore
    /// The truth, if it evicts: the reads of its copies are uses, too.
    private let evicting: EvictingStore?
    private let cache: CacheTier?
    private let memory: Locked<MemoryTier>
    private let work = Locked(Work())
    private let following = Locked<StoreObservation?>(nil)

    /// The changes of the truth that are still to be made in the cache, and told.
    private struct Work {
        var changes: [StoreChange] = []
        var added = 0
        var done = 0
        var isRunning = false
        var waiting: [(place: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    /// See ``CacheStore/changes``. A change is told after its copies were deleted here.
    public let changes: StoreChanges

    /// Memory before a store.
    ///
    /// - Parameters:
    ///   - bound: the bytes of the entries in memory at most. An entry of more than half of this bound is never kept there.
    ///   - truth: the store.
    public convenience init(memory bound: Bound, over truth: any CacheStore) {
        self.init(bound, nil, truth)
    }

    /// Memory and a shared cache before a store.
    ///
    /// - Parameters:
    ///   - bound: the bytes of the entries in memory at most. An entry of more than half of this bound is never kept there.
    ///   - cache: the cache, of which nothing else uses a part.
    ///   - truth: the store.
    ///   - clock: for the time between two attempts to delete the copies of a cache that has failed.
    ///   - makeNote: makes the notes that tell readers of the same entry apart. No two may be alike.
    public convenience init(
        memory bound: Bound, over cache: any CacheStore, over truth: any CacheStore,
        clock: any Clock<Duration> = ContinuousClock(), makeNote: @escaping @Sendable () -> UUID = { UUID() }
    ) {
        self.init(bound, CacheTier(cache, clock: clock, makeNote: makeNote), truth)
    }

    private init(_ bound: Bound, _ cache: CacheTier?, _ truth: any CacheStore) {
        self.truth = truth
        evicting = truth as? EvictingStore
        changes = StoreChanges(mayEnd: truth.changes.mayEnd)
        self.cache = cache
        memory = Locked(MemoryTier(bound: bound.bytes))
        // All changes are heard from the beginning: copies are made from then on.
        let observation = truth.changes.observe { [weak self] in self?.hear($0) }
        following.withLock { $0 = observation }
    }

    /// The bytes that memory has now, with 256 for each entry, and the number of entries that were forgotten there to make room.
    public var memoryUse: (bytes: Int, evictions: Int) { memory.withLock { ($0.size, $0.evictions) } }
    /// The leases of the truth.
    public var leases: (any LoadLeases)? { truth.leases }
    /// The presence that the truth knows.
    public var presence: (any StorePresence)? { truth.presence }

    // MARK: Reading

    /// See ``CacheStore/retrieve(_:)``. An entry in memory is given on the caller's actor.
    public nonisolated(nonsending) func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        let own = try StoreKey(checking: key)
        let (kept, reading) = memory.withLock { memory -> (StoredEntry?, UInt64) in
            if let entry = memory.entry(own) { return (entry, 0) }
            return (nil, memory.begin(own))
        }
        if let kept {
            evicting?.used(kept, key)
            return kept
        }
        let found: StoredEntry?
        do throws(StoreError) { found = try await readBelow(key) } catch {
            memory.withLock { $0.end(reading, own, nil) }
            throw error
        }
        memory.withLock { $0.end(reading, own, found) }
        return found
    }

    private func readBelow(_ key: String) async throws(StoreError) -> StoredEntry? {
        guard let cache else { return try await truth.retrieve(key) }
        switch await cache.read(key) {
        case .copy(let entry):
            evicting?.used(entry, key)
            return entry
        case .nothing(let note):
            let entry = try await truth.retrieve(key)
            if let note { await cache.fill(key, note, entry) }
            return entry
        }
    }

    /// See `CopiedReads.retrieveItself(_:)`. Asks the truth.
    package func retrieveItself(_ key: String) async throws(StoreError) -> StoredEntry? {
        try await truth.entryItself(key)
    }

    /// See ``CacheStore/contents()``. Asks the truth.
    public func contents() async throws(StoreError) -> StoreContents { try await truth.contents() }

    /// See ``CacheStore/contents(prefix:)``. Asks the truth.
    public func contents(prefix: String) async throws(StoreError) -> StoreContents {
        try await truth.contents(prefix: prefix)
    }

    /// See ``CacheStore/page(prefix:after:limit:)``. Asks the truth.
    public func page(prefix: String, after: String?, limit: Int) async throws(StoreError) -> StorePage {
        try await truth.page(prefix: prefix, after: after, limit: limit)
    }

    /// See ``CacheStore/mostBytes()``. Asks the truth.
    public func mostBytes() async throws(StoreError) -> Int? { try await truth.mostBytes() }

    /// See ``CacheStore/persist()``. Asks the truth.
    public func persist() async throws(StoreError) { try await truth.persist() }

    // MARK: Changing

    /// See ``CacheStore/insert(_:for:)``.
    public func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try await change(.entry(key)) { () async throws(StoreError) in try await truth.insert(entry, for: key) }
    }

    /// See ``CacheStore/delete(_:)``.
    public func delete(_ key: String) async throws(StoreError) {
        try await deletion(.entry(key)) { () async throws(StoreError) in try await truth.delete(key) }
    }

    /// See ``CacheStore/update(_:_:)``. The truth decides.
    public func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        try await change(.entry(key)) { () async throws(StoreError) in try await truth.update(key, decide) }
    }

    /// See ``CacheStore/deleteAll(prefix:)``.
    public func deleteAll(prefix: String) async throws(StoreError) {
        try await deletion(.prefix(prefix)) { () async throws(StoreError) in try await truth.deleteAll(prefix: prefix) }
    }

    /// See ``CacheStore/remove(_:)``.
    public func remove(_ damaged: DamagedEntry) async throws(StoreError) {
        let change: StoreChange = damaged.key.map { .entry($0) } ?? .everything
        try await self.change(change) { () async throws(StoreError) in try await truth.remove(damaged) }
    }

    /// Makes a change in the truth, which tells it, and waits until its copies are deleted.
    private func change(_ change: StoreChange, _ body: () async throws(StoreError) -> Void) async throws(StoreError) {
        do throws(StoreError) { try await body() } catch {
            // It may have been made all the same.
            memory.withLock { $0.forget(change) }
            await forgetCopies(change)
            throw error
        }
        await settle()
    }

    /// Makes a deletion in the truth. It tells none of what it does not have: another machine may have deleted that a moment ago, and its
    /// message be on the way.
    private func deletion(
        _ change: StoreChange, _ body: () async throws(StoreError) -> Void
    ) async throws(StoreError) {
        try await self.change(change, body)
        memory.withLock { $0.forget(change) }
        await forgetCopies(change)
    }

    /// Hears a change of the truth. The copies in memory go at once.
    private func hear(_ change: StoreChange) {
        memory.withLock { $0.forget(change) }
        if cache == nil { return changes.post(change) }
        let starts = work.withLock { work in
            work.changes.append(change)
            work.added += 1
            defer { work.isRunning = true }
            return !work.isRunning
        }
        if starts { Task { await run() } }
    }

    /// Deletes the copies of what has changed, one change after the other, and tells it.
    private func run() async {
        while true {
            let next = work.withLock { work -> StoreChange? in
                if work.changes.isEmpty { work.isRunning = false }
                return work.changes.isEmpty ? nil : work.changes.removeFirst()
            }
            guard let next else { return }
            await forgetCopies(next)
            changes.post(next)
            let free = work.withLock { work in
                work.done += 1
                let free = work.waiting.filter { $0.place <= work.done }
                work.waiting.removeAll { $0.place <= work.done }
                return free
            }
            for (_, continuation) in free { continuation.resume() }
        }
    }

    /// Deletes the copies of the cache, and then those that a reader has taken from it meanwhile.
    private func forgetCopies(_ change: StoreChange) async {
        guard let cache else { return }
        await cache.forget(change)
        memory.withLock { $0.forget(change) }
    }

    /// Returns when all changes that were heard before are made in the cache, and told.
    private func settle() async {
        await withCheckedContinuation { continuation in
            let isDone = work.withLock { work in
                let place = work.added
                if work.done < place { work.waiting.append((place, continuation)) }
                return work.done >= place
            }
            if isDone { continuation.resume() }
        }
    }
}
