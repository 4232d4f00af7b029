import AquiferConcurrency
import AquiferFoundation

/// A store in this process's memory, whose entries are gone when it is released. Use it for tests, previews and
/// short-lived tools.
///
/// It fulfills the ``CacheStore`` contract for its lifetime, and fails only for an empty key.
public final class MemoryStore: CacheStore {
    private let kept = Locked<[StoreKey: StoredEntry]>([:])

    /// See ``CacheStore/changes``.
    public let changes = StoreChanges()

    /// Creates an empty store.
    public init() {}

    /// See ``CacheStore/retrieve(_:)``. It is done on the caller's actor.
    public nonisolated(nonsending) func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        let key = try StoreKey(checking: key)
        return kept.withLock { $0[key] }
    }

    /// See ``CacheStore/insert(_:for:)``.
    public func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        let key = try StoreKey(checking: key)
        kept.withLock { $0[key] = entry }
        changes.post(.entry(key.text))
    }

    /// See ``CacheStore/delete(_:)``.
    public func delete(_ key: String) async throws(StoreError) {
        let key = try StoreKey(checking: key)
        if kept.withLock({ $0.removeValue(forKey: key) }) != nil { changes.post(.entry(key.text)) }
    }

    /// See ``CacheStore/update(_:_:)``.
    public func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        let key = try StoreKey(checking: key)
        let hasChanged = try kept.withLock { kept throws(StoreError) in
            switch try decide(.success(kept[key])) {
            case .keep: return false
            case .replace(let entry): kept[key] = entry
            case .delete: return kept.removeValue(forKey: key) != nil
            }
            return true
        }
        if hasChanged { changes.post(.entry(key.text)) }
    }

    /// See ``CacheStore/contents()``. Nothing is ever damaged here.
    public func contents() async throws(StoreError) -> StoreContents {
        StoreContents(entries: kept.withLock { kept in kept.map { StoredEntry.Summary($1, key: $0.text) } })
    }

    /// See ``CacheStore/contents(prefix:)``. Looks at every key.
    public func contents(prefix: String) async throws(StoreError) -> StoreContents {
        try await contents().beginning(with: prefix)
    }

    /// See ``CacheStore/deleteAll(prefix:)``. It is one step: no other caller sees a part of it.
    public func deleteAll(prefix: String) async throws(StoreError) {
        let hasChanged = kept.withLock { kept in
            let left = kept.filter { !$0.key.text.hasBytes(prefix) }
            defer { kept = left }
            return left.count < kept.count
        }
        if hasChanged { changes.post(.prefix(prefix)) }
    }

    /// See ``CacheStore/remove(_:)``. Nothing is ever damaged here.
    public func remove(_ damaged: DamagedEntry) async throws(StoreError) {}
}
