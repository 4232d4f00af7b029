import AquiferConcurrency
import AquiferFoundation

/// A store in this process's memory, whose entries are gone when it is released. Use it for tests, previews and
/// short-lived tools.
///
/// It fulfills the ``TransactionalStore`` contract for its lifetime, and fails only for a key that is empty or named twice.
public final class MemoryStore: TransactionalStore {
    private struct State {
        var entries: [StoreKey: (entry: StoredEntry, mark: UInt64)] = [:]
        var lastMark: UInt64 = 0

        mutating func set(_ entry: StoredEntry, for key: StoreKey) {
            lastMark += 1
            entries[key] = (entry, lastMark)
        }

        /// - Returns: true if something was changed.
        mutating func make(_ change: EntryChange, for key: StoreKey) -> Bool {
            switch change {
            case .keep: return false
            case .replace(let entry): set(entry, for: key)
            case .delete: return entries.removeValue(forKey: key) != nil
            }
            return true
        }

        func seen(_ key: StoreKey) -> SeenEntry? {
            entries[key].map { SeenEntry(entry: $0.entry, mark: Self.mark($0.mark)) }
        }

        func mark(_ key: StoreKey) -> Data? { entries[key].map { Self.mark($0.mark) } }

        private static func mark(_ number: UInt64) -> Data { withUnsafeBytes(of: number) { Data($0) } }
    }

    private let kept = Locked(State())

    /// See ``CacheStore/changes``.
    public let changes = StoreChanges()

    /// Creates an empty store.
    public init() {}

    /// See ``CacheStore/retrieve(_:)``. It is done on the caller's actor.
    public nonisolated(nonsending) func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        let key = try StoreKey(checking: key)
        return kept.withLock { $0.entries[key]?.entry }
    }

    /// See ``CacheStore/insert(_:for:)``.
    public func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try await update(key) { _ in .replace(entry) }
    }

    /// See ``CacheStore/delete(_:)``.
    public func delete(_ key: String) async throws(StoreError) { try await update(key) { _ in .delete } }

    /// See ``CacheStore/update(_:_:)``.
    public func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        let key = try StoreKey(checking: key)
        let hasChanged = try kept.withLock { kept throws(StoreError) in
            kept.make(try decide(.success(kept.entries[key]?.entry)), for: key)
        }
        if hasChanged { changes.post(.entry(key.text)) }
    }

    /// See ``TransactionalStore/read(_:)``. It is done on the caller's actor.
    public nonisolated(nonsending) func read(
        _ keys: [String]
    ) async throws(StoreError) -> [Result<SeenEntry?, StoreError>] {
        var checked: [StoreKey] = []
        for key in keys { checked.append(try StoreKey(checking: key)) }
        return kept.withLock { kept in checked.map { .success(kept.seen($0)) } }
    }

    /// See ``TransactionalStore/commit(_:_:)``.
    public func commit(_ writes: [EntryWrite], _ durability: CommitDurability) async throws(StoreError) -> Commit {
        try writes.check()
        let (commit, changed) = kept.withLock { kept -> (Commit, [String]) in
            let refused = writes.filter { write in
                let mark = kept.mark(StoreKey(write.key))
                return !write.condition.holds(mark, exists: mark != nil)
            }
            guard refused.isEmpty else { return (.refused(refused.map(\.key)), []) }
            let changed = writes.filter { kept.make($0.change, for: StoreKey($0.key)) }
            return (.made(writes.map { $0.change == .keep ? nil : kept.mark(StoreKey($0.key)) }), changed.map(\.key))
        }
        for key in changed { changes.post(.entry(key)) }
        return commit
    }

    /// See ``CacheStore/contents()``. Nothing is ever damaged here.
    public func contents() async throws(StoreError) -> StoreContents {
        StoreContents(
            entries: kept.withLock { kept in kept.entries.map { StoredEntry.Summary($1.entry, key: $0.text) } })
    }

    /// See ``CacheStore/contents(prefix:)``. Looks at every key.
    public func contents(prefix: String) async throws(StoreError) -> StoreContents {
        try await contents().beginning(with: prefix)
    }

    /// See ``CacheStore/deleteAll(prefix:)``. It is one step: no other caller sees a part of it.
    public func deleteAll(prefix: String) async throws(StoreError) {
        let hasChanged = kept.withLock { kept in
            let left = kept.entries.filter { !$0.key.text.hasBytes(prefix) }
            defer { kept.entries = left }
            return left.count < kept.entries.count
        }
        if hasChanged { changes.post(.prefix(prefix)) }
    }

    /// See ``CacheStore/remove(_:)``. Nothing is ever damaged here.
    public func remove(_ damaged: DamagedEntry) async throws(StoreError) {}
}
