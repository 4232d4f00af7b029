import AquiferConcurrency

/// A store of entries by key. Every saved value goes through this contract.
///
/// - Threads: many tasks and, for stores on disk, many processes may use one store at once.
/// - Order: calls with side effects run one after another, in the order they were issued on an instance. A reader sees
///   the complete old or the complete new entry, never a mix. A *shared* store, which many machines use at once, orders
///   the calls of each key only: calls for different keys may run side by side. Its ``deleteAll(prefix:)`` still runs
///   after all calls that were issued earlier, and before all later ones.
/// - Durability: a change that `insert`, `update` or `delete` has acknowledged survives a kill of the process at any
///   moment. A change that was not acknowledged is carried out completely or not at all. Three stores promise less:
///   ``MemoryStore`` keeps this for its lifetime, `UserDefaultsStore` keeps what the system has written, and `RedisStore`
///   what its server is set up to keep. <doc:FromOneMachineToMany> compares all stores.
/// - Integrity: an entry is returned as it was stored or not at all. A flipped bit, a truncated or a foreign file
///   throws ``StoreError/unreadable(key:reason:)``; it never counts as a missing entry. A failure of the system (no
///   descriptor, a device that does not answer) is another error: the entry may be undamaged. A failing call changes
///   nothing, and fails the same way when repeated.
/// - Changes: ``changes`` tells each acknowledged change before its call returns, and nothing for a call that failed or
///   kept the entry. A call that ends as ``StoreError/uncertain(operation:reason:)`` may tell its change, too: it may have been
///   made. A store whose place others can change tells their changes too, as soon as it learns of them.
/// - Keys: any string that is not empty. Two keys are equal if their UTF-8 bytes are equal. Give your own entries no key that
///   begins with `scope:` or `scope/`: each ``Scope`` in the store has such keys.
///
/// Every store passes `CacheStoreContract` of `AquiferTesting`.
public protocol CacheStore: Sendable {
    /// The entry under `key`, or `nil` if there is none. Has no side effects.
    ///
    /// A store that has the entry in memory answers without leaving the caller's actor: the main actor then does not wait for
    /// another thread. A store that must read or ask does that elsewhere, as an `async` function does by itself.
    nonisolated(nonsending) func retrieve(_ key: String) async throws(StoreError) -> StoredEntry?

