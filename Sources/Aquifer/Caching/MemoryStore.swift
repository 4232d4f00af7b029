import Foundation

/// A store in this process' memory, gone when it is released. For tests, previews and short-lived tools.
///
/// Keeps the whole ``CacheStore`` contract for its lifetime, and never fails but for an empty key.
public final class MemoryStore: CacheStore {
    private let contents = Locked<[StoreKey: StoredEntry]>([:])

    /// An empty store.
    public init() {}

    /// See ``CacheStore/retrieve(_:)``.
    public func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        let key = try StoreKey(checking: key)
        return contents.withLock { $0[key] }
    }

    /// See ``CacheStore/insert(_:for:)``.
    public func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        let key = try StoreKey(checking: key)
        contents.withLock { $0[key] = entry }
    }

    /// See ``CacheStore/delete(_:)``.
    public func delete(_ key: String) async throws(StoreError) {
        let key = try StoreKey(checking: key)
        contents.withLock { $0[key] = nil }
    }

    /// See ``CacheStore/update(_:_:)``.
    public func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        let key = try StoreKey(checking: key)
        try contents.withLock { contents throws(StoreError) in
            switch try decide(.success(contents[key])) {
            case .keep: break
            case .replace(let entry): contents[key] = entry
            case .delete: contents[key] = nil
            }
        }
    }

    /// See ``CacheStore/entries()``.
    public func entries() async throws(StoreError) -> [StoredEntry.Summary] {
        contents.withLock { contents in
            contents.map { StoredEntry.Summary($1, key: $0.text) }
        }
    }
}

extension StoredEntry.Summary {
    package init(_ entry: StoredEntry, key: String) {
        self.init(
            key: key, size: entry.bytes.count, savedAt: entry.savedAt, validators: entry.validators, kind: entry.kind)
    }
}
