import Aquifer
import AquiferConcurrency
import AquiferTesting

/// A store that says of the changes of items that it does not know, and makes them later.
final class HoldingStore: ForwardingStore {
    static let uncertain = StoreError.uncertain(operation: "save", reason: "the connection broke")

    let base: any CacheStore
    private let state = Locked<(isHolding: Bool, entries: [(key: String, entry: StoredEntry)])>((false, []))

    init(base: any CacheStore) { self.base = base }

    /// Holds the changes of items from now on.
    func hold() { state.withLock { $0.isHolding = true } }

    /// Forgets the changes that were held, and holds no more.
    func drop() { state.withLock { $0 = (false, []) } }

    /// Makes the changes that were held, and holds no more.
    func release() async throws(StoreError) {
        let entries = state.withLock { state in
            defer { state = (false, []) }
            return state.entries
        }
        for (key, entry) in entries { try await base.insert(entry, for: key) }
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        guard key.hasPrefix("item:"), state.withLock({ $0.isHolding }) else {
            return try await base.update(key, decide)
        }
        if case .replace(let entry) = try decide(.success(try await base.retrieve(key))) {
            state.withLock { $0.entries.append((key, entry)) }
        }
        throw Self.uncertain
    }
}