    /// Stores an entry under `key`. It replaces any earlier entry, readable or not.
    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError)

    /// Deletes the entry under `key`, readable or not. Does nothing when there is none.
    func delete(_ key: String) async throws(StoreError)

    /// Reads and changes an entry in one atomic step: no other caller can change the entry between `decide` and the
    /// change. `decide` takes the result of ``retrieve(_:)``, a value or an error. It must be quick and must not call
    /// the store.
    ///
    /// An embedded store runs `decide` once. A shared store runs it again if somebody else has changed the entry
    /// meanwhile, and carries out only the last decision. An earlier run may have been given an older entry, or none. So
    /// `decide` must be *pure*: what it does follows from what it is given, and nothing is left of a run that another one
    /// follows. A decision may not:
    ///
    /// - set a flag, append to a list or count outside of itself, unless each run begins by taking that back;
    /// - tell anybody, send, write a file, or use up a number or a key;
    /// - draw a key or a date for the entry that its caller then learns in another way than as the decision's value.
    ///
    /// Return what the caller is to know: ``decide(_:_:)`` does the same as this and returns the value of the decision
    /// that was carried out. `RepeatingStore` of `AquiferTesting` runs each decision several times, for tests.
    func update(
        _ key: String,
        _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError)

    /// All entries, readable and damaged, without their bytes. Changes nothing.
    ///
    /// No entry is left out: each entry that was stored and not deleted is in one of the two lists.
    func contents() async throws(StoreError) -> StoreContents

    /// The entries of ``contents()`` whose keys begin with the UTF-8 bytes of `prefix`: the readable ones, and the damaged
    /// ones whose key is known. Every key begins with the empty prefix; it lists everything, as ``contents()`` does.
    func contents(prefix: String) async throws(StoreError) -> StoreContents

    /// A page of what ``contents(prefix:)`` lists: see ``StorePage``. By default, the first page has everything. Changes nothing.
    ///
    /// - Parameters:
    ///   - prefix: the beginning of the keys.
    ///   - after: ``StorePage/next`` of the page before; `nil` for the first page.
    ///   - limit: the most entries of the page, at least one. A page that has found damage may have more.
    func page(prefix: String, after: String?, limit: Int) async throws(StoreError) -> StorePage

    /// A number of bytes that all entries together do not exceed, known without a look at any of them; `nil`, the default, if there
    /// is none. A store around another one passes it on.
    func mostBytes() async throws(StoreError) -> Int?

    /// Deletes the entries that ``contents(prefix:)`` lists, and no other one. The empty prefix empties the store.
    ///
    /// Entries that were stored by calls issued earlier are gone when it returns. Each entry is deleted as a whole. If the
    /// process is killed, or the call throws, all or some entries may be left undamaged, unless the store promises more: call it again.
    func deleteAll(prefix: String) async throws(StoreError)

    /// Deletes a damaged entry that ``contents()`` listed. Does nothing when the entry is gone, or when a readable
    /// entry has replaced it since.
    func remove(_ damaged: DamagedEntry) async throws(StoreError)

    /// Returns when all changes that were acknowledged before survive a loss of power, as far as this store can promise that. A
    /// store whose changes do so anyway, or that keeps nothing on a device, does nothing; that is the default. A
    /// store around another one passes it on.
    func persist() async throws(StoreError)

    /// The changes of this store, as they happen. A store around another one passes on that one's.
    var changes: StoreChanges { get }

    /// The leases with which machines that share this store load a value once for all of them; `nil`, the default, if it has none.
    /// A store around another one passes on that one's.
    var leases: (any LoadLeases)? { get }

    /// The knowledge about who uses this store and lives; `nil`, the default, if it has none. A store around another one passes on
    /// that one's.
    var presence: (any StorePresence)? { get }

    /// The steps of this store for several entries at once; `nil`, the default, if it has none. A store around another one passes on that
    /// one's only if they keep what it promises.
    var batches: (any EntryBatches)? { get }
}

extension CacheStore {
    /// Everything in one page.
    public func page(prefix: String, after: String?, limit: Int) async throws(StoreError) -> StorePage {
        StorePage(try await contents(prefix: prefix), after: after)
    }

    /// Unknown.
    public func mostBytes() async throws(StoreError) -> Int? { nil }

    /// Does nothing.
    public func persist() async throws(StoreError) {}

    /// None.
    public var leases: (any LoadLeases)? { nil }

    /// Nothing.
    public var presence: (any StorePresence)? { nil }

    /// None.
    public var batches: (any EntryBatches)? { nil }
}

/// The change of an entry by ``CacheStore/update(_:_:)``.
public enum EntryChange: Sendable, Hashable {
    /// Keep the entry unchanged.
    case keep
    /// Replace the entry with this one.
    case replace(StoredEntry)
    /// Delete the entry.
    case delete
}

/// A decision about an entry that tells its caller something.
extension CacheStore {
    /// Reads and changes an entry in one atomic step, as ``update(_:_:)`` does, and returns the value of the decision.
    ///
    /// - Parameters:
    ///   - key: the key of the entry.
    ///   - decide: takes the result of ``retrieve(_:)``, and returns the change with a value for the caller.
    /// - Returns: the value of the decision that was carried out.
    /// - Throws: the error of the store, or the error that `decide` throws. Nothing was changed then.
    public func decide<Value: Sendable>(
        _ key: String,
        _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> (EntryChange, Value)
    ) async throws(StoreError) -> Value {
        let result = Locked<Value?>(nil)
        try await update(key) { found throws(StoreError) in
            let (change, value) = try decide(found)
            result.withLock { $0 = value }
            return change
        }
        guard let value = result.withLock({ $0 }) else {
            throw .failed(operation: "update \"\(key)\"", reason: "the store decided nothing")
        }
        return value
    }
}
