import AquiferFoundation

/// A store that reads and changes several entries at one moment.
///
/// ```swift
/// guard let seen = try await store.read(["number"])[0].get() else { return }
/// let commit = try await store.commit([
///     EntryWrite("number", if: .seen(seen.mark), .replace(next)),
///     EntryWrite("item", if: .absent, .replace(item)),
/// ])
/// ```
///
/// - Moment: what one call reads or changes, it reads or changes at one moment. Nobody sees a part of a commit.
/// - Marks: each entry has a mark, which is another one after each write that changed the entry. Marks of different stores say nothing to each other.
/// - Durability, integrity, ``CacheStore/changes`` and keys are those of the store.
///
/// Every such store passes `CacheStoreContract.transactions` of `AquiferTesting`.
public protocol TransactionalStore: CacheStore {
    /// The entries under the keys at one moment, in the order of the keys: each the entry with its mark, `nil` if there is none, or
    /// ``StoreError/unreadable(key:reason:)`` if it is damaged. Changes nothing.
    ///
    /// - Throws: ``StoreError`` if the store cannot be read, or a key is empty.
    nonisolated(nonsending) func read(_ keys: [String]) async throws(StoreError) -> [Result<SeenEntry?, StoreError>]

    /// Makes all writes, or none.
    ///
    /// - Parameters:
    ///   - writes: the writes. Each names its key once, and may only ask how the entry is.
    ///   - durability: what the commit survives when it is acknowledged.
    /// - Returns: the new marks; or the keys of the entries that were not as they were to be, and nothing was changed.
    /// - Throws: ``StoreError``, also for an empty key, or one that is named twice. Nothing was changed then, except after
    ///   ``StoreError/uncertain(operation:reason:)``: the commit may have been made, or may still be.
    func commit(_ writes: [EntryWrite], _ durability: CommitDurability) async throws(StoreError) -> Commit
}

/// A transactional store whose acknowledged changes survive the process, as what cannot be loaded again needs it. Its ``TransactionalStore/commit(_:_:)``
/// survives a loss of power, too, as far as the store is set up so.
public protocol DurableStore: TransactionalStore {
    /// A page of the entries whose keys begin with the UTF-8 bytes of `prefix`, with their bytes, as they are at one moment. Changes nothing.
    ///
    /// - Parameters:
    ///   - prefix: the beginning of the keys.
    ///   - after: ``SeenPage/next`` of the page before; `nil` for the first page.
    ///   - limit: the most entries of the page, at least one. A page that has found damage may have more.
    func read(prefix: String, after: String?, limit: Int) async throws(StoreError) -> SeenPage
}

extension TransactionalStore {
    /// Makes all writes, or none, and acknowledges them as the store does with every change.
    public func commit(_ writes: [EntryWrite]) async throws(StoreError) -> Commit { try await commit(writes, .now) }
}

/// What a commit survives when it is acknowledged.
public enum CommitDurability: Sendable, Hashable {
    /// What every acknowledged change of the store survives.
    case now
    /// A kill of the process. A loss of power may take it away until a later commit ``now`` is acknowledged.
    case withNext
}

/// A write of one entry by ``TransactionalStore/commit(_:_:)``.
public struct EntryWrite: Sendable, Hashable {
    /// How the entry must be.
    public enum Condition: Sendable, Hashable {
        /// There may be any entry, also a damaged one, or none.
        case always
        /// There must be no entry. A damaged one is an entry.
        case absent
        /// The entry must have this mark: nobody has written it since. Damage that has come to it may or may not be noticed.
        case seen(Data)
    }

    /// The key of the entry.
    public var key: String
    /// How the entry must be.
    public var condition: Condition
    /// The change; ``EntryChange/keep`` only asks.
    public var change: EntryChange

    /// Creates a write.
    ///
    /// - Parameters:
    ///   - key: the key of the entry.
    ///   - condition: how the entry must be.
    ///   - change: the change.
    public init(_ key: String, if condition: Condition = .always, _ change: EntryChange) {
        (self.key, self.condition, self.change) = (key, condition, change)
    }
}

/// What became of the writes of ``TransactionalStore/commit(_:_:)``.
public enum Commit: Sendable, Hashable {
    /// All were made. The marks of the entries that were stored, in the order of the writes; `nil` for one that was deleted or kept.
    case made([Data?])
    /// None was made, because the entries under these keys were not as they were to be.
    case refused([String])
}

/// Entries whose keys begin with the same bytes, as they were at one moment.
public struct SeenPage: Sendable {
    /// The entries with their keys: each with its mark, or ``StoreError/unreadable(key:reason:)`` if its bytes are damaged.
    public var entries: [(key: String, seen: Result<SeenEntry, StoreError>)]
    /// The entries whose header cannot be read.
    public var damaged: [DamagedEntry]
    /// Where the next page begins; `nil` if this is the last one.
    public var next: String?

    /// Creates a page.
    public init(
        entries: [(key: String, seen: Result<SeenEntry, StoreError>)], damaged: [DamagedEntry] = [], next: String? = nil
    ) {
        (self.entries, self.damaged, self.next) = (entries, damaged, next)
    }
}

extension [EntryWrite] {
    /// Throws if a key is empty, or is named twice.
    package func check() throws(StoreError) {
        var keys: Set<StoreKey> = []
        for write in self where !keys.insert(try StoreKey(checking: write.key)).inserted {
            throw .failed(operation: "commit", reason: "\"\(write.key)\" is named twice")
        }
    }
}

extension EntryWrite.Condition {
    /// True if an entry with this mark is as it must be.
    ///
    /// - Parameters:
    ///   - mark: the mark of the entry; `nil` if there is none, or it is damaged.
    ///   - exists: true if there is an entry, readable or not.
    package func holds(_ mark: Data?, exists: Bool) -> Bool {
        switch self {
        case .always: true
        case .absent: !exists
        case .seen(let seen): exists && mark == seen
        }
    }
}
