import Aquifer

/// A store that is opened on first use. While it cannot be opened, values from the remote can still be shown.
final class LazyStore: SeveralReads, UnflushedChanges {
    private let store: Lazy<any CacheStore, StoreError>
    /// The changes of the store inside. The first observer opens it, because others may change it.
    let changes: StoreChanges

    init(_ open: @escaping @Sendable () throws(StoreError) -> any CacheStore) {
        let late = LateChanges()
        let store = Lazy<any CacheStore, StoreError> { () throws(StoreError) in
            let store = try open()
            late.opened(store)
            return store
        }
        self.store = store
        changes = StoreChanges(whileObserved: { changes in
            // While it cannot be opened, nothing in it changes here; the call that opens it later is told.
            Task { _ = try? await store() }
            return late.passOn(to: changes)
        })
    }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? { try await store().retrieve(key) }

    func retrieve(several keys: [String]) async -> [Result<StoredEntry?, StoreError>] {
        do throws(StoreError) { return await (try await store()).entries(under: keys) } catch {
            return keys.map { _ in .failure(error) }
        }
    }

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try await store().insert(entry, for: key)
    }

    func delete(_ key: String) async throws(StoreError) { try await store().delete(key) }

    func contents() async throws(StoreError) -> StoreContents { try await store().contents() }

    func contents(prefix: String) async throws(StoreError) -> StoreContents {
        try await store().contents(prefix: prefix)
    }

    func page(prefix: String, after: String?, limit: Int) async throws(StoreError) -> StorePage {
        try await store().page(prefix: prefix, after: after, limit: limit)
    }

    func mostBytes() async throws(StoreError) -> Int? { try await store().mostBytes() }

    func persist() async throws(StoreError) { try await store().persist() }

    func deleteAll(prefix: String) async throws(StoreError) { try await store().deleteAll(prefix: prefix) }

    func remove(_ damaged: DamagedEntry) async throws(StoreError) { try await store().remove(damaged) }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) { try await store().update(key, decide) }

    func updateUnflushed(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) { try await store().updateUnflushed(key, decide) }
}
