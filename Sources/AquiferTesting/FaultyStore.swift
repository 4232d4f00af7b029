import Aquifer
import AquiferConcurrency
import Foundation

/// A store for tests: passes every call on to another store, notes it, and fails where it is told to.
///
/// ```swift
/// let store = FaultyStore()
/// store.fail(.save, with: .full(path: "/disk"))
/// ```
///
/// A call that is made to fail changes nothing in the store behind.
public final class FaultyStore: CacheStore {
    /// A kind of call.
    public enum Operation: Sendable, Hashable, CaseIterable {
        /// `CacheStore.retrieve(_:)`
        case retrieve
        /// `CacheStore.insert(_:for:)`
        case insert
        /// `CacheStore.delete(_:)`
        case delete
        /// `CacheStore.update(_:_:)`
        case update
        /// `CacheStore.contents()`, `CacheStore.contents(prefix:)` and `CacheStore.page(prefix:after:limit:)`
        case contents
        /// `CacheStore.deleteAll(prefix:)`
        case deleteAll
        /// `CacheStore.remove(_:)`
        case remove
        /// Storing an entry, whichever call does it: `CacheStore.insert(_:for:)`, or a `CacheStore.update(_:_:)`
        /// that decides to replace. An update that decides otherwise goes on.
        case save
    }

    /// A call that was made.
    public enum Call: Sendable, Hashable {
        /// `CacheStore.retrieve(_:)`
        case retrieve(String)
        /// `CacheStore.insert(_:for:)`
        case insert(StoredEntry, for: String)
        /// `CacheStore.delete(_:)`
        case delete(String)
        /// `CacheStore.update(_:_:)`, and what was decided; `nil` if nothing was, because it failed.
        case update(String, EntryChange?)
        /// `CacheStore.contents()`
        case contents
        /// `CacheStore.contents(prefix:)`
        case contentsOf(prefix: String)
        /// `CacheStore.page(prefix:after:limit:)`
        case page(prefix: String, after: String?)
        /// `CacheStore.deleteAll(prefix:)`
        case deleteAll(prefix: String)
        /// `CacheStore.remove(_:)`
        case remove(DamagedEntry)
    }

    private struct State {
        var faults: [Operation: StoreError] = [:]
        var calls: [Call] = []
    }

    private let base: any CacheStore
    private let lock = Lock()
    private nonisolated(unsafe) var state = State()

    /// A store that fails nowhere yet, in front of `base`.
    public init(_ base: any CacheStore = MemoryStore()) {
        self.base = base
    }

    /// From now on calls of these kinds throw `error`.
    public func fail(_ operations: Operation..., with error: StoreError) {
        lock.withLock { for operation in operations { state.faults[operation] = error } }
    }

    /// From now on calls of these kinds, or all if none is named, reach the store behind again.
    public func heal(_ operations: Operation...) {
        let healed = operations.isEmpty ? Operation.allCases : operations
        lock.withLock { for operation in healed { state.faults[operation] = nil } }
    }

    /// The calls so far, those that failed among them, in the order in which they were issued
    /// (an update: in which it ended).
    public var calls: [Call] { lock.withLock { state.calls } }

    /// Forgets the calls so far.
    public func forgetCalls() {
        lock.withLock { state.calls = [] }
    }

    /// See `CacheStore.retrieve(_:)`.
    public func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        try note(.retrieve(key), .retrieve)
        return try await base.retrieve(key)
    }

    /// See `CacheStore.insert(_:for:)`.
    public func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try note(.insert(entry, for: key), .insert, .save)
        try await base.insert(entry, for: key)
    }

    /// See `CacheStore.delete(_:)`.
    public func delete(_ key: String) async throws(StoreError) {
        try note(.delete(key), .delete)
        try await base.delete(key)
    }

    /// See `CacheStore.update(_:_:)`.
    public func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        if let fault = lock.withLock({ state.faults[.update] }) {
            lock.withLock { state.calls.append(.update(key, nil)) }
            throw fault
        }
        // The base may run the decision again: the last run counts.
        let decided = Recorder<EntryChange?>()
        defer { lock.withLock { state.calls.append(.update(key, decided.all.last ?? nil)) } }
        try await base.update(key) { found throws(StoreError) in
            decided.append(nil)
            let change = try decide(found)
            if case .replace = change, let fault = lock.withLock({ state.faults[.save] }) { throw fault }
            decided.append(change)
            return change
        }
    }

    /// See `CacheStore.contents()`.
    public func contents() async throws(StoreError) -> StoreContents {
        try note(.contents, .contents)
        return try await base.contents()
    }

    /// See `CacheStore.contents(prefix:)`.
    public func contents(prefix: String) async throws(StoreError) -> StoreContents {
        try note(.contentsOf(prefix: prefix), .contents)
        return try await base.contents(prefix: prefix)
    }

    /// See `CacheStore.page(prefix:after:limit:)`.
    public func page(prefix: String, after: String?, limit: Int) async throws(StoreError) -> StorePage {
        try note(.page(prefix: prefix, after: after), .contents)
        return try await base.page(prefix: prefix, after: after, limit: limit)
    }

    /// See `CacheStore.mostBytes()`. It never fails here.
    public func mostBytes() async throws(StoreError) -> Int? { try await base.mostBytes() }

    /// See `CacheStore.persist()`.
    public func persist() async throws(StoreError) { try await base.persist() }

    /// See `CacheStore.deleteAll(prefix:)`.
    public func deleteAll(prefix: String) async throws(StoreError) {
        try note(.deleteAll(prefix: prefix), .deleteAll)
        try await base.deleteAll(prefix: prefix)
    }

    /// See `CacheStore.remove(_:)`.
    public func remove(_ damaged: DamagedEntry) async throws(StoreError) {
        try note(.remove(damaged), .remove)
        try await base.remove(damaged)
    }

    /// The leases of the store behind.
    public var leases: (any LoadLeases)? { base.leases }

    /// The presence that the store behind knows.
    public var presence: (any StorePresence)? { base.presence }

    /// The changes of the store behind.
    public var changes: StoreChanges { base.changes }

    private func note(_ call: Call, _ operations: Operation...) throws(StoreError) {
        let fault = lock.withLock {
            state.calls.append(call)
            return operations.lazy.compactMap { self.state.faults[$0] }.first
        }
        if let fault { throw fault }
    }
}
